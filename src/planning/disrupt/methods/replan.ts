/** What comes in the place of a node that is replaced: a plan for its pods, and for a static pool another node of the pool. */
import { NODEPOOL, ZONE } from '../../../domain/values/labels.js';
import { nearestFirst } from '../../explain/nearest-first.js';
import type { PlannedClaim, Plan } from '../../plan.js';
import { replicaClaims } from '../../replicas/replica-claims.js';
import type { Draft } from '../draft.js';
import { offersWithRoom, type PoolOffer } from '../../snapshot/cluster-input.js';
import type { RuleRefusal } from '../question/refusal.js';
import type { Candidate } from '../sets/candidates.js';

export type Replan =
  | { readonly plan: Plan }
  | { readonly refusal: RuleRefusal }
  /** No work is left. */
  | undefined;

/**
 * The pods of the node placed, on nodes that are not `closed`, and a node of its static pool. Pods without a place are in the plan.
 * @param emptied nodes whose leaving pods are taken to have left.
 */
export function replan(
  draft: Draft,
  candidate: Candidate,
  closed: ReadonlySet<string>,
  emptied?: ReadonlySet<string>,
): Replan {
  const { candidates, simulator, view } = draft;
  const { name, node } = candidate;
  if (candidates.pool(node.nodePool)?.replicas === undefined)
    return planElsewhere(draft, candidate, closed, emptied);
  const replica = replicaFor(draft, candidate);
  if ('code' in replica) return { refusal: replica };
  const plan = simulator.plan(view.withInstead(name, closed, replica, emptied));
  return plan && { plan: withReplica(plan, replica) };
}

/** The same without another node of its static pool, which scaling makes up for. */
export function planElsewhere(
  { simulator, view }: Draft,
  { name }: Candidate,
  closed: ReadonlySet<string>,
  emptied?: ReadonlySet<string>,
): { readonly plan: Plan } | undefined {
  const plan =
    emptied === undefined
      ? simulator.planWithout(view, { removed: new Set([name]), closed })
      : simulator.plan(view.onceLeft(name, closed, emptied));
  return plan && { plan };
}

/** Whether another node of the node's static pool could be launched once the node is gone. */
export function isReplaceableOnceGone(draft: Draft, candidate: Candidate, reservationID?: string): boolean {
  const { pools } = draft.input.cluster;
  const after = reservationID === undefined ? pools : offersWithRoom(pools, reservationID);
  return replicasOf(draft, candidate, after).claims.length > 0;
}

function replicasOf(
  { input: { cluster }, options }: Draft,
  { node: { nodePool } }: Candidate,
  pools: readonly PoolOffer[],
): ReturnType<typeof replicaClaims> {
  const offer = pools.find(({ pool }) => pool.name === nodePool);
  if (offer === undefined) return { claims: [], reasons: [] };
  const { daemonSets, namespaces } = cluster;
  return replicaClaims({ offer, count: 1, daemonSets, namespaces }, options.plan);
}

/** A claim of the node's static pool, in the zone of the node where that can be, so that nodes stay spread over zones. */
function replicaFor(draft: Draft, candidate: Candidate): PlannedClaim | RuleRefusal {
  const { name, node } = candidate;
  const { nodePool } = node;
  const { cluster, nodes } = draft.input;
  const offer = cluster.pools.find(({ pool }) => pool.name === nodePool);
  const replicas = offer?.pool.replicas ?? 0;
  const staying = nodes.filter((each) => each.nodePool === nodePool && !each.leaving).length;
  if (staying > replicas) return { code: 'SurplusNodes', nodePool, replicas };
  const limit = offer?.pool.limits.get('nodes');
  const inPool = cluster.nodes.filter(({ labels }) => labels.get(NODEPOOL) === nodePool).length;
  const planned = draft.commands.flatMap(({ claims }) =>
    claims.filter((claim) => claim.nodePool === nodePool),
  );
  if (limit !== undefined && inPool + planned.length >= limit)
    return { code: 'StaticPoolFull', nodePool, limit };
  const { claims, reasons } = replicasOf(draft, candidate, cluster.pools);
  const [claim] = claims;
  if (claim === undefined) return { code: 'NoReplica', nodePool, why: nearestFirst(reasons)[0]?.reason };
  const zone = cluster.nodes.find((each) => each.name === name)?.labels.get(ZONE);
  const zones = zone !== undefined && claim.zones.includes(zone) ? [zone] : claim.zones;
  // No node is named so: names of nodes have no blanks.
  return { ...claim, zones, name: `instead of ${name}` };
}

/** The plan in which the replica was a node, as one that launches it. */
function withReplica(plan: Plan, replica: PlannedClaim): Plan {
  const placements = plan.placements.map((placement) =>
    placement.target.name === replica.name
      ? { ...placement, target: { kind: 'NodeClaim' as const, name: replica.name } }
      : placement,
  );
  const pods = placements.flatMap(({ pod, target }) => (target.name === replica.name ? [pod] : []));
  return { ...plan, placements, claims: [{ ...replica, pods }, ...plan.claims] };
}
