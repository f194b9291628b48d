/** Kinds of Kubernetes that are named wrongly. */
import { misnamedKind } from '../../../../src/apis/kubernetes/object/misnamed-kind.js';

describe('a misnamed kind', () => {
  test.each([
    ['v1', 'Deployment', 'apps/v1'],
    ['apps/v1', 'Pod', 'v1'],
    ['extensions/v1beta1', 'Deployment', 'apps/v1'],
    ['apps/v1', 'PodDisruptionBudget', 'policy/v1'],
    ['v1', 'StorageClass', 'storage.k8s.io/v1'],
    ['apps/v1', 'ConfigMap', 'v1'],
  ])('under another group is refused with the right version: %s %s', (apiVersion, kind, right) => {
    expect(misnamedKind({ apiVersion, kind })).toMatchObject({
      severity: 'error',
      path: ['apiVersion'],
      text: `must be ${right} for ${kind}, not ${apiVersion}`,
    });
  });

  test.each([
    ['apps/v1', 'Deplyment', 'Deployment'],
    ['apps/v1', 'statefulset', 'StatefulSet'],
    ['v1', 'pod', 'Pod'],
    ['v1', 'Confimap', 'ConfigMap'],
    ['v1', 'Deplyment', 'Deployment'],
    ['batch/v1', 'Jobs', 'Job'],
  ])('is refused with a guess: %s %s', (apiVersion, kind, guess) => {
    expect(misnamedKind({ apiVersion, kind })).toMatchObject({ severity: 'error', path: ['kind'], guess });
  });

  test.each([
    ['apps/v1', 'Deployment'],
    ['apps/v1beta2', 'Deployment'],
    ['batch.volcano.sh/v1alpha1', 'Job'],
    ['example.com/v1', 'Deplyment'],
    ['metrics.k8s.io/v1beta1', 'NodeMetrics'],
    ['metrics.k8s.io/v1beta1', 'PodMetrics'],
  ])('is not %s %s', (apiVersion, kind) => {
    expect(misnamedKind({ apiVersion, kind })).toBeUndefined();
  });

  /** Kinds that the API server has in these groups beside those that Berth reads. */
  test.each([
    [
      'v1',
      'Binding ComponentStatus Endpoints Event LimitRange PodTemplate ResourceQuota Secret Service ServiceAccount',
    ],
    ['apps/v1', 'ControllerRevision'],
    ['batch/v1', 'CronJob'],
    ['policy/v1', 'Eviction PodSecurityPolicy'],
    ['scheduling.k8s.io/v1alpha1', 'Workload PodGroup'],
    ['storage.k8s.io/v1', 'CSIDriver CSIStorageCapacity VolumeAttachment VolumeAttributesClass'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler'],
    ['networking.k8s.io/v1', 'Ingress IngressClass NetworkPolicy'],
  ])('is none of the others of %s', (apiVersion, kinds) => {
    for (const kind of kinds.split(' '))
      expect([kind, misnamedKind({ apiVersion, kind })]).toEqual([kind, undefined]);
  });
});
