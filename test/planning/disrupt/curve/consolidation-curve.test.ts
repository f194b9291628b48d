/** The consolidation query over whole clusters, every point judged by the plan checker and by counting. */
import { judgeCurve } from '../../../../bench/judge/judge-curve.js';
import { clusterInputOf } from '../../../../bench/workloads/cluster-input.js';
import { halfFullNodes } from '../../../../bench/workloads/half-full.js';
import { AGENTS, defaultPool } from '../../../../bench/workloads/pools.js';
import { runningNodes } from '../../../../bench/workloads/running-cluster.js';
import { catalogueFor } from '../../../../src/clouds/aws/catalogue/index.js';
import { HOSTNAME, ZONE } from '../../../../src/domain/values/labels.js';
import type { Pod } from '../../../../src/domain/pods/pod.js';
import { ConsolidationPlanner } from '../../../../src/planning/disrupt/curve/consolidation-curve.js';
import {
  DEFAULT_CONSOLIDATION_OPTIONS,
  type ConsolidationPoint,
} from '../../../../src/planning/disrupt/curve/consolidation-question.js';
import type { ClusterInput } from '../../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../../support/builders/cluster-input.js';
import { podTerm, spreadOver } from '../../../support/builders/constraints.js';
import { instanceType, offering, ZONE_A, ZONE_B } from '../../../support/builders/instance-type.js';
import { node } from '../../../support/builders/node.js';
import { poolOffer } from '../../../support/builders/node-pool.js';
import { pod, type PodOverrides } from '../../../support/builders/pod.js';

const types = catalogueFor('us-east-1').instanceTypes.filter(({ name }) => /^[cmr]6i\./.test(name));
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/** Deployments with all rules that one finds in clusters, on nodes that they fill by half. */
function runningCluster(seed: number): ClusterInput {
  const nodes = runningNodes({ nodes: 48, deployments: 20, zones: ZONES, seed });
  const base = { name: 'cluster', seed, pods: [], daemonsets: AGENTS };
  return clusterInputOf({ ...base, nodes, nodePools: [defaultPool('on-demand')] }, types);
}

function curveOf(input: ClusterInput, points = 10): readonly ConsolidationPoint[] {
  return new ConsolidationPlanner().curve(input, { ...DEFAULT_CONSOLIDATION_OPTIONS, points });
}

describe('the curve of a running cluster', () => {
  test.each([1, 2, 3, 4, 5])('keeps every rule, and counts right, at every point (seed %d)', (seed) => {
    const input = runningCluster(seed);
    const curve = curveOf(input);
    expect(judgeCurve(input, curve)).toEqual([]);
    expect(curve).toHaveLength(10);
    expect(curve.at(-1)?.hourly).toBeLessThan(0.6 * (curve[0]?.hourly ?? 0));
  });

  test('is the same for pods and nodes in another order, and when it is asked for again', () => {
    const input = runningCluster(7);
    const planner = new ConsolidationPlanner();
    const first = planner.curve(input);
    expect(planner.curve(input)).toEqual(first);
    const turned = { ...input, pods: [...input.pods].reverse(), nodes: [...input.nodes].reverse() };
    expect(planner.curve(turned)).toEqual(first);
  });
});

describe('the curve of nodes of several shapes', () => {
  const nodes = halfFullNodes({ nodes: 400, podsPerNode: 10, zones: ZONES, seed: 42 });
  const base = { name: 'cluster', seed: 42, pods: [], daemonsets: AGENTS };
  const input = clusterInputOf({ ...base, nodes, nodePools: [defaultPool('on-demand')] }, types);

  test('lets them go in proportion, so that no point is far above the line between its neighbours', () => {
    const prices = curveOf(input, 20).map(({ hourly }) => hourly);
    const above = prices.map((price, index) => {
      const [before, after] = [prices[index - 1], prices[index + 1]];
      return before === undefined || after === undefined ? 0 : (2 * price) / (before + after);
    });
    expect(Math.max(...above)).toBeLessThan(1.01);
  });

  test('costs no more where kept nodes are filled in two orders', () => {
    const planner = new ConsolidationPlanner();
    const once = planner.curve(input);
    const twice = planner.curve(input, {
      ...DEFAULT_CONSOLIDATION_OPTIONS,
      fillOrders: ['RoomiestFirst', 'RoomiestLast'],
    });
    expect(twice.every(({ hourly }, index) => hourly <= (once[index]?.hourly ?? 0))).toBe(true);
    expect(twice.some(({ hourly }, index) => hourly < (once[index]?.hourly ?? 0))).toBe(true);
  });
});

