/**
 * As much OpenAPI as kubectl needs to leave validation to the server: which kinds can be patched, with which parameters.
 * Schemas are those of custom resources; of built-in kinds kubectl has its own.
 */
import { isObject, listAt, textAt, valueAt, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { ResourceRegistry, ServedResource } from '../resources/registry.js';
import { groupVersion } from '../resources/resource-type.js';

const QUERY = ['dryRun', 'fieldManager', 'fieldValidation', 'force', 'pretty'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string' },
}));

/** /openapi/v3 */
export function openApiIndex(registry: ResourceRegistry): JsonObject {
  const versions = registry.types.flatMap(({ served }) => served);
  const paths = versions.map((served) => {
    const path = served.group === '' ? `api/${served.version}` : `apis/${groupVersion(served)}`;
    return [path, { serverRelativeURL: `/openapi/v3/${path}` }];
  });
  return { paths: Object.fromEntries(paths) };
}

/** /openapi/v3/apis/GROUP/VERSION */
export function openApiOf(
  registry: ResourceRegistry,
  { group, version }: { readonly group: string; readonly version: string },
  definitions: readonly KubeObject[],
): JsonObject | undefined {
  const resources = registry.types
    .map(({ plural }) => registry.at(group, version, plural))
    .filter((resource): resource is ServedResource => resource !== undefined);
  if (resources.length === 0) return undefined;
  const schemas = resources.map(({ type }) => {
    const own = { group, version, kind: type.kind };
    const schema = schemaOf(definitions, type.key, version);
    return [
      `${group === '' ? 'core' : group}.${version}.${type.kind}`,
      { ...schema, 'x-kubernetes-group-version-kind': [own] },
    ] as const;
  });
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1' },
    paths: Object.fromEntries(resources.map((resource) => pathOf(resource, group, version))),
    components: { schemas: Object.fromEntries(schemas) },
  };
}

function pathOf(
  { type, served }: ServedResource,
  group: string,
  version: string,
): readonly [string, JsonObject] {
  const root = group === '' ? `/api/${version}` : `/apis/${groupVersion(served)}`;
  const place = type.namespaced ? '/namespaces/{namespace}' : '';
  const own = { group, version, kind: type.kind };
  const operation = {
    parameters: QUERY,
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-group-version-kind': own,
  };
  const patch = { ...operation, 'x-kubernetes-action': 'patch' };
  return [`${root}${place}/${type.plural}/{name}`, { patch, put: operation }];
}

/** A custom resource's own; of other kinds no more than that they are objects. */
function schemaOf(definitions: readonly KubeObject[], key: string, version: string): JsonObject {
  const definition = definitions.find(({ metadata }) => metadata.name === key);
  const found = listAt(definition, 'spec', 'versions').find((each) => textAt(each, 'name') === version);
  const schema = valueAt(found, 'schema', 'openAPIV3Schema');
  return isObject(schema) ? schema : { type: 'object' };
}
