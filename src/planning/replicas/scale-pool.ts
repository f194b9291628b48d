/**
 * NodePools with a number of nodes: how many are to be launched, and, of a static one (spec.replicas), which are to be removed, so that
 * there are as many. A minimum (berth.minimumNodes) removes none.
 */

/** How far a node of the pool is, the first to be removed first. */
export const REPLICA_STAGES = ['Requested', 'Launched', 'Empty', 'InUse'] as const;
export type ReplicaStage = (typeof REPLICA_STAGES)[number];

/** A NodeClaim of a static pool, with its node where there is one. */
export interface Replica {
  /** Of the claim. */
  readonly name: string;
  /** `Staying`; `Replaced` while it is decided that it goes, and its replacement may not be there yet; `Going` once it is being deleted. */
  readonly fate: 'Staying' | 'Replaced' | 'Going';
  readonly stage: ReplicaStage;
  /** It, or a pod on it, is annotated karpenter.sh/do-not-disrupt. */
  readonly isProtected: boolean;
  /** It has to be replaced anyhow. */
  readonly hasDrifted: boolean;
  /** What its evictions weigh: one for each ordinary pod. */
  readonly evictions: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export interface ScaleDecision {
  readonly launch: number;
  /** Nodes that are missing and never launched, since limits.nodes is too low: not those that wait for others to be gone. */
  readonly withheld: number;
  /** Names, the first to go first. */
  readonly remove: readonly string[];
}

/** What makes a dynamic pool have its minimum; `limit` as below. */
export function fillPool(
  minimum: number,
  nodes: readonly Replica[],
  limit: number | undefined,
): ScaleDecision {
  return { ...scalePool(minimum, nodes, limit), remove: [] };
}

/**
 * What makes the pool have its replicas. Nodes that go still count against `limit`, that of limits.nodes; a node that is being replaced
 * counts as there, since its replacement is launched by what replaces it.
 */
export function scalePool(
  replicas: number,
  nodes: readonly Replica[],
  limit: number | undefined,
): ScaleDecision {
  const staying = nodes.filter(({ fate }) => fate === 'Staying');
  const replaced = nodes.filter(({ fate }) => fate === 'Replaced');
  const missing = Math.max(0, replicas - staying.length - replaced.length);
  const launch = Math.min(missing, Math.max(0, (limit ?? Infinity) - nodes.length));
  const surplus = Math.max(0, staying.length - replicas);
  const remove = [...staying].sort(leastLossFirst).slice(0, surplus);
  const most = Math.max(0, (limit ?? Infinity) - staying.length - replaced.length);
  return { launch, withheld: Math.max(0, missing - most), remove: remove.map(({ name }) => name) };
}

/** Protected nodes last; then the least that is lost, what would be replaced anyhow, and the youngest first. */
function leastLossFirst(left: Replica, right: Replica): number {
  return (
    Number(left.isProtected) - Number(right.isProtected) ||
    REPLICA_STAGES.indexOf(left.stage) - REPLICA_STAGES.indexOf(right.stage) ||
    Number(right.hasDrifted) - Number(left.hasDrifted) ||
    left.evictions - right.evictions ||
    right.createdAt - left.createdAt ||
    (left.name < right.name ? -1 : 1)
  );
}
