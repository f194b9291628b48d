/** Lists of resource quantities, exact until they are summed: Kubernetes rounds a pod's total, not its parts. */
import { isLabelKey } from '../../../domain/values/labels.js';
import {
  parseQuantity,
  QuantityError,
  toMillis,
  toUnits,
  type Quantity,
} from '../../../domain/values/quantity.js';
import { CPU, EPHEMERAL_STORAGE, MEMORY, type ResourceList } from '../../../domain/values/resources.js';
import { nearest } from '../../decode/nearest.js';
import { describeValue } from '../../documents/part.js';
import { members, refuse, type Field } from './field.js';

/** Resource name → exact quantity. */
export type Amounts = ReadonlyMap<string, Quantity>;

export const NO_AMOUNTS: Amounts = new Map();

/** Which names a list may hold: those of containers, of pods (spec.resources), or any (nodes, overhead). */
export type ResourceScope = 'container' | 'pod' | 'any';

/** Reads a list; names and amounts that the API server would refuse are reported and left out. */
export function readAmounts(field: Field, scope: ResourceScope): Amounts {
  if (field.value === undefined) return NO_AMOUNTS;
  const amounts = new Map<string, Quantity>();
  for (const entry of members(field)) {
    const amount = isKnownResource(entry, scope) ? readQuantity(entry) : undefined;
    if (amount !== undefined) amounts.set(String(entry.key), amount);
  }
  return amounts;
}

function readQuantity(field: Field): Quantity | undefined {
  const { value } = field;
  if (typeof value !== 'string' && typeof value !== 'number') {
    refuse(field, `${NOT_A_QUANTITY}, not ${describeValue(value ?? null)}`);
    return undefined;
  }
  try {
    const quantity = parseQuantity(String(value));
    if (quantity >= 0n) return quantity;
    refuse(field, `must not be negative, not ${describeValue(value)}`);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    refuse(field, `${NOT_A_QUANTITY}, not ${describeValue(value)}`);
  }
  return undefined;
}

const NOT_A_QUANTITY = 'must be a quantity such as 500m, 2 or 10Gi';

const STANDARD = [CPU, MEMORY, EPHEMERAL_STORAGE, 'hugepages-2Mi', 'hugepages-1Gi'];
/** IsSupportedPodLevelResource of component-helpers; hugepages of every size besides. */
const POD_LEVEL = [CPU, MEMORY, 'hugepages-2Mi', 'hugepages-1Gi'];

function isKnownResource(field: Field, scope: ResourceScope): boolean {
  const name = String(field.key);
  if (scope === 'any' || isHugePages(name)) return true;
  const allowed = scope === 'pod' ? POD_LEVEL : STANDARD;
  if (allowed.includes(name) || (scope === 'container' && name.includes('/') && isLabelKey(name)))
    return true;
  const extended = scope === 'container' ? ', nor an extended resource such as nvidia.com/gpu' : '';
  const guess = nearest(name, allowed);
  refuse(field, `is not one of ${allowed.join(', ')}${extended}`, { allowed, guess, at: 'key' });
  return false;
}

/** Whether pages of this kind are asked for: never overcommitted, so requests follow limits. */
export function isHugePages(resource: string): boolean {
  return resource.startsWith('hugepages-');
}

/** `left + right` per resource. */
export function addAmounts(left: Amounts, right: Amounts): Amounts {
  return merge(left, right, (a, b) => a + b);
}

/** The larger per resource. */
export function maxAmounts(left: Amounts, right: Amounts): Amounts {
  return merge(left, right, (a, b) => (a > b ? a : b));
}

/** What is in `over` where it has the resource, else what is in `under`. */
export function overrideAmounts(under: Amounts, over: Amounts): Amounts {
  return merge(under, over, (_, b) => b);
}

function merge(left: Amounts, right: Amounts, both: (a: Quantity, b: Quantity) => Quantity): Amounts {
  if (right.size === 0) return left;
  if (left.size === 0) return right;
  const result = new Map(left);
  for (const [name, amount] of right) {
    const other = result.get(name);
    result.set(name, other === undefined ? amount : both(other, amount));
  }
  return result;
}

/** In the units of domain's ResourceList, rounded up; zeros left out. */
export function roundAmounts(amounts: Amounts): ResourceList {
  const result = new Map<string, number>();
  for (const [name, quantity] of amounts) {
    if (quantity !== 0n) result.set(name, name === CPU ? toMillis(quantity) : toUnits(quantity));
  }
  return result;
}
