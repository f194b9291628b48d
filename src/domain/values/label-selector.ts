/** Label selectors of spread constraints, affinity terms and workloads. */
import type { Labels } from './labels.js';
import { requirement, type Requirement } from './requirement.js';
import { intersectRequirements, labelsSatisfy, requirementsOf, type Requirements } from './requirements.js';

/** A selector: all requirements must hold. An empty one matches everything; undefined, where allowed, nothing. */
export interface LabelSelector {
  readonly requirements: Requirements;
}

export const EVERYTHING: LabelSelector = { requirements: new Map() };

/** Whether the selector matches; an undefined selector matches nothing (LabelSelector, apimachinery). */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  return selector !== undefined && labelsSatisfy(selector.requirements, labels);
}

/** The selector narrowed by `key In [value]` (or `NotIn`) for labels the pod has: matchLabelKeys, mismatchLabelKeys. */
export function narrowByPodLabels(
  selector: LabelSelector | undefined,
  labels: Labels,
  keys: { readonly match: readonly string[]; readonly mismatch: readonly string[] },
): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const extra = [...keyed(keys.match, 'In', labels), ...keyed(keys.mismatch, 'NotIn', labels)];
  return { requirements: intersectRequirements(selector.requirements, requirementsOf(extra)) };
}

/** Keys that the pod does not carry are ignored (KEP-3243, KEP-3633). */
function keyed(keys: readonly string[], operator: 'In' | 'NotIn', labels: Labels): Requirement[] {
  return keys.flatMap((key) => {
    const value = labels.get(key);
    return value === undefined ? [] : [requirement(key, operator, [value])];
  });
}

/** The same text for selectors that say the same, and only for those; used to tell topology groups apart. */
export function selectorKey(selector: LabelSelector | undefined): string {
  if (selector === undefined) return '∅';
  return JSON.stringify([...selector.requirements.values()].map(requirementKey).sort());
}

function requirementKey(item: Requirement): string {
  const { key, complement, absent, atLeast, atMost } = item;
  return JSON.stringify([key, complement, absent, String(atLeast), String(atMost), [...item.values].sort()]);
}
