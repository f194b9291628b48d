import { demandStatus } from '../../../src/domain/pods/demand.js';
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
    expect(demandStatus(pod({ hasResourceClaims: true }))).toBe('demand');
  });

  test('takes the schedulers that it is given', () => {
    const mine = pod({ schedulerName: 'volcano' });
    expect(demandStatus(mine, ['volcano'])).toBe('demand');
    expect(demandStatus(pod(), ['volcano'])).toEqual({ ignored: 'ForeignScheduler' });
  });
});
