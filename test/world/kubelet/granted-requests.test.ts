/** What a kubelet grants its pods, and which in-place resizes it defers. */
import { GrantedRequests, resizedStatus } from '../../../world/kubelet/granted-requests.js';
import type { Pod } from '../../../world/cluster/objects.js';

const NOW = Date.UTC(2026, 0, 1);

function pod(name: string, cpu: string, status: Pod['status'] = { phase: 'Running' }): Pod {
  const containers = [{ name: 'main', resources: { requests: { cpu } } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, uid: name },
    spec: { containers },
    status,
  } as unknown as Pod;
}

test('a resize that the node has no room for is Deferred until others have left, and granted then', () => {
  const granted = new GrantedRequests(() => ({ cpu: '2' }));
  granted.begin(pod('a', '1'));
  granted.begin(pod('b', '500m'));
  const asking = pod('b', '1200m');
  const deferred = resizedStatus(asking, granted.answer(asking) ?? { lacking: undefined }, NOW);
  expect(deferred.conditions).toMatchObject([
    { type: 'PodResizePending', status: 'True', reason: 'Deferred' },
  ]);
  const waiting = { ...asking, status: { ...deferred, containerStatuses: [{ name: 'main' }] } };
  expect(granted.answer(waiting)).toBeUndefined();
  granted.forget(pod('a', '1'));
  const answer = granted.answer(waiting);
  expect(answer).toEqual({ lacking: undefined });
  expect(resizedStatus(waiting, { lacking: undefined }, NOW)).toMatchObject({
    conditions: [],
    containerStatuses: [{ name: 'main', allocatedResources: { cpu: '1200m' } }],
  });
  expect(granted.lacking(pod('c', '900m'))).toBe('cpu');
});

test('of a pod that asks for what it was granted nothing is said', () => {
  const granted = new GrantedRequests(() => ({ cpu: '2' }));
  granted.begin(pod('a', '1'));
  expect(granted.answer(pod('a', '1'))).toBeUndefined();
  expect(granted.answer(pod('unknown', '1'))).toBeUndefined();
});