/** 4 vCPU for 1 USD/h, of which 3920m are for pods; a type with 16 costs as much as two of them. */
const small = sized('m5.xlarge', 4, 1);
const large = sized('m5.4xlarge', 16, 2);

function sized(name: string, vcpu: number, price: number) {
  const offerings = [ZONE_A, ZONE_B].map((zone) => offering({ zone, capacityType: 'on-demand', price }));
  return instanceType({ name, vcpu, memoryMiB: vcpu * 4096, offerings });
}

/** Nodes in turn in zones a and b, with these pods on them, as `app-<node>-<number>`. */
function clusterOf(content: readonly (readonly PodOverrides[])[]): ClusterInput {
  const nodes = content.map((_, index) =>
    node({
      name: `n${String(index)}`,
      type: small,
      zone: index % 2 === 0 ? ZONE_A : ZONE_B,
      nodePool: 'default',
    }),
  );
  const pods = content.flatMap((list, index) =>
    list.map((each, number): Pod =>
      pod({
        requests: { cpu: '1', memory: '1Gi' },
        name: `app-${String(index)}-${String(number)}`,
        nodeName: `n${String(index)}`,
        ...each,
      }),
    ),
  );
  return clusterInput({ nodes, pods, pools: [poolOffer({}, [small, large])] });
}

/** The last point, judged: whatever pays has moved. */
function cheapest(input: ClusterInput): ConsolidationPoint {
  const curve = curveOf(input, 4);
  expect(judgeCurve(input, curve)).toEqual([]);
  const last = curve.at(-1);
  if (last === undefined) throw new Error('no curve');
  return last;
}

function homes({ moved }: ConsolidationPoint): Readonly<Record<string, string>> {
  return Object.fromEntries(moved.map(({ pod: key, node: name }) => [key.replace('default/', ''), name]));
}

describe('pods that move', () => {
  const plain: PodOverrides = {};
  const labels = { app: 'a' };

  test('go where there is room, without their rules standing in the way', () => {
    expect(cheapest(clusterOf([[plain], [plain], [plain]]))).toMatchObject({
      moves: 2,
      hourly: 1,
      newNodes: [],
    });
  });

  test('stay apart from their like', () => {
    const apart: PodOverrides = { labels, podAntiAffinity: { required: [podTerm(HOSTNAME, labels)] } };
    expect(cheapest(clusterOf([[apart, plain], [apart, plain], [plain]]))).toMatchObject({
      hourly: 2,
      nodesDeleted: ['n2'],
    });
  });

  test('stay in their zone where they are spread over zones', () => {
    const spread: PodOverrides = { labels, spread: [spreadOver(ZONE, labels)] };
    const point = cheapest(clusterOf([[spread], [spread], [spread], [spread]]));
    expect(point).toMatchObject({ hourly: 2, moves: 2 });
    for (const [name, home] of Object.entries(homes(point)))
      expect(Number(home.slice(1)) % 2).toBe(Number(name.split('-')[1]) % 2);
  });

  test('go together where they must share a node', () => {
    const together: PodOverrides = { labels, podAffinity: { required: [podTerm(HOSTNAME, labels)] } };
    const three: PodOverrides = { requests: { cpu: '2500m' } };
    const point = cheapest(clusterOf([[together, together], [three], [plain]]));
    const found = new Set(
      ['app-0-0', 'app-0-1'].map(
        (name) =>
          homes(point)[name] ??
          point.newNodes.findIndex(({ pods }) => pods.includes(`default/${name}`)).toString(),
      ),
    );
    expect(point.hourly).toBe(2);
    expect(found.size).toBe(1);
  });

  test.each<readonly [string, PodOverrides]>([
    ['are protected', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }],
    ['have a host port', { hostPorts: [{ hostIP: '', protocol: 'TCP', port: 80 }] }],
    ['look for pods of another kind', { podAffinity: { required: [podTerm(HOSTNAME, { app: 'other' })] } }],
  ])('are not those that %s', (_what, still) => {
    const requests = { cpu: '500m' };
    const other: PodOverrides = { labels: { app: 'other' }, requests };
    const point = cheapest(clusterOf([[{ ...still, requests }, other], [plain], [plain]]));
    expect(point.nodesDeleted).toEqual(['n1', 'n2']);
    expect(Object.keys(homes(point))).toEqual(['app-1-0', 'app-2-0']);
  });

  test('are first those that weigh least', () => {
    const heavy: PodOverrides = {
      annotations: { 'controller.kubernetes.io/pod-deletion-cost': '1073741824' },
    };
    const [, second] = curveOf(clusterOf([[heavy], [plain], [heavy]]), 6);
    expect(second).toMatchObject({ nodesDeleted: ['n1'], movingCost: 1, moves: 1 });
  });
});

