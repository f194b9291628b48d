/** The order in which a pod's reasons are told: a pool that was never meant for it says least. */
import type { PoolReason } from './plan.js';
import type { ReasonCode } from './reason.js';

/** The pod and the pool do not name each other, or the pool launches for nobody. */
const NOT_MEANT: ReadonlySet<ReasonCode> = new Set([
  'IncompatibleLabel',
  'UntoleratedTaint',
  'StaticPool',
  'NodeClassNotFound',
]);

/** Reasons of pools that could have taken the pod first; otherwise in their order. */
export function nearestFirst(reasons: readonly PoolReason[]): readonly PoolReason[] {
  const isMeant = ({ reason }: PoolReason): boolean => !NOT_MEANT.has(reason.code);
  return [...reasons.filter(isMeant), ...reasons.filter((reason) => !isMeant(reason))];
}
