/** Requirements on several label keys at once; all of them must hold. */
import type { LabelLookup, Labels } from './labels.js';
import { allows, intersect, requirement, type Requirement } from './requirement.js';

/** Label key → requirement. A key that is not listed is unconstrained. */
export type Requirements = ReadonlyMap<string, Requirement>;

export const NO_REQUIREMENTS: Requirements = new Map();

/** The conjunction of single requirements; those on one key are intersected. */
export function requirementsOf(list: Iterable<Requirement>): Requirements {
  const result = new Map<string, Requirement>();
  for (const item of list) {
    const present = result.get(item.key);
    result.set(item.key, present ? intersect(present, item) : item);
  }
  return result;
}

/** `In [value]` for every label: what a nodeSelector or a template's labels say. */
export function requirementsFromLabels(labels: Labels): Requirements {
  return requirementsOf([...labels].map(([key, value]) => requirement(key, 'In', [value])));
}

/** What satisfies both. */
export function intersectRequirements(left: Requirements, right: Requirements): Requirements {
  return requirementsOf([...left.values(), ...right.values()]);
}

/** Whether a node with exactly these labels satisfies all requirements. */
export function labelsSatisfy(required: Requirements, labels: LabelLookup): boolean {
  return firstUnsatisfied(required, labels) === undefined;
}

/** The first requirement, in the order given, that these labels fail; undefined when they satisfy all. */
export function firstUnsatisfied(required: Requirements, labels: LabelLookup): Requirement | undefined {
  for (const item of required.values()) if (!allows(item, labels.get(item.key))) return item;
  return undefined;
}
