/** Random small clusters with nodes that may be disrupted, and with everything that can stand in the way. */
import fc from 'fast-check';
import type { DisruptionBudget } from '../../../src/domain/policies/budget.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE } from '../../../src/domain/values/labels.js';
import type { Node } from '../../../src/domain/nodes/node.js';
import { CONSOLIDATION_POLICIES } from '../../../src/domain/policies/node-pool.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { PodDisruptionBudget } from '../../../src/domain/pods/pod-disruption-budget.js';
import type { DisruptionInput, ManagedNode } from '../../../src/planning/disrupt/question/disruption.js';
import type { ClusterInput, PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { selecting } from '../../support/builders/constraints.js';
import {
  disruptionTerms,
  HOUR,
  managedNode,
  NOW,
  podDisruptionBudget,
  withClaimCondition,
} from '../../support/builders/disruption-input.js';
import { smallCatalogue } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { arbitraryCluster } from '../laws/arbitrary-cluster.js';

const PRICES: ReadonlyMap<string, number> = new Map(
  smallCatalogue().flatMap(({ name, offerings }) =>
    offerings.map(({ zone, capacityType, price }) => [`${name} ${zone} ${capacityType}`, price] as const),
  ),
);

const budget: fc.Arbitrary<DisruptionBudget> = fc
  .record({
    nodes: fc.oneof(
      fc.constantFrom(100, 100, 50, 20).map((percent) => ({ percent })),
      fc.constantFrom(0, 1, 2).map((count) => ({ count })),
    ),
    reasons: fc.constantFrom(
      undefined,
      undefined,
      ['Empty' as const],
      ['Drifted' as const, 'Underutilized' as const],
    ),
  })
  .map((given) => ({ ...given, window: undefined }));

const terms = fc
  .record({
    consolidationPolicy: fc.constantFrom(...CONSOLIDATION_POLICIES, 'WhenEmptyOrUnderutilized' as const),
    consolidateAfterSeconds: fc.constantFrom(0, 0, 0, 60, undefined),
    budgets: fc.array(budget, { maxLength: 2 }),
    expiration: fc.constantFrom('Forceful' as const, 'Budgeted' as const),
  })
  .map(disruptionTerms);

const managed: fc.Arbitrary<Partial<ManagedNode>> = fc.record({
  initialized: often(true, false),
  ready: often(true, false),
  leaving: often(false, true),
  quietSince: often(NOW - HOUR, NOW - 1000),
  doNotDisrupt: often(undefined, 'true'),
  expiresAt: often(NOW + HOUR, NOW - HOUR),
  terminationGracePeriodSeconds: often(undefined, 600),
  conditions: often<ManagedNode['conditions']>(
    [],
    withClaimCondition('Drifted').conditions,
    withClaimCondition('Interrupted').conditions,
  ),
  awaitedPods: often<readonly string[]>([], ['default/late']),
});

function often<T>(usual: T, ...rare: readonly T[]): fc.Arbitrary<T> {
  const others = rare.map((each) => ({ weight: 1, arbitrary: fc.constant(each) }));
  return fc.oneof({ weight: 14, arbitrary: fc.constant(usual) }, ...others);
}

const pdb: fc.Arbitrary<PodDisruptionBudget> = fc
  .record({
    app: fc.constantFrom('a', 'b', 'c'),
    minAvailable: fc.constantFrom(0, 1, 2),
    namespace: fc.constantFrom('default', 'team'),
  })
  .map(({ app, minAvailable, namespace }) =>
    podDisruptionBudget({
      namespace,
      name: `${app}-${String(minAvailable)}`,
      selector: selecting({ app }),
      minAvailable: { unit: 'pods', amount: minAvailable },
    }),
  );

/** What an annotation or the kubelet adds to a pod. */
const health = fc.record({
  ready: often(true, false),
  annotations: often(new Map<string, string>(), new Map([['karpenter.sh/do-not-disrupt', 'true']])),
});

/** The pool of all nodes; it asks for nothing. */
export const POOL = 'plain';

/** Clusters of up to four nodes, all of one pool, with some of everything on them. */
export function arbitraryDisruption(): fc.Arbitrary<DisruptionInput> {
  return fc
    .record({
      cluster: arbitraryCluster(),
      states: fc.array(managed, { minLength: 4, maxLength: 4 }),
      health: fc.array(health, { minLength: 12, maxLength: 12 }),
      terms,
      budgets: fc.array(pdb, { maxLength: 2 }),
    })
    .map(({ cluster, states, health: healths, terms: given, budgets }) => {
      const nodes = cluster.nodes.map(ofPool);
      const pods = cluster.pods.map((pod, index): ObservedPod => ({
        ...observedPod(),
        ...pod,
        ...healths[index % healths.length],
      }));
      const pools = [...cluster.pools, poolOffer({ name: POOL })].map((offer): PoolOffer => ({
        ...offer,
        pool: { ...offer.pool, disruption: given },
      }));
      const input: ClusterInput = { ...cluster, nodes, pods, pools };
      return {
        cluster: input,
        nodes: nodes.map((node, index) =>
          managedNode({ name: node.name, nodePool: POOL, hourlyPrice: priceOf(node), ...states[index] }),
        ),
        pods,
        podDisruptionBudgets: budgets,
        workloads: [],
        frozenPools: new Set<string>(),
        now: NOW,
        cursor: '',
        resting: new Set<string>(),
      };
    });
}

function ofPool(node: Node): Node {
  return { ...node, labels: new Map([...node.labels, [NODEPOOL, POOL]]) };
}

function priceOf({ labels }: Node): number {
  return PRICES.get([INSTANCE_TYPE, ZONE, CAPACITY_TYPE].map((key) => labels.get(key) ?? '').join(' ')) ?? 0;
}
