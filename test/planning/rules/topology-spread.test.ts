/** Topology spread: how evenly pods end up over zones, hosts, capacity types and keys of the user's own. */
import { ARCH, CAPACITY_TYPE, HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import type { Plan } from '../../../src/planning/plan.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import {
  nodeTerm,
  oneOf,
  podTerm,
  requiredTerms,
  spreadOver,
  taint,
  tolerateKey,
} from '../../support/builders/constraints.js';
import { instanceType, ZONE_A, ZONE_B, ZONE_C } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas, type PodOverrides } from '../../support/builders/pod.js';
import { persistentVolume, volumeClaim } from '../../support/builders/volume.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';
import { formatViolations } from '../../support/plan-checker/violation.js';
import { planOf } from '../laws/plan-of.js';
import { claimSizes, leftOut, placeOf, planFor, podsPer, reasonFor } from '../read-plan.js';

const web = { app: 'web' };
const overZones: PodOverrides = { name: 'web', labels: web, spread: [spreadOver(ZONE, web)] };
const full = { cpu: '0', memory: '0' };

/** `count` pods of app web that run on a node already. */
function running(nodeName: string, count: number, overrides: PodOverrides = {}) {
  return replicas(count, { name: `on-${nodeName}`, labels: web, nodeName, ...overrides });
}

/** The plan, checked over the domains that kube-scheduler sees: those of nodes and claims, not all that could be launched. */
function planBesideNodes(overrides: Partial<ClusterInput>): Plan {
  const input = clusterInput(overrides);
  const plan = planOf(input);
  expect(formatViolations(checkPlan(input, plan))).toBe('');
  return plan;
}

describe('plan, by partitions of a placement group', () => {
  const PARTITION = 'karpenter.k8s.aws/placement-group-partition';
  const pools = [{ ...poolOffer(), placementGroup: { id: 'pg-1', partitions: 3 } }];
  const partitionsOf = ({ claims }: Plan) =>
    claims.map(({ chosenLabels }) => chosenLabels.get(PARTITION)).sort();

  test('spreads pods over them, each node in the one that its label names', () => {
    const plan = planFor({
      pools,
      pods: replicas(3, { ...overZones, spread: [spreadOver(PARTITION, web)] }),
    });
    expect(partitionsOf(plan)).toEqual(['1', '2', '3']);
    expect(plan.claims[0]?.chosenLabels.get('karpenter.k8s.aws/placement-group-id')).toBe('pg-1');
  });

  test('leaves the partition open where no pod counts them, and takes the one that a pod selects', () => {
    expect(partitionsOf(planFor({ pools, pods: [pod()] }))).toEqual([undefined]);
    const chosen = pod({ nodeSelector: { [PARTITION]: '2' } });
    expect(partitionsOf(planFor({ pools, pods: [chosen] }))).toEqual(['2']);
    const none = pod({ nodeSelector: { [PARTITION]: '4' } });
    expect(leftOut(planFor({ pools, pods: [none] }))).toEqual(['pod']);
  });

  test('has no node for pods that want a placement group where the pool has none', () => {
    const wanting = pod({ nodeSelector: { 'karpenter.k8s.aws/placement-group-id': 'pg-1' } });
    expect(leftOut(planFor({ pools: [poolOffer()], pods: [wanting] }))).toEqual(['pod']);
    expect(leftOut(planFor({ pools, pods: [wanting] }))).toEqual([]);
  });
});

