/** Field selectors (apimachinery's pkg/fields): equality of the fields that a resource names. */
import { badRequest } from '../objects/api-error.js';
import { valueAt } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { groupVersion, type ResourceType } from '../resources/resource-type.js';

export type ObjectPredicate = (object: KubeObject) => boolean;

const TERM = /^([^=!]+?)(!=|==|=)(.*)$/;
const ALWAYS = { 'metadata.name': 'metadata.name', 'metadata.namespace': 'metadata.namespace' };

/** `spec.nodeName=n1,status.phase!=Failed`. @throws ApiError 400 for a field that the resource does not name */
export function parseFieldSelector(type: ResourceType, text: string): ObjectPredicate {
  const labels: Readonly<Record<string, string>> = { ...ALWAYS, ...type.fieldLabels };
  const terms = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const [, label = '', sign, value = ''] = TERM.exec(term) ?? [];
      const path = Object.hasOwn(labels, label) ? labels[label] : undefined;
      if (path === undefined) throw unsupportedField(type, text, label === '' ? term : label);
      return { path: path.split('.'), isWanted: sign !== '!=', value: value.replaceAll(/\\([\\,=])/g, '$1') };
    });
  return (object) =>
    terms.every(({ path, isWanted, value }) => (fieldText(object, path) === value) === isWanted);
}

/** A field that is missing reads as false where it is a flag that is left out, else as nothing. */
function fieldText(object: KubeObject, path: readonly string[]): string {
  const value = valueAt(object, ...path);
  if (value === undefined || value === null) return FLAGS.has(path.at(-1) ?? '') ? 'false' : '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const FLAGS = new Set(['unschedulable', 'hostNetwork']);

function unsupportedField(type: ResourceType, text: string, label: string): Error {
  const named = `${groupVersion(type.served[0])}, Resource=${type.plural}`;
  const shown = type.served[0].group === '' ? `/${named}` : named;
  return badRequest(
    `Unable to find "${shown}" that match label selector "", field selector "${text}": field label not supported: ${label}`,
  );
}
