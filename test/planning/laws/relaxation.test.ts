/**
 * Asking for less never leaves more pods out. Planning is greedy, so where room is scarce (limits, existing nodes) a
 * pod that lost a constraint may take the room of two others: there the law holds for limits alone. Where nothing is
 * scarce it holds for every kind of constraint.
 */
import fc from 'fast-check';
import { NO_NODE_AFFINITY, NO_POD_AFFINITY } from '../../../src/domain/affinity.js';
import type { NodePool } from '../../../src/domain/node-pool.js';
import type { PodSpec } from '../../../src/domain/pod.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { arbitraryCluster } from './arbitrary-cluster.js';
import { planOf, RUNS } from './plan-of.js';

type Change = (input: ClusterInput) => ClusterInput;

/** The cluster with the specs of pending pods changed. */
function ofPods(change: (spec: PodSpec) => Partial<PodSpec>): Change {
  return (input) => ({
    ...input,
    pods: input.pods.map((pod) =>
      pod.nodeName === undefined ? { ...pod, spec: { ...pod.spec, ...change(pod.spec) } } : pod,
    ),
  });
}

function ofPools(change: (pool: NodePool) => Partial<NodePool>): Change {
  return (input) => ({
    ...input,
    pools: input.pools.map((offer) => ({ ...offer, pool: { ...offer.pool, ...change(offer.pool) } })),
  });
}

const withoutLimits = ofPools(() => ({ limits: new Map() }));

/** Only what can be launched, as much of it as is wanted. */
function withoutScarcity(input: ClusterInput): ClusterInput {
  const pods = input.pods.filter(({ nodeName }) => nodeName === undefined);
  return withoutLimits({ ...input, nodes: [], pods });
}

const RELAXATIONS: readonly (readonly [string, Change])[] = [
  ['spread', ofPods(() => ({ spread: [] }))],
  ['pod affinity', ofPods(() => ({ podAffinity: NO_POD_AFFINITY }))],
  ['pod anti-affinity', ofPods(() => ({ podAntiAffinity: NO_POD_AFFINITY }))],
  [
    'node selectors and affinity',
    ofPods(() => ({ nodeSelector: new Map(), nodeAffinity: NO_NODE_AFFINITY })),
  ],
  ['host ports', ofPods(() => ({ hostPorts: [] }))],
  ['volumes', ofPods(() => ({ volumes: [] }))],
  ['taints', ofPools(({ template }) => ({ template: { ...template, taints: [] } }))],
  ['pool requirements', ofPools(({ template }) => ({ template: { ...template, requirements: [] } }))],
  ['DaemonSets', (input) => ({ ...input, daemonSets: [] })],
];

function placed(input: ClusterInput): number {
  return planOf(input).placements.length;
}

describe('plan', () => {
  test.each(RELAXATIONS)('without %s leaves no more pods out, where nothing is scarce', (_name, relax) => {
    fc.assert(
      fc.property(arbitraryCluster().map(withoutScarcity), (input) => {
        expect(placed(relax(input))).toBeGreaterThanOrEqual(placed(input));
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 2 },
    );
  });

  test('without limits leaves no more pods out, even where room is scarce', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        expect(placed(withoutLimits(input))).toBeGreaterThanOrEqual(placed(input));
      }),
      RUNS,
    );
  });

  test('costs no less than its lower bound', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const { cost } = planOf(input);
        expect(cost.lowerBound ?? 0).toBeLessThanOrEqual(cost.hourly);
        expect(cost.lowerBound ?? 0).toBeGreaterThanOrEqual(0);
      }),
      RUNS,
    );
  });
});
