import { isUsable } from '../../../src/state/nodes/node-state.js';
import { observedNode } from '../../support/builders/observed-node.js';

const NOT_READY = 'node.kubernetes.io/not-ready';

describe('isUsable', () => {
  test('holds for a Ready node whose not-ready:NoExecute has not been taken off yet, which pods tolerate for some minutes', () => {
    const taints = [{ key: NOT_READY, value: '', effect: 'NoExecute' as const }];
    expect(isUsable(observedNode({ taints }), undefined)).toBe(true);
    expect(isUsable(observedNode({ taints, ready: false }), undefined)).toBe(false);
  });

  test.each([
    [NOT_READY, 'NoSchedule'],
    ['node.kubernetes.io/unreachable', 'NoSchedule'],
    ['node.cloudprovider.kubernetes.io/uninitialized', 'NoSchedule'],
    ['karpenter.sh/unregistered', 'NoExecute'],
  ] as const)('does not hold while the node has %s:%s', (key, effect) => {
    expect(isUsable(observedNode({ taints: [{ key, value: '', effect }] }), undefined)).toBe(false);
  });
});
