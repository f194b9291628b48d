/** A CustomResourceDefinition as a resource that is served. */
import { isObject, listAt, objectAt, textAt, valueAt, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { AGE, NAME } from '../printing/cells.js';
import { ageOf } from '../printing/human-duration.js';
import { column, type TableColumn } from '../printing/table-column.js';
import type { Pruned, ResourceType, ServedVersion } from '../resources/resource-type.js';
import { readJsonPath } from './json-path.js';
import { pruneRoot, withSchemaDefaults } from './prune.js';
import { schemaErrors } from './validate-schema.js';

/** undefined, when no version is served. */
export function customType(definition: KubeObject): ResourceType | undefined {
  const spec = objectAt(definition, 'spec');
  const names = objectAt(spec, 'names');
  const versions = listAt(spec, 'versions')
    .filter(isObject)
    .filter((version) => version['served'] === true);
  const stored = versions.find((version) => version['storage'] === true) ?? versions[0];
  if (stored === undefined) return undefined;
  const ordered = [stored, ...versions.filter((version) => version !== stored)];
  const group = textAt(spec, 'group');
  const [first, ...others] = ordered.map((version) =>
    servedVersion(group, textAt(version, 'name'), textAt(stored, 'name')),
  );
  if (first === undefined) return undefined;
  const schemas = new Map(
    ordered.map((version) => [textAt(version, 'name'), valueAt(version, 'schema', 'openAPIV3Schema')]),
  );
  const plural = textAt(names, 'plural');
  const subresources = objectAt(stored, 'subresources');
  return {
    key: `${plural}.${group}`,
    plural,
    singular: textAt(names, 'singular'),
    kind: textAt(names, 'kind'),
    listKind: textAt(names, 'listKind'),
    shortNames: listAt(names, 'shortNames').map(String),
    categories: listAt(names, 'categories').map(String),
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    served: [first, ...others],
    hasStatus: isObject(subresources['status']),
    scale: scaleOf(subresources['scale']),
    hasGeneration: true,
    isCustom: true,
    fieldLabels: selectable(stored),
    columns: columnsOf(stored),
    strategy: {
      prune: (object, version) => pruned(schemas.get(version) ?? schemas.get(first.version), object),
      validate: (object, old) => schemaErrors(schemas.get(first.version), object, old),
    },
  };
}

/** Without a conversion webhook versions differ in their name alone. */
function servedVersion(group: string, version: string, stored: string): ServedVersion {
  if (version === stored) return { group, version };
  return {
    group,
    version,
    show: (object) => ({ ...object, apiVersion: `${group}/${version}` }),
    read: (object) => ({ ...object, apiVersion: `${group}/${stored}` }),
  };
}

function scaleOf(scale: unknown): ResourceType['scale'] {
  if (!isObject(scale)) return undefined;
  const path = (field: string): string => textAt(scale, field).replace(/^\./, '');
  return {
    specReplicas: path('specReplicasPath'),
    statusReplicas: path('statusReplicasPath'),
    selector: path('labelSelectorPath'),
  };
}

function selectable(version: JsonObject): Readonly<Record<string, string>> {
  const paths = listAt(version, 'selectableFields').map((field) =>
    textAt(field, 'jsonPath').replace(/^\./, ''),
  );
  return Object.fromEntries(paths.map((path) => [path, path]));
}

function pruned(schema: unknown, object: KubeObject): Pruned {
  const unknown: string[] = [];
  const known = withSchemaDefaults(schema, pruneRoot(schema, object, unknown)) as KubeObject;
  return { object: { ...known, metadata: object.metadata }, unknown };
}

function columnsOf(version: JsonObject): readonly TableColumn[] {
  const own = listAt(version, 'additionalPrinterColumns').filter(isObject);
  if (own.length === 0) return [NAME, AGE];
  return [NAME, ...own.map(columnOf)];
}

function columnOf(definition: JsonObject): TableColumn {
  const type = textAt(definition, 'type') as TableColumn['type'];
  const read = readJsonPath(textAt(definition, 'jsonPath'));
  return {
    ...column(
      textAt(definition, 'name'),
      (object, now) => {
        const [value] = read(object);
        if (value === undefined || value === null) return null;
        if (type === 'date') return ageOf(value, now);
        return typeof value === 'object' ? JSON.stringify(value) : value;
      },
      // A date is shown as the time since.
      type === 'date' ? 'string' : type,
    ),
    description: textAt(definition, 'description'),
    priority: Number(definition['priority'] ?? 0),
  };
}
