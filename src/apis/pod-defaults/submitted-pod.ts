/** A pod as it was submitted, in JSON, while defaults are added to it. Whatever the JSON holds, reading it does not fail. */
import type { Labels } from '../../domain/values/labels.js';
import { plainObject, type Plain } from '../decode/plain.js';

export interface SubmittedPod {
  readonly metadata: Plain;
  readonly spec: Plain;
}

/** An object, list or field of the pod: `['spec', 'tolerations']`. */
export type Place = readonly [parent: keyof SubmittedPod, name: string];

/** What is added at a place: an entry of an object, an item of a list, or the value of a field. */
export type Addition =
  | { readonly kind: 'entry'; readonly at: Place; readonly key: string; readonly value: string }
  | { readonly kind: 'item' | 'field'; readonly at: Place; readonly value: unknown };

/** undefined when it does not have the shape of a pod, which the API server refuses by itself. */
export function submittedPod(pod: unknown): SubmittedPod | undefined {
  const metadata = plainObject(own(pod, 'metadata'));
  const spec = plainObject(own(pod, 'spec'));
  if (metadata === undefined || spec === undefined) return undefined;
  const parts = [
    objectIn(metadata, 'annotations'),
    objectIn(metadata, 'labels'),
    objectIn(spec, 'nodeSelector'),
    listIn(spec, 'tolerations'),
    listIn(spec, 'topologySpreadConstraints'),
    listIn(spec, 'schedulingGates'),
  ];
  return parts.includes(undefined) ? undefined : { metadata, spec };
}

/** The pod with the addition; the old one stays as it is. */
export function withAddition(pod: SubmittedPod, addition: Addition): SubmittedPod {
  const [parent, name] = addition.at;
  return { ...pod, [parent]: { ...pod[parent], [name]: addedTo(pod, addition) } };
}

function addedTo(pod: SubmittedPod, addition: Addition): unknown {
  const [parent, name] = addition.at;
  switch (addition.kind) {
    case 'entry':
      return { ...objectIn(pod[parent], name), [addition.key]: addition.value };
    case 'item':
      return [...(listIn(pod[parent], name) ?? []), addition.value];
    case 'field':
      return addition.value;
  }
}

/** Whether the object or list is there, if only empty, so that it can be added to. */
export function isPresent(pod: SubmittedPod, [parent, name]: Place): boolean {
  const value = own(pod[parent], name);
  return value !== undefined && value !== null;
}

const NOTHING: Plain = {};

/** An empty one where there is none; undefined where something else stands. */
export function objectIn(value: unknown, key: string): Plain | undefined {
  const found = own(value, key) ?? undefined;
  return found === undefined ? NOTHING : plainObject(found);
}

/** An empty one where there is none; undefined where something else stands. */
export function listIn(value: unknown, key: string): readonly unknown[] | undefined {
  const found = own(value, key) ?? [];
  return Array.isArray(found) ? (found as unknown[]) : undefined;
}

/** '' where there is no text. */
export function textIn(value: unknown, key: string): string {
  const found = own(value, key);
  return typeof found === 'string' ? found : '';
}

/** The object as labels or annotations; '' for what is not a text. */
export function textsIn(value: unknown, key: string): Labels {
  const texts = Object.entries(objectIn(value, key) ?? NOTHING).map(
    ([name, text]) => [name, typeof text === 'string' ? text : ''] as const,
  );
  return new Map(texts);
}

function own(value: unknown, key: string): unknown {
  const object = plainObject(value);
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