describe('plan, by spread over zones', () => {
  test('gives each of three pods a zone of its own, though one node would hold all', () => {
    const plan = planFor({ pods: replicas(3, overZones) });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 1, [ZONE_B]: 1, [ZONE_C]: 1 });
  });

  test.each([
    [4, 1, [2, 1, 1]],
    [7, 1, [3, 2, 2]],
    [9, 1, [3, 3, 3]],
  ])('spreads %i pods under maxSkew %i as %j, one node per zone', (count, maxSkew, sizes) => {
    const plan = planFor({
      pods: replicas(count, { ...overZones, spread: [spreadOver(ZONE, web, { maxSkew })] }),
    });
    expect(claimSizes(plan)).toEqual(sizes);
    expect(Object.values(podsPer(plan, 'zones')).sort().reverse()).toEqual(sizes);
  });

  test('needs fewer nodes where the skew may be larger', () => {
    const spread = [spreadOver(ZONE, web, { maxSkew: 3 })];
    expect(claimSizes(planFor({ pods: replicas(3, { ...overZones, spread }) }))).toEqual([3]);
  });

  test('counts the pods that run already', () => {
    const nodes = [
      node({ name: 'a', zone: ZONE_A, allocatable: full }),
      node({ name: 'b', zone: ZONE_B, allocatable: full }),
    ];
    const pods = [...running('a', 2), ...running('b', 1), ...replicas(3, overZones)];
    expect(podsPer(planFor({ pods, nodes }), 'zones')).toEqual({ [ZONE_B]: 1, [ZONE_C]: 2 });
  });

  test('puts a pod on the existing node of the emptiest zone', () => {
    const nodes = [
      node({ name: 'a', zone: ZONE_A }),
      node({ name: 'b', zone: ZONE_B }),
      node({ name: 'c', zone: ZONE_C }),
    ];
    const pods = [...running('a', 1), ...running('c', 1), pod({ ...overZones, name: 'web' })];
    expect(placeOf(planFor({ pods, nodes }), 'web')).toBe('b');
  });

  test('counts pods that run and match but have no constraint of their own', () => {
    const nodes = [node({ name: 'a', zone: ZONE_A })];
    const plan = planFor({ pods: [...running('a', 1), ...replicas(2, overZones)], nodes });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_B]: 1, [ZONE_C]: 1 });
  });

  test('does not count pods that are being deleted', () => {
    const nodes = [node({ name: 'a', zone: ZONE_A })];
    const pods = [...running('a', 5, { terminating: true }), ...replicas(1, overZones)];
    expect(placeOf(planFor({ pods, nodes }), 'web-0')).toBe('a');
  });

  describe('while pods move', () => {
    const moves = (from: string, to: string) => [
      ...running(from, 1, { name: 'leaving', move: 'leaves' }),
      ...running(to, 1, { name: 'coming', move: 'comes' }),
    ];
    const next = pod({ ...overZones, name: 'web' });

    test('takes for the least of a zone what is there once all have moved', () => {
      const nodes = [ZONE_A, ZONE_B, ZONE_C].map((zone) => node({ name: zone, zone }));
      const pods = [...running(ZONE_A, 2), ...running(ZONE_B, 2), ...moves(ZONE_C, ZONE_C), next];
      expect(placeOf(planFor({ pods, nodes, pools: [] }), 'web')).toBe(ZONE_C);
    });

    test('counts a pod that moves within a zone once there', () => {
      const nodes = [
        node({ name: ZONE_A, zone: ZONE_A }),
        node({ name: ZONE_B, zone: ZONE_B, allocatable: full }),
      ];
      const pods = [...moves(ZONE_A, ZONE_A), ...running(ZONE_B, 1), next];
      expect(placeOf(planFor({ pods, nodes, pools: [] }), 'web')).toBe(ZONE_A);
    });

    test('counts one that moves to another zone in both, as long as either may have it', () => {
      const nodes = [
        node({ name: ZONE_A, zone: ZONE_A }),
        node({ name: ZONE_B, zone: ZONE_B, allocatable: full }),
      ];
      const pods = [...running(ZONE_A, 1), ...moves(ZONE_A, ZONE_B), next];
      expect(leftOut(planFor({ pods, nodes, pools: [] }))).toEqual(['web']);
    });

    test('counts one that comes beside one that leaves, if it may be the successor of another that is not counted', () => {
      const nodes = [
        node({ name: ZONE_A, zone: ZONE_A }),
        node({ name: ZONE_B, zone: ZONE_B, allocatable: full }),
        node({ name: 'uncounted', allocatable: full, taints: [taint('dedicated')] }),
      ];
      const pods = [
        ...moves(ZONE_A, ZONE_A),
        ...running('uncounted', 1, { name: 'other', move: 'leaves' }),
        ...running(ZONE_B, 1),
        pod({ ...overZones, name: 'web', spread: [spreadOver(ZONE, web, { nodeTaintsPolicy: 'Honor' })] }),
      ];
      expect(leftOut(planFor({ pods, nodes, pools: [] }))).toEqual(['web']);
    });
  });

  test('does not count pods of another namespace', () => {
    const nodes = [node({ name: 'a', zone: ZONE_A })];
    const pods = [...running('a', 5, { namespace: 'other' }), ...replicas(1, overZones)];
    expect(placeOf(planFor({ pods, nodes }), 'web-0')).toBe('a');
  });

  test('takes a zone that has nodes but no offering for a domain too', () => {
    const nodes = [node({ name: 'd', zone: 'us-east-1d', allocatable: full })];
    const plan = planFor({ pods: replicas(4, overZones), nodes });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 1, [ZONE_B]: 1, [ZONE_C]: 1 });
    expect(leftOut(plan)).toEqual(['web-3']);
    expect(reasonFor(plan, 'web-3')).toMatchObject({ code: 'TopologySpread', key: ZONE, maxSkew: 1 });
  });

  test('counts the zone of a cordoned node', () => {
    const nodes = [node({ name: 'd', zone: 'us-east-1d', unschedulable: true })];
    expect(leftOut(planFor({ pods: replicas(4, overZones), nodes }))).toEqual(['web-3']);
  });

  test('counts zones to which the volume of the pod keeps it from going', () => {
    const nodes = [node({ name: 'a', zone: ZONE_A }), node({ name: 'b', zone: ZONE_B, allocatable: full })];
    const plan = planFor({
      pods: [...running('a', 1), pod({ ...overZones, volumes: ['data'] })],
      nodes,
      persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })],
      persistentVolumes: [persistentVolume({ zone: ZONE_A })],
    });
    expect(reasonFor(plan, 'web')).toMatchObject({ code: 'TopologySpread', key: ZONE, maxSkew: 1 });
  });

  test('lets large and small pods of one app share the zones evenly', () => {
    const pods = [
      ...replicas(3, { ...overZones, name: 'large', requests: { cpu: '1500m' } }),
      ...replicas(3, { ...overZones, name: 'small', requests: { cpu: '200m' } }),
    ];
    const plan = planFor({ pods });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 2, [ZONE_B]: 2, [ZONE_C]: 2 });
    expect(claimSizes(plan)).toEqual([2, 2, 2]);
  });

  test('balances two apps that count each other, each as it asks', () => {
    const tier = { tier: 'front' };
    const app = (name: string): PodOverrides => ({
      name,
      labels: { app: name, ...tier },
      spread: [spreadOver(ZONE, tier)],
    });
    const plan = planFor({ pods: [...replicas(4, app('x')), ...replicas(5, app('y'))] });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 3, [ZONE_B]: 3, [ZONE_C]: 3 });
  });

  test('never binds where the selector matches nothing', () => {
    const spread = [spreadOver(ZONE, web, { selector: undefined })];
    expect(claimSizes(planFor({ pods: replicas(6, { ...overZones, spread }) }))).toEqual([6]);
  });

  test('spreads pods that do not match their own selector by what else matches', () => {
    const nodes = [node({ name: 'a', zone: ZONE_A })];
    const others = replicas(2, { name: 'api', labels: { app: 'api' }, spread: [spreadOver(ZONE, web)] });
    const plan = planFor({ pods: [...running('a', 2), ...others], nodes });
    expect(placeOf(plan, 'api-0')).toBe('default-1');
    expect(placeOf(plan, 'api-1')).toBe('default-1');
    expect(plan.claims[0]?.zones).not.toContain(ZONE_A);
  });

  test('leaves out pods whose key no node has', () => {
    const plan = planFor({ pods: [pod({ labels: web, spread: [spreadOver('example.com/rack', web)] })] });
    expect(reasonFor(plan)).toMatchObject({ code: 'TopologySpread', key: 'example.com/rack', maxSkew: 1 });
  });
});

