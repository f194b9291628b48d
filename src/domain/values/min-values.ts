/** Karpenter's minValues: how many distinct values of a label a NodeClaim must keep open. */
import type { LabelLookup } from './labels.js';
import { allows, type Requirement } from './requirement.js';
import type { Requirements } from './requirements.js';

/** A requirement whose minValues is not reached. */
export interface MinValuesShortfall {
  readonly key: string;
  /** Distinct values that the requirement asks for. */
  readonly minValues: number;
  /** Distinct allowed values that there are. */
  readonly found: number;
}

/**
 * The first requirement whose minValues the types do not reach; undefined when all are reached. `labelsOfTypes` has the
 * labels of each instance type, or of each of its offerings when zone or capacity type are to count. Only values that
 * the requirement allows count, once each, however many types have them.
 */
export function minValuesShortfall(
  required: Requirements,
  labelsOfTypes: readonly LabelLookup[],
): MinValuesShortfall | undefined {
  for (const item of required.values()) {
    if (item.minValues <= 0) continue;
    const found = distinctValues(item, labelsOfTypes);
    if (found < item.minValues) return { key: item.key, minValues: item.minValues, found };
  }
  return undefined;
}

function distinctValues(required: Requirement, labelsOfTypes: readonly LabelLookup[]): number {
  const values = new Set<string>();
  for (const labels of labelsOfTypes) {
    const value = labels.get(required.key);
    if (value !== undefined && allows(required, value)) values.add(value);
  }
  return values.size;
}
