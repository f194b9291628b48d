import { decodeHorizontalPodAutoscaler } from '../../../src/apis/kubernetes/workloads/horizontal-pod-autoscaler.js';

const metadata = { name: 'web', namespace: 'shop' };

test.each([
  ['Deployment', 'shop/frontend'],
  ['StatefulSet', undefined],
])('a HorizontalPodAutoscaler of a %s names %s', (kind, deployment) => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind, name: 'frontend' };
  expect(decodeHorizontalPodAutoscaler({ metadata, spec: { scaleTargetRef } })).toEqual({
    value: { ...metadata, deployment },
    findings: [],
  });
});
