/** ProvisioningRequests as Kueue and people write them. */
import {
  decodeProvisioningRequest,
  encodeRequestStatus,
} from '../../../src/apis/autoscaling/provisioning-request.js';
import type { Condition } from '../../../src/domain/values/condition.js';
import { requestStage } from '../../../src/domain/pods/provisioning-request.js';

const METADATA = {
  ...{ namespace: 'ml', name: 'train', uid: 'u1', resourceVersion: '7', generation: 1 },
  creationTimestamp: '2026-01-01T00:00:00Z',
};
const SPEC = {
  provisioningClassName: 'check-capacity.autoscaling.x-k8s.io',
  podSets: [{ podTemplateRef: { name: 'worker' }, count: 3 }],
};

function decoded(spec: object, apiVersion = 'autoscaling.x-k8s.io/v1') {
  return decodeProvisioningRequest({ apiVersion, metadata: METADATA, spec: { ...SPEC, ...spec } });
}

test.each(['autoscaling.x-k8s.io/v1', 'autoscaling.x-k8s.io/v1beta1'])(
  'a request of %s is read with what it asks for, and remembers its version',
  (apiVersion) => {
    expect(decoded({ parameters: { ValidUntilSeconds: '60', noRetry: 'true' } }, apiVersion)).toEqual({
      findings: [],
      value: {
        ...{ namespace: 'ml', name: 'train', uid: 'u1', resourceVersion: '7', generation: 1, apiVersion },
        createdAt: Date.UTC(2026, 0, 1),
        className: 'check-capacity.autoscaling.x-k8s.io',
        podSets: [{ template: 'worker', count: 3 }],
        ...{ validSeconds: 60, noRetry: true, partialCheck: undefined, processorInstance: '' },
        ...{ conditions: [], schedulablePodSets: undefined },
      },
    });
  },
);

test('parameters that cannot be read are reported, and their defaults hold', () => {
  const parameters = { ValidUntilSeconds: '1h', noRetry: 'yes', partialCapacityCheck: 'true' };
  const { value, findings } = decoded({ parameters });
  expect(value).toMatchObject({ validSeconds: 604_800, noRetry: false, partialCheck: undefined });
  expect(findings.map(({ path, text }) => `${path.join('.')} ${text}`)).toEqual([
    'spec.parameters.ValidUntilSeconds must be a whole number of seconds, not "1h": 604800 is taken instead',
    'spec.parameters.noRetry must be "true" or "false", not "yes": "false" is taken instead',
    'spec.parameters.partialCapacityCheck must be "bookPartial" or "checkOnly", not "true": all pods count together',
  ]);
});

test('the check of a part and the instance that is to answer are parameters', () => {
  const { value } = decoded({ parameters: { partialCapacityCheck: 'checkOnly', processorInstance: 'gpus' } });
  expect(value).toMatchObject({ partialCheck: 'checkOnly', processorInstance: 'gpus' });
});

test('the status is written as it is read', () => {
  const conditions: readonly Condition[] = [
    {
      type: 'Provisioned',
      status: 'True',
      reason: 'CapacityIsFound',
      message: 'room',
      lastTransitionTime: Date.UTC(2026, 0, 1),
    },
  ];
  const schedulablePodSets = '["worker"]';
  const status = encodeRequestStatus(
    { conditions, schedulablePodSets },
    { generation: 1, schedulablePodSets: undefined },
  );
  const { value } = decodeProvisioningRequest({ metadata: METADATA, spec: SPEC, status });
  expect(value).toMatchObject({ conditions, schedulablePodSets });
  expect(value && requestStage(value)).toBe('Provisioned');
});

test('details that stay as they are, are not written, and those that are no longer true are taken away', () => {
  const details = (schedulablePodSets: string | undefined, before: string | undefined) =>
    encodeRequestStatus(
      { conditions: [], schedulablePodSets },
      { generation: 1, schedulablePodSets: before },
    )['provisioningClassDetails'];
  expect(details('["worker"]', '["worker"]')).toBeUndefined();
  expect(details(undefined, undefined)).toBeUndefined();
  expect(details(undefined, '["worker"]')).toEqual({ schedulablePodSets: null });
});