describe('plan, by minDomains', () => {
  const apart = (minDomains: number): PodOverrides => ({
    ...overZones,
    spread: [spreadOver(ZONE, web, { minDomains })],
  });

  test('changes nothing where there are as many domains', () => {
    expect(claimSizes(planFor({ pods: replicas(6, apart(3)) }))).toEqual([2, 2, 2]);
  });

  test('takes the least count for zero where there are fewer: maxSkew pods per domain and no more', () => {
    const plan = planFor({ pods: replicas(4, apart(4)) });
    expect(claimSizes(plan)).toEqual([1, 1, 1]);
    expect(leftOut(plan)).toEqual(['web-3']);
    expect(reasonFor(plan, 'web-3')).toMatchObject({ code: 'TopologySpread', key: ZONE, maxSkew: 1 });
  });
});

describe('plan, by node inclusion policies of spread', () => {
  const twoZones = requiredTerms(nodeTerm(oneOf(ZONE, ZONE_A, ZONE_B)));

  test('counts only zones that the pod may go to (nodeAffinityPolicy Honor)', () => {
    const plan = planFor({ pods: replicas(4, { ...overZones, nodeAffinity: twoZones }) });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 2, [ZONE_B]: 2 });
  });

  test('counts a zone that only other pods go to under nodeAffinityPolicy Ignore, and is held back by it', () => {
    const spread = [spreadOver(ZONE, web, { nodeAffinityPolicy: 'Ignore' })];
    const other = pod({ name: 'other', nodeSelector: { [ZONE]: ZONE_C } });
    const plan = planFor({ pods: [other, ...replicas(4, { ...overZones, spread, nodeAffinity: twoZones })] });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 1, [ZONE_B]: 1, [ZONE_C]: 1 });
    expect(leftOut(plan)).toEqual(['web-2', 'web-3']);
  });

  const plainAndTainted = [
    poolOffer({ name: 'plain', requirements: [oneOf(ZONE, ZONE_A, ZONE_B)] }),
    poolOffer({ name: 'tainted', requirements: [oneOf(ZONE, ZONE_C)], taints: [taint('team')] }),
  ];

  test('does not count the zone of a tainted pool under nodeTaintsPolicy Honor', () => {
    const spread = [spreadOver(ZONE, web, { nodeTaintsPolicy: 'Honor' })];
    const plan = planFor({ pods: replicas(4, { ...overZones, spread }), pools: plainAndTainted });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 2, [ZONE_B]: 2 });
  });

  const tainted = node({ name: 'c', zone: ZONE_C, taints: [taint('team')] });
  const plain = [poolOffer({ requirements: [oneOf(ZONE, ZONE_A, ZONE_B)] })];

  test('does not count pods on a tainted node under nodeTaintsPolicy Honor', () => {
    const spread = [spreadOver(ZONE, web, { nodeTaintsPolicy: 'Honor' })];
    const plan = planFor({ pods: replicas(4, { ...overZones, spread }), nodes: [tainted], pools: plain });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 2, [ZONE_B]: 2 });
  });

  test('counts the tainted node as a domain under nodeTaintsPolicy Ignore', () => {
    const plan = planFor({ pods: replicas(4, overZones), nodes: [tainted], pools: plain });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 1, [ZONE_B]: 1 });
    expect(leftOut(plan)).toEqual(['web-2', 'web-3']);
  });
});

