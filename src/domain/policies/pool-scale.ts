/** How many nodes a static NodePool is to have: what its policy says, or what its PolicyStatus was scaled to since. */
import type { NodePool } from './node-pool.js';

/**
 * Of the PolicyStatus of a static NodePool. A user changes `replicas` (kubectl scale); it holds while `policyReplicas` is still
 * what the policy says, so that whichever of the two was changed last wins.
 */
export interface PoolScale {
  readonly replicas: number;
  /** spec.replicas of the policy that was in force when `replicas` was set. */
  readonly policyReplicas: number;
}

/** What the PolicyStatus is to say of a pool in force, given what it says; undefined for a dynamic pool. */
export function poolScale({ replicas }: NodePool, known: PoolScale | undefined): PoolScale | undefined {
  if (replicas === undefined) return undefined;
  return known?.policyReplicas === replicas ? known : { replicas, policyReplicas: replicas };
}

/** The pool with the number of nodes that it is to have; the same object where that is its policy's. */
export function scaledPool(pool: NodePool, known: PoolScale | undefined): NodePool {
  const replicas = poolScale(pool, known)?.replicas;
  return replicas === pool.replicas ? pool : { ...pool, replicas };
}
