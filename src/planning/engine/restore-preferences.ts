/** A packing made without preferences, as one of the pods with them: each keeps what its place has of what it prefers. */
import { finish, type Candidate } from '../finish/candidate.js';
import { packingOrder } from '../pack/packing-order.js';
import { Packer } from '../pack/pack.js';
import { Packing } from '../rules/packing.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';

/** A pod that is to be put where it was. */
interface Moved {
  readonly pods: PodClass;
  /** Index of its target in the packing that it comes from. */
  readonly from: number;
}

/** Orders that are tried: a pod that found no place comes before all others in the next. */
const MOST_ORDERS = 4;

/**
 * `plain`: of the same snapshot with preferences ignored, which has the same classes. Pods that the rules refuse there in
 * every order that is tried are packed again.
 */
export function restorePreferences(problem: Problem, plain: Candidate): Candidate {
  let order = plain.packing.targets.flatMap(({ content, target }) =>
    [...content].flatMap(([index, n]): Moved[] => {
      const pods = problem.classes[index];
      return pods === undefined ? [] : Array.from({ length: n }, () => ({ pods, from: target }));
    }),
  );
  let { packing, refused } = putInOrder(problem, plain.packing, order);
  for (let tried = 1; refused.length > 0 && tried < MOST_ORDERS; tried++) {
    const first = new Set(refused);
    order = [...refused, ...order.filter((each) => !first.has(each))];
    ({ packing, refused } = putInOrder(problem, plain.packing, order));
  }
  packing.dropEmpty();
  if (refused.length > 0) new Packer(packing, { ...packingOrder(problem, true), takesOpenFirst: true }).run();
  return finish(packing, plain.lowerBound);
}

interface Restored {
  readonly packing: Packing;
  readonly refused: readonly Moved[];
}

/** Puts each pod where it was, in this order as far as the rules allow: some may only come once others are there. */
function putInOrder(problem: Problem, { targets }: Packing, order: readonly Moved[]): Restored {
  const packing = new Packing(problem, { isCourteous: false, keepsBundles: false });
  const madeFor = targets.map(({ column, content, target }) => {
    if (column < 0) return packing.targets[target];
    return content.size === 0 ? undefined : packing.open(column);
  });
  const isPut = ({ pods, from }: Moved): boolean => {
    const target = madeFor[from];
    if (target === undefined) return false;
    const strictest = pods.asks.find((ask) => packing.mayPut(pods, ask, target));
    if (strictest !== undefined) packing.put(pods, strictest, target, 1);
    return strictest !== undefined;
  };
  let refused = order;
  for (let before = Infinity; refused.length < before;) {
    before = refused.length;
    refused = refused.filter((each) => !isPut(each));
  }
  return { packing, refused };
}