describe('nodes', () => {
  test('that no pool launched stay', () => {
    const input = clusterOf([[{}], [{}]]);
    const own = input.nodes.map((each, index) =>
      index === 0 ? node({ name: 'n0', type: small, zone: ZONE_A }) : each,
    );
    expect(cheapest({ ...input, nodes: own }).nodesDeleted).toEqual(['n1']);
  });

  test('are all that there is where nothing can be bought', () => {
    expect(curveOf({ ...clusterOf([[{}], [{}]]), pools: [] })).toEqual([]);
  });
});

describe('the judge of curves', () => {
  const input = clusterOf([[{}], [{}], [{}]]);
  const curve = curveOf(input, 4);
  const last = curve.at(-1);
  if (last === undefined) throw new Error('no curve');
  const [first] = last.moved;
  const lies: readonly (readonly [string, Partial<ConsolidationPoint>, RegExp])[] = [
    ['forgets a pod', { moved: last.moved.slice(1) }, /has no place/],
    ['moves a pod twice', { moved: [...last.moved, ...last.moved.slice(0, 1)] }, /two places/],
    ['says that fewer move', { moves: 1 }, /2 pods move, it says 1/],
    ['says that moving costs less', { movingCost: 1 }, /moving costs 2/],
    ['spends more than its budget', { budget: 1 }, /more than the budget/],
    ['says that it costs less', { hourly: 0.5 }, /it costs 1, it says 0.5/],
    ['is more expensive than the one before', { hourly: 9 }, /more expensive than the point before/],
    [
      'moves a pod to a node that goes',
      { moved: [{ pod: first?.pod ?? '', node: last.nodesDeleted[0] ?? '' }, ...last.moved.slice(1)] },
      /a node that is deleted/,
    ],
  ];

  test.each(lies)('sees that a point %s', (_what, lie, complaint) => {
    expect(judgeCurve(input, [...curve.slice(0, -1), { ...last, ...lie }]).join('\n')).toMatch(complaint);
  });

  test('sees a node that is too full', () => {
    const full = clusterOf([[{ requests: { cpu: '2500m' } }], [{ requests: { cpu: '2500m' } }]]);
    const point: ConsolidationPoint = {
      ...{ budget: 1, movingCost: 1, moves: 1, hourly: 1, nodesDeleted: ['n1'], newNodes: [] },
      moved: [{ pod: 'default/app-1-0', node: 'n0' }],
    };
    expect(judgeCurve(full, [point]).join()).toContain('resources');
  });
});
