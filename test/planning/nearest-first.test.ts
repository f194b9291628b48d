/** The order in which a pod's reasons are told. */
import { nearestFirst } from '../../src/planning/nearest-first.js';
import type { PoolReason } from '../../src/planning/plan.js';

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
});
