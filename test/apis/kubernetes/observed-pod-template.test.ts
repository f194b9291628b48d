import { decodePodTemplate } from '../../../src/apis/kubernetes/workloads/observed-pod-template.js';

test('a PodTemplate is read as the pod that would be made of it, labels and node selector included', () => {
  const spec = {
    nodeSelector: { zone: 'a' },
    containers: [{ name: 'main', resources: { requests: { cpu: '2' } } }],
  };
  const { value, findings } = decodePodTemplate({
    metadata: { namespace: 'ml', name: 'worker', uid: 'u1', resourceVersion: '7' },
    template: { metadata: { labels: { app: 'train' } }, spec },
  });
  expect(findings).toEqual([]);
  expect(value).toMatchObject({ namespace: 'ml', name: 'worker', uid: 'u1', resourceVersion: '7' });
  expect(value?.pod.spec.labels).toEqual(new Map([['app', 'train']]));
  expect(value?.pod.spec.nodeSelector).toEqual(new Map([['zone', 'a']]));
  expect(value?.pod.spec.requests.get('cpu')).toBe(2000);
  expect(value?.pod.nodeName).toBeUndefined();
});
