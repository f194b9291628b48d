import fc from 'fast-check';
import type { ClusterNodes, CurvePoint } from '../../../../src/planning/disrupt/curve/cluster-nodes.js';
import { priceMoveCurve } from '../../../../src/planning/disrupt/curve/price-move-curve.js';
import type { BinProblem } from '../../../../src/planning/optimize/problem/bin-problem.js';
import { mayHold, randomCluster, type RandomCluster } from './random-cluster.js';

const POINTS = 5;
const ROUNDING = 1e-9;

function curveOf({ problem, nodes }: RandomCluster): readonly CurvePoint[] {
  return priceMoveCurve({ problem, nodes, points: POINTS });
}

/** A law that holds for every point of every cluster. */
function forEveryPoint(law: (point: CurvePoint, cluster: RandomCluster) => void): void {
  fc.assert(
    fc.property(randomCluster, (cluster) => {
      for (const point of curveOf(cluster)) law(point, cluster);
    }),
    { numRuns: 60 },
  );
}

function homeOf({ firstItem, count }: ClusterNodes, item: number): number {
  for (let node = 0; node < count; node++) if (item < (firstItem[node + 1] ?? 0)) return node;
  return -1;
}

function itemsOf({ itemClass }: ClusterNodes): number[] {
  return [...itemClass.keys()];
}

/** Classes at a place of a point, ascending. */
function contentOf(nodes: ClusterNodes, point: CurvePoint, place: number): number[] {
  return itemsOf(nodes)
    .filter((item) => point.place[item] === place)
    .map((item) => nodes.itemClass[item] ?? 0)
    .sort((one, other) => one - other);
}

function keptNodes({ count }: ClusterNodes, { nodesDeleted }: CurvePoint): number[] {
  return Array.from({ length: count }, (_, node) => node).filter((node) => !nodesDeleted.includes(node));
}

function rowOf(values: Float64Array, width: number, row: number): readonly number[] {
  return Array.from(values.subarray(row * width, (row + 1) * width));
}

function zoneOf({ nodes }: RandomCluster, { bins }: CurvePoint, place: number): number {
  return place >= 0 ? (nodes.zone[place] ?? 0) : (bins[-1 - place]?.zone ?? 0);
}

