/** ProvisioningRequests as Kueue and people write them. */
import {
  decodeProvisioningRequest,
  encodeRequestConditions,
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
        ...{ validSeconds: 60, noRetry: true, conditions: [] },
      },
    });
  },
);

test('parameters that cannot be read are reported, and their defaults hold', () => {
  const { value, findings } = decoded({ parameters: { ValidUntilSeconds: '1h', noRetry: 'yes' } });
  expect(value).toMatchObject({ validSeconds: 604_800, noRetry: false });
  expect(findings.map(({ path, text }) => `${path.join('.')} ${text}`)).toEqual([
    'spec.parameters.ValidUntilSeconds must be a whole number of seconds, not "1h": 604800 is taken instead',
    'spec.parameters.noRetry must be "true" or "false", not "yes": "false" is taken instead',
  ]);
});

test('conditions are written as they are read', () => {
  const conditions: readonly Condition[] = [
    {
      type: 'Provisioned',
      status: 'True',
      reason: 'CapacityIsFound',
      message: 'room',
      lastTransitionTime: Date.UTC(2026, 0, 1),
    },
  ];
  const status = { conditions: encodeRequestConditions(conditions, 1) };
  const { value } = decodeProvisioningRequest({ metadata: METADATA, spec: SPEC, status });
  expect(value?.conditions).toEqual(conditions);
  expect(value && requestStage(value)).toBe('Provisioned');
});
