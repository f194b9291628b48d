import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import { isNewsForPlanning } from '../../../src/state/planning/node-news.js';
import { observedNode } from '../../support/builders/observed-node.js';

const READY = { type: 'Ready', status: 'True', reason: 'KubeletReady', since: 1000 } as const;

/** Decoded anew each time, as it comes from a watch. */
function seen(change: Partial<ObservedNode> = {}): ObservedNode {
  const node = observedNode({
    taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
    annotations: { 'csi.volume.kubernetes.io/nodeid': 'one' },
    conditions: [READY],
  });
  return { ...node, ...change };
}

describe('isNewsForPlanning', () => {
  test.each<[string, Partial<ObservedNode>]>([
    ['a heartbeat', { resourceVersion: '2' }],
    [
      'an annotation of somebody else',
      { annotations: new Map([['csi.volume.kubernetes.io/nodeid', 'two']]) },
    ],
    ['a finalizer', { finalizers: ['example.com/hold'] }],
    ['another time of a condition', { conditions: [{ ...READY, since: 2000 }] }],
  ])('%s is none', (_what, change) => {
    expect(isNewsForPlanning({ before: seen(), after: seen(change) })).toBe(false);
  });

  test.each<[string, Partial<ObservedNode>]>([
    ['another node of the name', { uid: 'other' }],
    ['a label', { labels: new Map([['team', 'a']]) }],
    ['a taint less', { taints: [] }],
    ['a cordon', { unschedulable: true }],
    ['other room for pods', { allocatable: new Map([['cpu', 1]]) }],
    ['other capacity', { capacity: new Map([['cpu', 1]]) }],
    ['its instance', { providerID: 'aws:///eu-west-3a/i-1' }],
    ['a limit of volumes', { volumeLimits: new Map([['ebs.csi.aws.com', 3]]) }],
    ['a declared feature', { declaredFeatures: new Set(['GuaranteedQoSPodCPUResize']) }],
    ['being no longer ready', { ready: false }],
    ['the status of a condition', { conditions: [{ ...READY, status: 'Unknown' }] }],
    ['the reason of a condition', { conditions: [{ ...READY, reason: 'Other' }] }],
    ['do-not-disrupt', { annotations: new Map([['karpenter.sh/do-not-disrupt', 'true']]) }],
    ['do-not-repair', { annotations: new Map([['karpenter.sh/do-not-repair', 'true']]) }],
    ['its end', { deletionTimestamp: 1 }],
  ])('%s is one', (_what, change) => {
    expect(isNewsForPlanning({ before: seen(), after: seen(change) })).toBe(true);
  });

  test('a node that comes or goes is one', () => {
    expect(isNewsForPlanning({ before: undefined, after: seen() })).toBe(true);
    expect(isNewsForPlanning({ before: seen(), after: undefined })).toBe(true);
  });
});
