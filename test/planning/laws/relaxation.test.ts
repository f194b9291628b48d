/**
 * Asking for less never leaves more pods out. Planning is greedy, so where something is scarce (limits, room on existing
 * nodes, domains that repel) a pod that lost a constraint may take the place of another. Where nothing is scarce and
 * pods do not look at each other, each is placed exactly when it would be alone, and the law holds without exception.
 */
import fc from 'fast-check';
import { NO_NODE_AFFINITY, NO_POD_AFFINITY } from '../../../src/domain/pods/affinity.js';
import type { NodePool } from '../../../src/domain/policies/node-pool.js';
import { podKey, type PodSpec } from '../../../src/domain/pods/pod.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { tolerateKey } from '../../support/builders/constraints.js';
import { arbitraryCluster, POD_FEATURES, type PodFeature } from './arbitrary-cluster.js';
import { fewerRuns, planOf, RUNS } from './plan-of.js';

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

function without(...features: readonly PodFeature[]): readonly PodFeature[] {
  return POD_FEATURES.filter((feature) => !features.includes(feature));
}

/** What ties no pod's place to that of another. */
const ALONE = without('spread', 'podAffinity', 'podAntiAffinity');

const RELAXATIONS: readonly (readonly [string, Change])[] = [
  [
    'node selectors and affinity',
    ofPods(() => ({ nodeSelector: new Map(), nodeAffinity: NO_NODE_AFFINITY })),
  ],
  ['host ports', ofPods(() => ({ hostPorts: [] }))],
  ['volumes', ofPods(() => ({ volumes: [] }))],
  ['DaemonSets', (input) => ({ ...input, daemonSets: [] })],
  ['taints that repel', ofPods(() => ({ tolerations: [tolerateKey()] }))],
];

function placed(input: ClusterInput): readonly string[] {
  return planOf(input).placements.map(({ pod }) => pod);
}

describe('plan', () => {
  test('places a pod exactly when it would be placed alone, where nothing is scarce and pods do not look at each other', () => {
    fc.assert(
      fc.property(
        arbitraryCluster(ALONE.filter((feature) => feature !== 'volume')).map(withoutScarcity),
        (input) => {
          const alone = input.pods.filter((pod) => placed({ ...input, pods: [pod] }).length === 1);
          expect(placed(input)).toEqual(alone.map(podKey).sort());
        },
      ),
      fewerRuns(2),
    );
  });

  test.each(RELAXATIONS)('without %s leaves no more pods out there', (_name, relax) => {
    fc.assert(
      fc.property(arbitraryCluster(ALONE).map(withoutScarcity), (input) => {
        expect(placed(relax(input)).length).toBeGreaterThanOrEqual(placed(input).length);
      }),
      fewerRuns(2),
    );
  });

  test('without spread, affinity and anti-affinity between pods leaves no more pods out, where nothing is scarce', () => {
    const relax = ofPods(() => ({
      spread: [],
      podAffinity: NO_POD_AFFINITY,
      podAntiAffinity: NO_POD_AFFINITY,
    }));
    fc.assert(
      fc.property(arbitraryCluster().map(withoutScarcity), (input) => {
        expect(placed(relax(input)).length).toBeGreaterThanOrEqual(placed(input).length);
      }),
      RUNS,
    );
  });

  test('without limits leaves no more pods out, where pods do not look at each other', () => {
    fc.assert(
      fc.property(arbitraryCluster(ALONE), (input) => {
        expect(placed(withoutLimits(input)).length).toBeGreaterThanOrEqual(placed(input).length);
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