describe('plan, by matchLabelKeys', () => {
  test('spreads each revision by itself, since the selector names it', () => {
    const revision = (hash: string): PodOverrides => {
      const labels = { ...web, 'pod-template-hash': hash };
      return { name: `web-${hash}`, labels, spread: [spreadOver(ZONE, labels)] };
    };
    const nodes = [node({ name: 'a', zone: ZONE_A })];
    const old = running('a', 3, { labels: { ...web, 'pod-template-hash': 'old' } });
    const plan = planFor({ pods: [...old, ...replicas(3, revision('new'))], nodes });
    expect(placeOf(plan, 'web-new-0')).toBe('a');
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_B]: 1, [ZONE_C]: 1 });
  });
});

describe('plan, by spread over hosts', () => {
  const overHosts = (maxSkew: number): PodOverrides => ({
    name: 'web',
    labels: web,
    spread: [spreadOver(HOSTNAME, web, { maxSkew })],
  });

  test.each([
    [3, 1, [1, 1, 1]],
    [4, 2, [2, 2]],
    [5, 2, [2, 2, 1]],
    [3, 5, [3]],
  ])('puts %i pods with maxSkew %i on nodes of %j', (count, maxSkew, sizes) => {
    expect(claimSizes(planFor({ pods: replicas(count, overHosts(maxSkew)) }))).toEqual(sizes);
  });

  test('counts the pods that run on existing nodes', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two' })];
    const plan = planFor({ pods: [...running('one', 1), ...replicas(2, overHosts(1))], nodes });
    expect(placeOf(plan, 'web-0')).toBe('two');
    expect(claimSizes(plan)).toEqual([1]);
  });

  test('goes round the existing nodes again when nothing can be launched', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two' })];
    const plan = planFor({ pods: replicas(4, overHosts(1)), nodes, pools: [] });
    const places = [0, 1, 2, 3].map((index) => placeOf(plan, `web-${String(index)}`)).sort();
    expect(places).toEqual(['one', 'one', 'two', 'two']);
  });

  test('does not look at hosts that the pod may not go to (nodeAffinityPolicy Honor)', () => {
    const nodes = [
      node({ name: 'one', labels: { disk: 'ssd' } }),
      node({ name: 'two', labels: { disk: 'ssd' } }),
      node({ name: 'three' }),
    ];
    const plan = planFor({
      pods: replicas(4, { ...overHosts(1), nodeSelector: { disk: 'ssd' } }),
      nodes,
      pools: [],
    });
    expect(plan.placements.map(({ target }) => target.name).sort()).toEqual(['one', 'one', 'two', 'two']);
  });

  test('is held back by an empty host that is full (nodeTaintsPolicy Ignore)', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two', allocatable: full })];
    const plan = planFor({ pods: replicas(2, overHosts(1)), nodes, pools: [] });
    expect(placeOf(plan, 'web-0')).toBe('one');
    expect(leftOut(plan)).toEqual(['web-1']);
  });

  test('keeps zones and hosts even at once', () => {
    const spread = [spreadOver(ZONE, web), spreadOver(HOSTNAME, web)];
    const plan = planFor({ pods: replicas(6, { name: 'web', labels: web, spread }) });
    expect(claimSizes(plan)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 2, [ZONE_B]: 2, [ZONE_C]: 2 });
  });

  test('does not look, for the zones, at nodes without the rack that another constraint asks for', () => {
    const nodes = [
      node({ name: 'bare', zone: ZONE_A }),
      node({ name: 'a', zone: ZONE_A, labels: { rack: 'r1' } }),
      node({ name: 'b', zone: ZONE_B, labels: { rack: 'r2' } }),
    ];
    const spread = [spreadOver(ZONE, web), spreadOver('rack', web)];
    const pods = [...running('bare', 3), ...replicas(2, { name: 'web', labels: web, spread })];
    const plan = planFor({ pods, nodes, pools: [] });
    expect([placeOf(plan, 'web-0'), placeOf(plan, 'web-1')].sort()).toEqual(['a', 'b']);
  });
});

