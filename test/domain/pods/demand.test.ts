import { DEFAULT_DEMAND_TERMS, demandStatus } from '../../../src/domain/pods/demand.js';
import { pod } from '../../support/builders/pod.js';

describe('demandStatus', () => {
  test.each(['default-scheduler', 'berth-scheduler'])('counts pending pods of %s', (schedulerName) => {
    expect(demandStatus(pod({ schedulerName }))).toBe('demand');
  });

  test.each([
    ['Bound', { nodeName: 'n1' }],
    ['Mirror', { mirror: true, nodeName: 'n1' }],
    ['Mirror', { owner: { kind: 'Node', name: 'n1' } }],
    ['DaemonSet', { owner: { kind: 'DaemonSet', name: 'agent' } }],
    ['SchedulingGated', { schedulingGated: true }],
    ['Pinned', { pinnedTo: 'node-1' }],
    ['Finished', { phase: 'Succeeded' as const }],
    ['Finished', { phase: 'Failed' as const, nodeName: 'n1' }],
    ['ForeignScheduler', { schedulerName: 'volcano' }],
    ['Terminating', { terminating: true }],
  ])('ignores a pod as %s', (ignored, overrides) => {
    expect(demandStatus(pod(overrides))).toEqual({ ignored });
  });

  test('counts pods with resource claims, so that a plan can give the reason why they wait', () => {
    expect(demandStatus(pod({ resourceClaims: ['gpu'] }))).toBe('demand');
  });

  test('takes the schedulers that it is given', () => {
    const mine = pod({ schedulerName: 'volcano' });
    const terms = { ...DEFAULT_DEMAND_TERMS, schedulers: ['volcano'] };
    expect(demandStatus(mine, terms)).toBe('demand');
    expect(demandStatus(pod(), terms)).toEqual({ ignored: 'ForeignScheduler' });
  });

  test('takes the least priority that it is given: a pod of that priority counts, one below does not', () => {
    const terms = { ...DEFAULT_DEMAND_TERMS, leastPriority: -10 };
    expect(demandStatus(pod({ priority: -10 }), terms)).toBe('demand');
    expect(demandStatus(pod({ priority: -11 }), terms)).toEqual({ ignored: 'LowPriority' });
    expect(demandStatus(pod({ priority: -1_000_000 }))).toBe('demand');
  });
});
