/** Claims for nodes that a NodePool has whatever pods want: they are launched for no pod in particular. */
import { NO_NODE_AFFINITY, NO_POD_AFFINITY } from '../../domain/pods/affinity.js';
import type { Pod } from '../../domain/pods/pod.js';
import { CAPACITY_RESERVATION_ID } from '../../domain/values/labels.js';
import { NO_RESOURCES, PODS, type ResourceList } from '../../domain/values/resources.js';
import { plan } from '../engine/plan.js';
import type { PlanOptions } from '../plan-options.js';
import type { PlannedClaim, PoolReason } from '../plan.js';
import { buildSnapshot } from '../snapshot/build-snapshot.js';
import { offersAfter, type ClusterInput, type PoolOffer } from '../snapshot/cluster-input.js';

export interface ReplicaQuestion {
  readonly offer: PoolOffer;
  /** How many claims. */
  readonly count: number;
  /** What the pool's nodes have by now, where its limits hold for each of the claims; where it is left out, none do. */
  readonly used?: ResourceList | undefined;
  readonly daemonSets: ClusterInput['daemonSets'];
  readonly namespaces: ClusterInput['namespaces'];
}

export interface ReplicaClaims {
  /** As many as there are offerings for, named `<pool>-<n>`. Those of one offering are equal. */
  readonly claims: readonly PlannedClaim[];
  /** Why there are not more; empty when there are enough. */
  readonly reasons: readonly PoolReason[];
}

/**
 * The claims that a pod which asks for nothing would get: the cheapest types of the pool that hold its DaemonSets. Whether limits.nodes
 * allows so many is the caller's to know.
 */
export function replicaClaims(question: ReplicaQuestion, options: PlanOptions): ReplicaClaims {
  const { count, daemonSets, namespaces, offer, used } = question;
  const limits = used === undefined ? NO_RESOURCES : offer.pool.limits;
  const pool = { ...offer.pool, replicas: undefined, limits };
  const claims: PlannedClaim[] = [];
  let pools: readonly PoolOffer[] = [{ ...offer, pool, inFlight: used }];
  while (claims.length < count) {
    const made = plan(buildSnapshot({ ...NOTHING_ELSE, daemonSets, namespaces, pools }), options);
    const [claim] = made.claims;
    if (claim === undefined) return { claims, reasons: made.unschedulable.flatMap(({ reasons }) => reasons) };
    // Only what a capacity reservation has left becomes less with each claim.
    const equal = claim.chosenLabels.has(CAPACITY_RESERVATION_ID) ? 1 : count - claims.length;
    for (let index = 0; index < equal; index++)
      claims.push({ ...claim, name: `${pool.name}-${String(claims.length + 1)}`, pods: [] });
    pools = offersAfter(pools, [claim]);
  }
  return { claims, reasons: [] };
}

const ASKS_FOR_NOTHING: Pod = {
  namespace: '',
  name: 'replica',
  uid: 'replica',
  spec: {
    namespace: '',
    labels: new Map(),
    requests: new Map([[PODS, 1]]),
    nodeSelector: new Map(),
    nodeAffinity: NO_NODE_AFFINITY,
    podAffinity: NO_POD_AFFINITY,
    podAntiAffinity: NO_POD_AFFINITY,
    tolerations: [{ key: '', operator: 'Exists', value: '', effect: undefined }],
    spread: [],
    hostPorts: [],
    volumes: [],
    priority: 0,
    schedulerName: '',
    requiredFeatures: [],
    resourceClaims: [],
  },
  owner: undefined,
  nodeName: undefined,
  phase: 'Pending',
  schedulingGated: false,
  awaitsPlace: false,
  pinnedTo: undefined,
  mirror: false,
  terminating: false,
  annotations: new Map(),
};

const NOTHING_ELSE: Omit<ClusterInput, 'daemonSets' | 'namespaces' | 'pools'> = {
  pods: [ASKS_FOR_NOTHING],
  nodes: [],
  persistentVolumeClaims: [],
  persistentVolumes: [],
  storageClasses: [],
};