describe('plan, by spread over other keys', () => {
  test('buys as much spot as on-demand where pods spread over capacity types', () => {
    const spread = [spreadOver(CAPACITY_TYPE, web)];
    const plan = planFor({ pods: replicas(4, { name: 'web', labels: web, spread }) });
    expect(podsPer(plan, 'capacityTypes')).toEqual({ spot: 2, 'on-demand': 2 });
  });

  test('takes the values of a pool requirement for domains', () => {
    const pools = [poolOffer({ requirements: [oneOf('capacity-spread', '1', '2', '3')] })];
    const spread = [spreadOver('capacity-spread', web)];
    const plan = planFor({ pods: replicas(6, { name: 'web', labels: web, spread }), pools });
    expect(
      plan.claims.map(({ chosenLabels, pods }) => [chosenLabels.get('capacity-spread'), pods.length]),
    ).toEqual([
      ['1', 2],
      ['2', 2],
      ['3', 2],
    ]);
  });

  test('shares pods out between pools that own a value each', () => {
    const pools = [
      poolOffer({
        name: 'spot',
        requirements: [oneOf(CAPACITY_TYPE, 'spot'), oneOf('share', '1', '2', '3')],
      }),
      poolOffer({ name: 'steady', requirements: [oneOf(CAPACITY_TYPE, 'on-demand'), oneOf('share', '4')] }),
    ];
    const spread = [spreadOver('share', web)];
    const plan = planFor({ pods: replicas(8, { name: 'web', labels: web, spread }), pools });
    expect(podsPer(plan, 'capacityTypes')).toEqual({ spot: 6, 'on-demand': 2 });
  });

  test('counts a value that only the template has as one domain', () => {
    const pools = [
      poolOffer({ labels: { rack: 'r1' } }),
      poolOffer({ name: 'other', requirements: [requirement('rack', 'In', ['r2'])] }),
    ];
    const plan = planFor({
      pods: replicas(4, { name: 'web', labels: web, spread: [spreadOver('rack', web)] }),
      pools,
    });
    expect(plan.claims.map(({ nodePool, pods }) => [nodePool, pods.length])).toEqual([
      ['default', 2],
      ['other', 2],
    ]);
  });

  test('keeps two keys of the pool even at once', () => {
    const pools = [poolOffer({ requirements: [oneOf('rack', 'r1', 'r2'), oneOf('row', 'a', 'b', 'c')] })];
    const spread = [spreadOver('rack', web), spreadOver('row', web)];
    const plan = planFor({ pods: replicas(6, { name: 'web', labels: web, spread }), pools });
    expect(leftOut(plan)).toEqual([]);
    const count = (key: string): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const { chosenLabels, pods } of plan.claims) {
        const value = chosenLabels.get(key) ?? '';
        counts[value] = (counts[value] ?? 0) + pods.length;
      }
      return counts;
    };
    expect(count('rack')).toEqual({ r1: 3, r2: 3 });
    expect(count('row')).toEqual({ a: 2, b: 2, c: 2 });
  });
});

