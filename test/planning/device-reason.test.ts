/** Reasons about devices, as a plan gives them and as they read. */
import type { DeviceReason } from '../../src/planning/device-reason.js';
import { describeReason } from '../../src/planning/describe-reason.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import {
  claimSpec,
  deviceObjects,
  DRIVER,
  gpus,
  request,
  resourceClaim,
} from '../support/builders/devices.js';
import { instanceType } from '../support/builders/instance-type.js';
import { poolOffer } from '../support/builders/node-pool.js';
import { pod } from '../support/builders/pod.js';
import { planFor, reasonFor } from './read-plan.js';

type Code = Exclude<DeviceReason['code'], 'DynamicResources'>;
interface Case<Given extends DeviceReason> {
  readonly input: Partial<ClusterInput>;
  readonly reason: Given;
  readonly says: readonly string[];
}

const pods = [pod({ resourceClaims: ['one'] })];
const types = [
  instanceType({ name: 'm5.large' }),
  instanceType({ name: 'g4.xlarge', devices: gpus(1, { numa: 0 }) }),
  instanceType({ name: 'g4.12xlarge', devices: gpus(24, { numa: 0 }) }),
];
const pools = [poolOffer({}, types)];
const shared = [pod({ resourceClaims: [{ name: 'gpu', claim: 'default/shared', template: undefined }] })];
const ONE = { claim: 'default/one', request: 'gpu' };

function asking(...spec: Parameters<typeof claimSpec>): Partial<ClusterInput> {
  return { pods, pools, devices: deviceObjects({ one: claimSpec(...spec) }) };
}

const cases: { readonly [Each in Code]: Case<Extract<DeviceReason, { readonly code: Each }>> } = {
  ResourceClaimNotFound: {
    input: { pods: shared, pools, devices: deviceObjects({}) },
    reason: { code: 'ResourceClaimNotFound', claim: 'default/shared' },
    says: ['ResourceClaim default/shared does not exist', 'create it'],
  },
  ResourceClaimTemplateNotFound: {
    input: { pods, pools, devices: deviceObjects({}) },
    reason: { code: 'ResourceClaimTemplateNotFound', template: 'default/one' },
    says: ['ResourceClaimTemplate default/one does not exist'],
  },
  ResourceClaimTerminating: {
    input: {
      pods: shared,
      pools,
      devices: deviceObjects({}, { claims: [resourceClaim({ terminating: true })] }),
    },
    reason: { code: 'ResourceClaimTerminating', claim: 'default/shared' },
    says: ['is being deleted'],
  },
  DeviceClassNotFound: {
    input: asking([request('gpu', { deviceClass: 'tpu' })]),
    reason: { code: 'DeviceClassNotFound', ...ONE, deviceClass: 'tpu' },
    says: ['request gpu of default/one names DeviceClass tpu, which does not exist'],
  },
  DeviceClaimUnknown: {
    input: asking([request('gpu', { count: 33 })]),
    reason: { code: 'DeviceClaimUnknown', claim: 'default/one', part: 'more than 32 devices' },
    says: ['has more than 32 devices, which Berth does not plan'],
  },
  DeviceSelector: {
    input: asking([request('gpu', { selectors: ['[1].all(x, x > 0)'] })]),
    reason: { code: 'DeviceSelector', ...ONE, expression: '[1].all(x, x > 0)', problem: 'must not call all' },
    says: ['the expression "[1].all(x, x > 0)" of request gpu of default/one must not call all'],
  },
  DevicesUnavailable: {
    input: asking([request('gpu', { count: 25 })]),
    reason: { code: 'DevicesUnavailable', ...ONE, wanted: 25, matching: 24, nearestType: 'g4.12xlarge' },
    says: ['asks for 25 devices', 'g4.12xlarge', 'has 24', 'add larger types'],
  },
  DeviceConstraint: {
    input: asking(
      [request('gpu', { count: 2 })],
      [{ kind: 'distinct', attribute: `${DRIVER}/numa`, requests: [] }],
    ),
    reason: { code: 'DeviceConstraint', ...ONE, attribute: `${DRIVER}/numa` },
    says: ['constraint on gpu.example.com/numa'],
  },
  DeviceSearch: {
    input: asking(
      [request('a', { count: 12 }), request('gpu', { count: 2 })],
      [{ kind: 'distinct', attribute: `${DRIVER}/numa`, requests: ['gpu'] }],
    ),
    reason: { code: 'DeviceSearch', claim: 'default/one' },
    says: ['too many ways', 'given up'],
  },
  DevicesElsewhere: {
    input: {
      pods: shared,
      pools,
      devices: deviceObjects(
        {},
        {
          claims: [
            resourceClaim({
              allocation: { devices: [], terms: [{ labels: new Map(), fields: new Map() }] },
            }),
          ],
        },
      ),
    },
    reason: { code: 'DevicesElsewhere', claim: 'default/shared' },
    says: ['are on another node'],
  },
};

describe('a pod whose claims cannot be satisfied', () => {
  test.each(Object.entries(cases))('gets the reason %s', (_, { input, reason }) => {
    expect(reasonFor(planFor(input))).toEqual(reason);
  });

  test.each(Object.entries(cases))('reads of %s what does not hold', (_, { reason, says }) => {
    const sentence = describeReason(reason);
    for (const part of says) expect(sentence).toContain(part);
  });
});
