import fc from 'fast-check';
import {
  fillPool,
  REPLICA_STAGES,
  scalePool,
  type Replica,
} from '../../../src/planning/replicas/scale-pool.js';

function replica(name: string, overrides: Partial<Replica> = {}): Replica {
  return {
    name,
    fate: 'Staying',
    stage: 'Empty',
    isProtected: false,
    hasDrifted: false,
    evictions: 0,
    createdAt: 0,
    ...overrides,
  };
}

const REPLICA: fc.Arbitrary<Omit<Replica, 'name'>> = fc.record({
  fate: fc.constantFrom('Staying', 'Replaced', 'Going'),
  stage: fc.constantFrom(...REPLICA_STAGES),
  isProtected: fc.boolean(),
  hasDrifted: fc.boolean(),
  evictions: fc.nat({ max: 3 }),
  createdAt: fc.nat({ max: 3 }),
});
const NODES = fc
  .array(REPLICA, { maxLength: 12 })
  .map((nodes) => nodes.map((node, index): Replica => ({ ...node, name: `n${String(index)}` })));

describe('scalePool', () => {
  test('launches what is missing, and nothing where there are as many as wanted', () => {
    expect(scalePool(3, [replica('a')], undefined)).toEqual({ launch: 2, withheld: 0, remove: [] });
    expect(scalePool(1, [replica('a')], undefined)).toEqual({ launch: 0, withheld: 0, remove: [] });
  });

  test('counts a node that is being replaced as there, and one that goes as gone', () => {
    const nodes = [replica('a', { fate: 'Replaced' }), replica('b', { fate: 'Going' })];
    expect(scalePool(2, nodes, undefined).launch).toBe(1);
    expect(scalePool(1, [...nodes, replica('replacement')], undefined)).toEqual({
      launch: 0,
      withheld: 0,
      remove: [],
    });
  });

  test('launches no more than limits.nodes leaves, nodes that go among them', () => {
    const nodes = [replica('a'), replica('b', { fate: 'Going' })];
    expect(scalePool(4, nodes, 3)).toEqual({ launch: 1, withheld: 1, remove: [] });
  });

  test('withholds none that only wait until others are gone', () => {
    const nodes = [replica('a'), replica('b', { fate: 'Going' })];
    expect(scalePool(2, nodes, 2)).toEqual({ launch: 0, withheld: 0, remove: [] });
  });

  test('keeps none of zero replicas', () => {
    expect(scalePool(0, [replica('a'), replica('b')], undefined).remove).toHaveLength(2);
  });

  test('removes the nodes first that are not there yet, then empty ones, then those with fewest evictions, protected ones last', () => {
    const nodes = [
      replica('protected', { isProtected: true }),
      replica('busy', { stage: 'InUse', evictions: 3 }),
      replica('calm', { stage: 'InUse', evictions: 1 }),
      replica('empty'),
      replica('drifted', { hasDrifted: true }),
      replica('old', { stage: 'Launched', createdAt: 1 }),
      replica('young', { stage: 'Launched', createdAt: 2 }),
      replica('requested', { stage: 'Requested' }),
    ];
    expect(scalePool(0, nodes, undefined).remove).toEqual([
      'requested',
      'young',
      'old',
      'drifted',
      'empty',
      'calm',
      'busy',
      'protected',
    ]);
  });

  test('whatever the nodes: once carried out there are as many as wanted or as limits.nodes allows, and nothing more is done', () => {
    const limits = fc.option(fc.nat({ max: 12 }), { nil: undefined });
    fc.assert(
      fc.property(fc.nat({ max: 12 }), NODES, limits, (wanted, nodes, limit) => {
        const { launch, withheld, remove } = scalePool(wanted, nodes, limit);
        expect(launch > 0 && remove.length > 0).toBe(false);
        expect(launch).toBeLessThanOrEqual(Math.max(0, (limit ?? Infinity) - nodes.length));
        const staying = nodes.filter(({ fate }) => fate === 'Staying').map(({ name }) => name);
        expect(remove.filter((name) => !staying.includes(name))).toEqual([]);
        const left = nodes.filter(({ fate, name }) => fate !== 'Going' && !remove.includes(name));
        const kept = left.filter(({ fate }) => fate === 'Staying');
        expect(kept.length).toBeLessThanOrEqual(wanted);
        const going = nodes.filter(({ fate }) => fate === 'Going').length;
        expect(left.length + launch + withheld + going).toBeGreaterThanOrEqual(wanted);
        expect(withheld).toBe(Math.max(0, wanted - Math.max(limit ?? Infinity, left.length)));
        const after = nodes.map((node): Replica =>
          remove.includes(node.name) ? { ...node, fate: 'Going' } : node,
        );
        const launched = Array.from({ length: launch }, (_, index) => replica(`new-${String(index)}`));
        expect(scalePool(wanted, [...after, ...launched], limit)).toEqual({
          launch: 0,
          withheld,
          remove: [],
        });
      }),
    );
  });

  test('whatever the order of the nodes, the same ones go', () => {
    fc.assert(
      fc.property(fc.nat({ max: 12 }), NODES, (wanted, nodes) => {
        const { remove } = scalePool(wanted, nodes, undefined);
        expect(scalePool(wanted, [...nodes].reverse(), undefined).remove).toEqual(remove);
      }),
    );
  });
});

test('a minimum launches what static replicas would, and removes nothing', () => {
  fc.assert(
    fc.property(fc.nat({ max: 12 }), NODES, (minimum, nodes) => {
      const { launch, withheld } = scalePool(minimum, nodes, 8);
      expect(fillPool(minimum, nodes, 8)).toEqual({ launch, withheld, remove: [] });
    }),
  );
});