describe('plan, by spread that may be given up', () => {
  const anyway: PodOverrides = {
    ...overZones,
    spread: [spreadOver(ZONE, web, { whenUnsatisfiable: 'ScheduleAnyway' })],
  };

  test('keeps ScheduleAnyway while it can', () => {
    expect(claimSizes(planFor({ pods: replicas(3, anyway) }))).toEqual([1, 1, 1]);
  });

  test('gives it up where a zone is out of reach', () => {
    const nodes = [node({ name: 'd', zone: 'us-east-1d', allocatable: full })];
    const pools = [poolOffer({ requirements: [oneOf(ZONE, ZONE_A)] })];
    const plan = planFor({ pods: replicas(3, anyway), nodes, pools });
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 3 });
  });

  test('does not look at it under preferencePolicy Ignore', () => {
    expect(claimSizes(planFor({ pods: replicas(3, anyway) }, { preferencePolicy: 'Ignore' }))).toEqual([3]);
  });
});

describe('plan, when spread meets room', () => {
  test('opens a second node in a zone only when the first is full', () => {
    const pools = [poolOffer({}, [instanceType()])];
    const pods = replicas(6, { ...overZones, requests: { cpu: '1', memory: '1Gi' } });
    const plan = planFor({ pods, pools });
    expect(claimSizes(plan)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(podsPer(plan, 'zones')).toEqual({ [ZONE_A]: 2, [ZONE_B]: 2, [ZONE_C]: 2 });
  });

  test('opens no host that would tilt pods which found a place only because theirs is the one host', () => {
    const together = podTerm(HOSTNAME, web);
    const pods = [
      ...replicas(3, {
        ...{ name: 'web', labels: web, priority: 10 },
        podAffinity: { required: [together], preferred: [] },
        spread: [spreadOver(HOSTNAME, web, { maxSkew: 2 })],
      }),
      pod({ name: 'other', podAntiAffinity: { required: [together], preferred: [] } }),
    ];
    const plan = planFor({ pods });
    expect(leftOut(plan)).toEqual(['other']);
    expect(claimSizes(plan)).toEqual([3]);
    expect(plan.repairs).toBeUndefined();
  });

  test('launches other pods in no architecture that would tilt pods which cannot go there', () => {
    const pools = [poolOffer({ taints: [taint('dedicated')] })];
    const pods = [
      ...replicas(3, {
        ...{ name: 'web', labels: web, priority: 10 },
        spread: [spreadOver(ARCH, web, { maxSkew: 2 })],
      }),
      pod({ name: 'batch', requests: { cpu: '4' }, tolerations: [tolerateKey('dedicated')] }),
    ];
    const plan = planBesideNodes({ pods, nodes: [node()], pools });
    expect(leftOut(plan)).toEqual([]);
    expect(placeOf(plan, 'batch')).toBe('default-1');
    expect(plan.claims[0]?.instanceTypes.filter((name) => /^[cm]7g/.test(name))).toEqual([]);
    expect(plan.repairs).toBeUndefined();
  });

  test('lists no architecture that would tilt pods placed before', () => {
    const intel = instanceType({ name: 'm6i.2xlarge', vcpu: 8, memoryMiB: 32_768, price: 0.38 });
    const arm = instanceType({ name: 'm7g.2xlarge', arch: 'arm64', vcpu: 8, memoryMiB: 32_768, price: 0.39 });
    const pools = [poolOffer({ taints: [taint('dedicated')] }, [intel, arm])];
    const pods = [
      ...replicas(3, { name: 'web', labels: web, spread: [spreadOver(ARCH, web, { maxSkew: 2 })] }),
      pod({ name: 'batch', requests: { cpu: '4' }, tolerations: [tolerateKey('dedicated')] }),
    ];
    const plan = planBesideNodes({ pods, nodes: [node()], pools });
    expect(leftOut(plan)).toEqual([]);
    expect(plan.claims[0]?.instanceTypes).toEqual(['m6i.2xlarge']);
    expect(plan.repairs).toBeUndefined();
  });

  test('lists no alternative that a spread would stop counting pods on', () => {
    const pods = [
      ...replicas(2, {
        name: 'any',
        labels: web,
        priority: 10,
        nodeSelector: { [ZONE]: ZONE_A },
        requests: { cpu: '1500m', memory: '7Gi' },
      }),
      ...replicas(4, { ...overZones, nodeSelector: { [ARCH]: 'arm64' }, requests: { cpu: '1900m' } }),
    ];
    const plan = planFor({ pods });
    expect(leftOut(plan)).toEqual([]);
    const listed = new Set(plan.claims.flatMap(({ instanceTypes }) => instanceTypes));
    expect([...listed].filter((name) => !/^[cm]7g/.test(name))).toEqual([]);
  });
});
