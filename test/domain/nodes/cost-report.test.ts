/** Who pays for a node. */
import fc from 'fast-check';
import { costBy, dominantShare, splitPrice, type CostNode } from '../../../src/domain/nodes/cost-report.js';
import { resourceList } from '../../support/builders/resources.js';

type CostPod = CostNode['pods'][number];

function costPod(key: string, amounts: Readonly<Record<string, number>>, labels = {}): CostPod {
  return {
    key,
    namespace: key.split('/')[0] ?? '',
    labels: new Map(Object.entries(labels)),
    requests: resourceList({ ...amounts, pods: 1 }),
  };
}

/** 4 cores, 16 GB, 10 pods at 0.2 USD/h. */
function costNode(pods: readonly CostPod[], overrides: Partial<CostNode> = {}): CostNode {
  const allocatable = resourceList({ cpu: 4000, memory: 16e9, pods: 10 });
  return { name: 'node', nodePool: 'general', hourlyPrice: 0.2, allocatable, pods, ...overrides };
}

const amount = fc.record({
  cpu: fc.integer({ min: 0, max: 4000 }),
  memory: fc.integer({ min: 0, max: 16e9 }),
});
const pods = fc
  .array(amount, { maxLength: 15 })
  .map((all) =>
    all.map((amounts, index) => costPod(`ns-${String(index % 3)}/pod-${String(index)}`, amounts)),
  );
const price = fc.double({ min: 0, max: 50, noNaN: true });
const node = fc.record({ pods, price }).map((drawn) => costNode(drawn.pods, { hourlyPrice: drawn.price }));

function sum(values: Iterable<number>): number {
  return [...values].reduce((total, value) => total + value, 0);
}

describe('dominantShare', () => {
  test('is the largest part of any one resource, pod slots and devices among them', () => {
    const allocatable = resourceList({ cpu: 4000, memory: 16e9, pods: 10, 'nvidia.com/gpu': 4 });
    expect(dominantShare(resourceList({ cpu: 1000, memory: 8e9, pods: 1 }), allocatable)).toBe(0.5);
    expect(dominantShare(resourceList({ pods: 1 }), allocatable)).toBe(0.1);
    expect(dominantShare(resourceList({ cpu: 100, 'nvidia.com/gpu': 4 }), allocatable)).toBe(1);
  });

  test('is nothing on an instance without pods', () => {
    expect(dominantShare(resourceList({ cpu: 1000 }), new Map())).toBe(0);
  });
});

describe('splitPrice', () => {
  test('lets each pod pay its dominant share and leaves the rest idle', () => {
    const split = splitPrice(costNode([costPod('a/one', { cpu: 2000 }), costPod('b/two', { memory: 4e9 })]));
    expect([...split.shares]).toEqual([
      ['a/one', 0.1],
      ['b/two', 0.05],
    ]);
    expect(split.idle).toBeCloseTo(0.05);
  });

  test('shrinks all alike where one takes the cores and another the memory', () => {
    const split = splitPrice(costNode([costPod('a/one', { cpu: 3000 }), costPod('b/two', { memory: 12e9 })]));
    expect([...split.shares.values()]).toEqual([0.1, 0.1]);
    expect(split.idle).toBe(0);
  });

  test('shares and idle are the price, and none is negative', () => {
    fc.assert(
      fc.property(node, (drawn) => {
        const { shares, idle } = splitPrice(drawn);
        expect(sum(shares.values()) + idle).toBeCloseTo(drawn.hourlyPrice, 9);
        expect(Math.min(idle, ...shares.values())).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('a further pod never raises what another pays, nor what is idle', () => {
    fc.assert(
      fc.property(node, amount, (drawn, amounts) => {
        const before = splitPrice(drawn);
        const after = splitPrice({ ...drawn, pods: [...drawn.pods, costPod('new/pod', amounts)] });
        for (const [key, usd] of before.shares)
          expect(after.shares.get(key)).toBeLessThanOrEqual(usd + 1e-12);
        expect(after.idle).toBeLessThanOrEqual(before.idle + 1e-12);
      }),
    );
  });

  test('a pod that requests more does not pay less', () => {
    fc.assert(
      fc.property(node, amount, fc.integer({ min: 0, max: 4000 }), (drawn, amounts, more) => {
        const paid = (cpu: number): number => {
          const asking = costPod('new/pod', { ...amounts, cpu });
          return splitPrice({ ...drawn, pods: [...drawn.pods, asking] }).shares.get('new/pod') ?? 0;
        };
        expect(paid(amounts.cpu + more)).toBeGreaterThanOrEqual(paid(amounts.cpu) - 1e-12);
      }),
    );
  });

  test('the order of the pods does not matter', () => {
    fc.assert(
      fc.property(node, (drawn) => {
        const turned = splitPrice({ ...drawn, pods: drawn.pods.toReversed() });
        for (const [key, usd] of splitPrice(drawn).shares)
          expect(turned.shares.get(key)).toBeCloseTo(usd, 12);
      }),
    );
  });
});

describe('costBy', () => {
  const nodes = [
    costNode([costPod('shop/a', { cpu: 1000 }, { team: 'red' }), costPod('auth/b', { cpu: 2000 })]),
    costNode([costPod('shop/c', { cpu: 4000 }, { team: 'blue' })], { name: 'two', nodePool: 'batch' }),
  ];

  test('sums by namespace, most expensive first', () => {
    const { rows, idle, total } = costBy(nodes, { by: 'namespace' });
    expect(rows.map(({ key, pods: count }) => [key, count])).toEqual([
      ['shop', 2],
      ['auth', 1],
    ]);
    expect(rows.map(({ hourly }) => hourly)).toEqual(
      [0.25, 0.1].map((usd) => expect.closeTo(usd, 9) as number),
    );
    expect([idle, total]).toEqual([expect.closeTo(0.05, 9), expect.closeTo(0.4, 9)]);
  });

  test('sums by pool, and by a label with what lacks it apart', () => {
    expect(costBy(nodes, { by: 'nodepool' }).rows.map(({ key }) => key)).toEqual(['batch', 'general']);
    expect(costBy(nodes, { by: 'label', label: 'team' }).rows.map(({ key }) => key)).toEqual([
      'blue',
      '',
      'red',
    ]);
  });

  test('rows and idle are the total, whatever the grouping', () => {
    const groupings = fc.constantFrom(
      { by: 'namespace' } as const,
      { by: 'nodepool' } as const,
      { by: 'label', label: 'team' } as const,
    );
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), groupings, (all, grouping) => {
        const { rows, idle, total } = costBy(all, grouping);
        expect(sum(rows.map(({ hourly }) => hourly)) + idle).toBeCloseTo(total, 8);
      }),
    );
  });
});