describe('every point of a move curve', () => {
  it('has each item in one place that is there: a kept node, or a new node that lists it', () => {
    forEveryPoint((point, { nodes }) => {
      const kept = new Set(keptNodes(nodes, point));
      expect(point.nodesKept).toBe(kept.size);
      expect(point.place).toHaveLength(nodes.itemClass.length);
      for (const place of point.place)
        expect(place >= 0 ? kept.has(place) : -1 - place < point.bins.length).toBe(true);
      point.bins.forEach((bin, index) => {
        const listed = bin.classes.flatMap((kind, at) => Array<number>(bin.items[at] ?? 0).fill(kind));
        expect(contentOf(nodes, point, -1 - index)).toEqual(listed);
      });
    });
  });

  it('moves nothing off a node that it keeps', () => {
    forEveryPoint((point, { nodes }) => {
      const kept = new Set(keptNodes(nodes, point));
      for (const item of itemsOf(nodes)) {
        const home = homeOf(nodes, item);
        expect(kept.has(home) ? point.place[item] : home).toBe(home);
      }
    });
  });

  it('keeps nodes that must stay or hold what must not move, and adds nothing to closed ones', () => {
    forEveryPoint((point, { nodes }) => {
      for (const node of point.nodesDeleted) expect(nodes.stays[node]).toBe(0);
      for (const item of itemsOf(nodes)) {
        if (point.place[item] === homeOf(nodes, item)) continue;
        expect(nodes.movingCost[item]).toBeLessThan(Infinity);
        expect(nodes.closed[point.place[item] ?? -1] ?? 0).toBe(0);
      }
    });
  });

  it('respects room, requirement sets, zone masks and caps everywhere', () => {
    forEveryPoint((point, { problem, nodes }) => {
      const { binTypes, resources } = problem;
      for (const node of keptNodes(nodes, point)) {
        const host = {
          room: rowOf(nodes.room, resources, node),
          zone: nodes.zone[node] ?? 0,
          signature: nodes.signature[node] ?? 0,
        };
        expect(mayHold(problem, host, contentOf(nodes, point, node))).toBe(true);
      }
      point.bins.forEach(({ binType, zone }, index) => {
        const room = rowOf(binTypes.capacity, resources, binType);
        const host = { room, zone, signature: binTypes.signature[binType] ?? 0 };
        expect(mayHold(problem, host, contentOf(nodes, point, -1 - index))).toBe(true);
      });
    });
  });

  it('brings no zone above its quota', () => {
    forEveryPoint((point, cluster) => {
      const { problem, nodes } = cluster;
      const { quotaGroup } = problem.classes;
      problem.quota.forEach((quota, at) => {
        const group = Math.floor(at / problem.zones);
        const inZone = itemsOf(nodes).filter(
          (item) =>
            quotaGroup[nodes.itemClass[item] ?? 0] === group &&
            zoneOf(cluster, point, point.place[item] ?? 0) === at % problem.zones,
        );
        const staying = inZone.filter((item) => point.place[item] === homeOf(nodes, item));
        expect(inZone.length).toBeLessThanOrEqual(Math.max(quota, staying.length));
      });
    });
  });

  it('stays within the limits of accounts with its new nodes', () => {
    forEveryPoint(({ bins }, { problem: { binTypes, accounts } }) => {
      accounts.left.forEach((left, limit) => {
        const charged = bins.reduce(
          (sum, { binType }) => sum + (binTypes.charge[binType * accounts.limits + limit] ?? 0),
          0,
        );
        expect(charged).toBeLessThanOrEqual(left);
      });
    });
  });

  it('states its price, its moves and what they weigh, within the budget', () => {
    forEveryPoint((point, { problem, nodes }) => {
      const { binTypes, classes, resources, zones } = problem;
      const bought = point.bins.reduce(
        (sum, { binType, zone }) => sum + (binTypes.price[binType * zones + zone] ?? 0),
        0,
      );
      const kept = keptNodes(nodes, point).reduce((sum, node) => sum + (nodes.price[node] ?? 0), 0);
      expect(Math.abs(point.hourly - kept - bought)).toBeLessThan(ROUNDING);
      const moved = itemsOf(nodes).filter((item) => point.place[item] !== homeOf(nodes, item));
      const pods = moved.map((item) => classes.requests[(nodes.itemClass[item] ?? 0) * resources + 2] ?? 0);
      expect(point.moves).toBe(pods.reduce((sum, each) => sum + each, 0));
      const cost = moved.reduce((sum, item) => sum + (nodes.movingCost[item] ?? 0), 0);
      expect(Math.abs(point.movingCost - cost)).toBeLessThan(ROUNDING);
      expect(cost).toBeLessThanOrEqual(point.budget + ROUNDING);
    });
  });
});

describe('a move curve', () => {
  it('begins with the cluster as it is', () => {
    fc.assert(
      fc.property(randomCluster, (cluster) => {
        const [first] = curveOf(cluster);
        expect(first).toMatchObject({ budget: 0, movingCost: 0, moves: 0, nodesDeleted: [], bins: [] });
        expect(Array.from(first?.place ?? [])).toEqual(
          itemsOf(cluster.nodes).map((item) => homeOf(cluster.nodes, item)),
        );
      }),
    );
  });

  it('has as many points as were asked for, none more expensive than the one before', () => {
    fc.assert(
      fc.property(randomCluster, fc.integer({ min: 2, max: 12 }), ({ problem, nodes }, points) => {
        const prices = priceMoveCurve({ problem, nodes, points }).map(({ hourly }) => hourly);
        expect(prices).toHaveLength(points);
        expect(prices).toEqual([...prices].sort((one, other) => other - one));
      }),
    );
  });

  it('is the same for the same cluster', () => {
    fc.assert(
      fc.property(randomCluster, (cluster) => {
        expect(curveOf(cluster)).toEqual(curveOf(cluster));
      }),
      { numRuns: 30 },
    );
  });
});

