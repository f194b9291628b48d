/** NodeClaims for nodes that a NodePool has whatever pods want: as many launch groups as there are zones, so that the nodes are spread over these. */
import { STATIC_ANNOTATION } from '../../domain/nodes/node-claim.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
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
import { tellCreated } from '../provisioning/tell-created.js';

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
    const created = await options.writer.createClaim(draft.claim, signal);
    const why = `, which is to have ${wanted(offer.pool)}`;
    tellCreated(options, created, draft.planned, { why, trigger: 'static-pools' });
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

function wanted({ replicas, minimumNodes }: NodePool): string {
  return replicas === undefined ? `at least ${String(minimumNodes)} nodes` : `${String(replicas)} nodes`;
}
