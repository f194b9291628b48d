/**
 * The taint of a new node until the pods are bound that it was launched for: no scheduler binds others to it, whether or not it
 * asks Berth. Its planned pods get a toleration for this one node.
 */
import type { NodeClaim } from './node-claim.js';
import type { Taint } from '../values/taint.js';

export const HELD_TAINT_KEY = 'berth.sh/held';

/** Its value is the claim's uid: names can be longer than a value may be. */
export function heldTaint({ uid }: Pick<NodeClaim, 'uid'>): Taint {
  return { key: HELD_TAINT_KEY, value: uid, effect: 'NoSchedule' };
}

export function isHeldTaint({ key }: Taint): boolean {
  return key === HELD_TAINT_KEY;
}
