/** A plain object as a Document without a text, so that what reads documents can read it. */
import type { JsonObject } from '../../domain/policies/policy.js';
import { valueAt } from '../decode/plain.js';
import type { Document } from '../documents/document.js';

/** The document; undefined when it does not say which kind it is. Complaints about it name no line. */
export function documentOf(value: JsonObject): Document | undefined {
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const given = valueAt(value, ['metadata', 'name']);
  const name = typeof given === 'string' ? given : '';
  return {
    ...{ source: '', title: `${kind}/${name}`, apiVersion, kind, name, value },
    locate: () => undefined,
    locateInBlock: () => undefined,
  };
}
