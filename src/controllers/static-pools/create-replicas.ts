/** NodeClaims for nodes that a NodePool has whatever pods want: as many launch groups as there are zones, so that the nodes are spread over these. */
import { STATIC_ANNOTATION, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { OwnDecisionReason } from '../../domain/records/decision-reasons.js';
import type { PlannedClaim } from '../../planning/plan.js';
import type { PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import { inParallel } from '../../runtime/concurrency/in-parallel.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { acceptedNodeClass } from '../../state/policies/accepted-node-class.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { ClusterWriter } from '../cluster-writer.js';
import { hashAnnotations } from '../fingerprint/template-hash.js';
import { draftClaims, type ClaimDraft } from '../provisioning/draft-claims.js';

export interface CreateReplicasOptions {
  readonly cluster: Cluster;
  readonly writer: ClusterWriter;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly recorder: Recorder;
}

/** @throws PortError, when one of them could not be written; what is there by then stays. */
export async function createReplicas(
  options: CreateReplicasOptions,
  offer: PoolOffer,
  planned: readonly PlannedClaim[],
  signal: AbortSignal,
): Promise<void> {
  const drafts = draftsOf(options, offer, planned);
  const create = async (draft: ClaimDraft): Promise<void> => {
    tell(options, await options.writer.createClaim(draft.claim, signal), draft);
  };
  await inParallel(drafts, create, { signal });
}

function draftsOf(
  { cluster, random }: CreateReplicasOptions,
  { pool, instanceTypes: types = [] }: PoolOffer,
  planned: readonly PlannedClaim[],
): readonly ClaimDraft[] {
  const source = acceptedNodeClass(cluster, pool.template.nodeClassRef);
  const annotations = new Map([...hashAnnotations(pool, source), [STATIC_ANNOTATION, 'true'] as const]);
  const zones = Math.max(1, ...planned.map((claim) => claim.zones.length));
  const names = new Set<string>();
  return Array.from({ length: zones }, (_, zone) => {
    const wanted = planned
      .filter((_claim, index) => index % zones === zone)
      .map((claim) => ({ planned: claim, pool, types, pods: [], annotations }));
    const isTaken = (name: string): boolean => names.has(name) || cluster.nodeClaims.get(name) !== undefined;
    const drafts = draftClaims(wanted, random, isTaken);
    for (const { claim } of drafts) names.add(claim.name);
    return drafts;
  }).flat();
}

function tell(
  { metrics, recorder }: CreateReplicasOptions,
  claim: NodeClaim,
  { planned, pool }: ClaimDraft,
): void {
  metrics.nodeClaimsCreated.inc({ nodepool: pool.name, reason: 'provisioned', min_values_relaxed: 'false' });
  recorder.record({
    subject: { kind: 'NodeClaim', namespace: '', name: claim.name, uid: claim.uid },
    action: 'Place',
    reason: 'Provisioned' satisfies OwnDecisionReason,
    message: `an instance of NodePool ${pool.name}, which is to have ${wanted(pool)}`,
    trigger: 'static-pools',
    considered: planned.instanceTypes.slice(0, FEW).join(', '),
    saving: undefined,
    event: undefined,
  });
}

function wanted({ replicas, minimumNodes }: NodePool): string {
  return replicas === undefined ? `at least ${String(minimumNodes)} nodes` : `${String(replicas)} nodes`;
}

/** Types named in a message. */
const FEW = 5;
