/** Conditions of objects that others made, as they are written to their status. */
import type { JsonObject } from '../../domain/policies/policy.js';
import type { Condition } from '../../domain/values/condition.js';
import { formatSeconds } from '../kubernetes/object/time.js';

/** `observedGeneration`: of the object that the condition is about; undefined where it does not say. */
export function encodeConditions(
  conditions: readonly (Condition & { readonly observedGeneration: number | undefined })[],
): readonly JsonObject[] {
  return conditions.map(
    ({ type, status, reason, message, lastTransitionTime, observedGeneration }): JsonObject => ({
      ...{ type, status, reason, message },
      lastTransitionTime: formatSeconds(lastTransitionTime),
      ...(observedGeneration !== undefined && { observedGeneration }),
    }),
  );
}