/** Nodes of 8 cores at 1 USD/h, each with some pods of a core; a type with 16 cores costs 1.5. */
function clusterOf(podsPerNode: readonly number[]): RandomCluster {
  const items = podsPerNode.reduce((sum, pods) => sum + pods, 0);
  const count = podsPerNode.length;
  const problem: BinProblem = {
    resources: 3,
    zones: 1,
    zonesEqual: true,
    binTypes: {
      count: 1,
      capacity: Float64Array.of(16, 64, 110),
      price: Float64Array.of(1.5),
      signature: Int32Array.of(0),
      account: Int32Array.of(-1),
      charge: new Float64Array(0),
    },
    accounts: { limits: 0, width: 0, first: new Int32Array(0), left: new Float64Array(0) },
    requirementSets: 1,
    signatures: 1,
    admits: Uint8Array.of(1),
    classes: {
      count: 1,
      requests: Float64Array.of(1, 4, 1),
      items: Int32Array.of(items),
      requirementSet: Int32Array.of(0),
      zoneMask: Int32Array.of(1),
      capGroup: Int32Array.of(-1),
      quotaGroup: Int32Array.of(-1),
    },
    cap: new Int32Array(0),
    quota: new Int32Array(0),
  };
  const nodes: ClusterNodes = {
    count,
    room: Float64Array.from(podsPerNode.flatMap(() => [8, 32, 110])),
    price: new Float64Array(count).fill(1),
    zone: new Int32Array(count),
    signature: new Int32Array(count),
    stays: new Uint8Array(count),
    closed: new Uint8Array(count),
    firstItem: Int32Array.from([
      0,
      ...podsPerNode.map((_, node) => podsPerNode.slice(0, node + 1).reduce((a, b) => a + b, 0)),
    ]),
    itemClass: new Int32Array(items),
    movingCost: new Float64Array(items).fill(1),
  };
  return { problem, nodes };
}

describe('a half-empty cluster', () => {
  it('loses every second node for half the moves', () => {
    const { problem, nodes } = clusterOf([4, 4, 4, 4, 4, 4, 4, 4]);
    const [first, middle] = priceMoveCurve({ problem, nodes, points: 3 });
    expect(first?.hourly).toBe(8);
    expect(middle).toMatchObject({ moves: 16, nodesKept: 4, bins: [], hourly: 4 });
  });

  it('is bought again where that is cheaper and all may move', () => {
    const { problem, nodes } = clusterOf([4, 4, 4, 4, 4, 4, 4, 4]);
    const last = priceMoveCurve({ problem, nodes, points: 3 }).at(-1);
    expect(last).toMatchObject({ moves: 32, nodesKept: 0, hourly: 3 });
    expect(last?.bins).toHaveLength(2);
  });

  it('empties first what is cheap to move', () => {
    const { problem, nodes } = clusterOf([6, 1, 6, 1]);
    const second = priceMoveCurve({ problem, nodes, points: 8 })[1];
    expect(second).toMatchObject({ moves: 2, nodesDeleted: [1, 3], hourly: 2 });
  });

  it('leaves its heaviest pods alone until nothing else is left to save', () => {
    const { problem, nodes } = clusterOf([2, 2, 2]);
    const movingCost = nodes.movingCost.with(0, 9);
    const last = priceMoveCurve({ problem, nodes: { ...nodes, movingCost }, points: 3 })[1];
    expect(last).toMatchObject({ nodesDeleted: [1, 2], movingCost: 4, hourly: 1 });
  });
});
