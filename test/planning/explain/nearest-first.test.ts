/** The order in which a pod's reasons are told. */
import { nearestFirst } from '../../../src/planning/explain/nearest-first.js';
import type { PoolReason } from '../../../src/planning/plan.js';

describe('nearestFirst', () => {
  test('tells of pools that could have taken the pod before those that were never meant for it', () => {
    const foreign: PoolReason = {
      nodePool: 'a',
      reason: { code: 'IncompatibleLabel', key: 'team', wanted: 'x', offered: 'y' },
    };
    const tainted: PoolReason = {
      nodePool: 'b',
      reason: { code: 'UntoleratedTaint', taint: { key: 'gpu', value: '', effect: 'NoSchedule' } },
    };
    const full: PoolReason = { nodePool: 'c', reason: { code: 'HostPortConflict', port: 80 } };
    const spread: PoolReason = {
      nodePool: 'd',
      reason: { code: 'TopologySpread', key: 'zone', maxSkew: 1 },
    };
    expect(nearestFirst([foreign, full, tainted, spread])).toEqual([full, spread, foreign, tainted]);
  });

  test('a pool in the wrong zone is nearer than one that is kept for another team', () => {
    const apart: PoolReason = {
      nodePool: 'apart',
      reason: { code: 'IncompatibleLabel', key: 'team', wanted: 'In [tour]', offered: 'no such label' },
    };
    const elsewhere: PoolReason = {
      nodePool: 'elsewhere',
      reason: {
        code: 'IncompatibleLabel',
        key: 'topology.kubernetes.io/zone',
        wanted: 'In [us-east-1a]',
        offered: '[us-east-1b]',
        pool: { kind: 'allow', values: ['us-east-1a'] },
      },
    };
    expect(nearestFirst([apart, elsewhere])).toEqual([elsewhere, apart]);
  });

  test('of two limits the one that lacks less comes first, and two changes come after one', () => {
    const limit = (nodePool: string, inUse: number): PoolReason => ({
      nodePool,
      reason: { code: 'LimitReached', resource: 'cpu', limit: 4000, inUse, needed: 2000 },
    });
    const both: PoolReason = { ...limit('both', 3000), also: [{ code: 'HostPortConflict', port: 80 }] };
    expect(
      nearestFirst([both, limit('far', 4000), limit('near', 3000)]).map(({ nodePool }) => nodePool),
    ).toEqual(['near', 'far', 'both']);
  });
});
