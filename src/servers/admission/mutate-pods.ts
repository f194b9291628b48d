/** /mutate-pods: PodDefaults are stamped on a pod that is being created. */
import { LEADER_LEASE, SCHEDULER_LEASE, type Lease } from '../../domain/records/lease.js';
import { stampPod, type Stamping } from '../../planning/placement/stamp-pod.js';
import type { Clock } from '../../ports/clock.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { AdmissionAnswer, AdmissionRequest } from './admission-review.js';
import type { PoliciesInForce } from './policies-in-force.js';

export interface MutatePodsOptions {
  readonly cluster: Pick<Cluster, 'namespaces' | 'leases' | 'demandTerms'>;
  readonly policies: PoliciesInForce;
  readonly clock: Clock;
  /** Berth's own namespace. */
  readonly namespace: string;
}

/** Always allowed; with a patch where something is stamped. */
export function mutatePods(request: AdmissionRequest, options: MutatePodsOptions): AdmissionAnswer {
  const { cluster, policies, clock, namespace } = options;
  if (request.operation !== 'CREATE' || request.resource !== '/v1/pods') return { outcome: 'exempt' };
  if (!policies.isKnown) return { outcome: 'not-synced' };
  const stamping = stampPod({
    pod: request.object,
    namespace: request.namespace,
    namespaceLabels: cluster.namespaces.get(request.namespace)?.labels,
    podDefaults: policies.podDefaults,
    isLed: wasHeld(cluster.leases.get(LEADER_LEASE), clock.now()),
    schedulerRuns: isHeld(cluster.leases.get(SCHEDULER_LEASE), clock.now()),
    ownNamespace: namespace,
    demandTerms: cluster.demandTerms,
  });
  return { outcome: outcomeOf(stamping), patch: stamping.patch, warnings: stamping.warnings };
}

function outcomeOf({ exempt, patch, warnings }: Stamping): string {
  if (exempt !== undefined) return 'exempt';
  if (patch.length > 0) return 'stamped';
  return warnings.length > 0 ? 'warned' : 'unchanged';
}

/** Whether the lease has a holder that renewed it in time. */
function isHeld(lease: Lease | undefined, now: number): boolean {
  return lease !== undefined && lease.holder !== '' && now - lease.renewedAt <= lease.durationSeconds * 1000;
}

/**
 * Whether a replica held the lease a moment ago. From one leader to the next it runs out, or was given back: pods that are created
 * in these seconds are planned by the next. As long as the extender goes by the plans of a leader that is gone.
 */
function wasHeld(lease: Lease | undefined, now: number): boolean {
  return lease !== undefined && now - lease.renewedAt <= 2 * lease.durationSeconds * 1000;
}
