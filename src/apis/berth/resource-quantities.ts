/** Resource lists of Berth's own kinds ⇄ Kubernetes quantities. */
import type { JsonObject } from '../../domain/policy.js';
import { toMillis, toUnits } from '../../domain/quantity.js';
import { CPU, formatAmount, type ResourceList } from '../../domain/resources.js';
import { readAmounts } from '../kubernetes/amounts.js';
import type { Field } from '../kubernetes/field.js';

/** `{cpu: "1500m", memory: "2Gi"}`. */
export function encodeResources(resources: ResourceList): JsonObject {
  return Object.fromEntries([...resources].map(([name, amount]) => [name, formatAmount(name, amount)]));
}

/** The amounts in domain's units. Zeros stay: a machine may have none of something. */
export function readResources(field: Field): ResourceList {
  const amounts = [...readAmounts(field, 'any')];
  return new Map(
    amounts.map(([name, quantity]) => [name, name === CPU ? toMillis(quantity) : toUnits(quantity)]),
  );
}
