/** CreateFleet's answers, as EC2 words them: which offering each of its complaints is about. */
import type { CreateFleetError, CreateFleetResult } from '@aws-sdk/client-ec2';
import { launchAnswer, reachOf } from '../../../../../src/clouds/aws/adapter/launch/fleet-answer.js';
import { fleetRequest } from '../../../../../src/clouds/aws/adapter/launch/fleet-request.js';
import type { LaunchOverride } from '../../../../../src/domain/nodes/node-claim.js';
import type { LaunchCall } from '../../../../../src/ports/cloud.js';

function override(instanceType: 'm5.large' | 'm7g.large', zone: string): LaunchOverride {
  const arch = instanceType === 'm5.large' ? 'amd' : 'arm';
  const launchTemplate = { id: `lt-${arch}`, version: '1' };
  return {
    instanceType,
    zone,
    price: 0.1,
    imageID: `ami-${arch}`,
    launchTemplate,
    subnetID: `subnet-${zone}`,
  };
}

const CALL: LaunchCall = {
  token: 'token-1',
  request: {
    capacityType: 'spot',
    size: 2,
    overrides: [
      override('m7g.large', 'a'),
      override('m5.large', 'a'),
      override('m7g.large', 'b'),
      override('m5.large', 'b'),
    ],
  },
  tags: new Map([['k', 'v']]),
  labels: new Map(),
  taints: [],
};

function failures(...Errors: readonly CreateFleetError[]): readonly string[] {
  const answer = launchAnswer(CALL, { Errors: [...Errors] }, 0);
  return answer.failures.map(({ instanceType, zone, code }) => `${instanceType} ${zone} ${code}`);
}

const ICE = 'InsufficientInstanceCapacity';

describe('a complaint', () => {
  test('is about the offering that it names, by zone or by subnet', () => {
    const Overrides = { InstanceType: 'm5.large', AvailabilityZone: 'b' } as const;
    expect(failures({ ErrorCode: ICE, LaunchTemplateAndOverrides: { Overrides } })).toEqual([
      `m5.large b ${ICE}`,
    ]);
    const bySubnet = { InstanceType: 'm7g.large', SubnetId: 'subnet-a' } as const;
    expect(failures({ ErrorCode: ICE, LaunchTemplateAndOverrides: { Overrides: bySubnet } })).toEqual([
      `m7g.large a ${ICE}`,
    ]);
  });

  test('that names a template only is about all offerings with it', () => {
    const LaunchTemplateSpecification = { LaunchTemplateId: 'lt-arm', Version: '1' };
    const LaunchTemplateAndOverrides = { LaunchTemplateSpecification };
    expect(failures({ ErrorCode: 'UnfulfillableCapacity', LaunchTemplateAndOverrides })).toEqual([
      'm7g.large a UnfulfillableCapacity',
      'm7g.large b UnfulfillableCapacity',
    ]);
  });

  test('that names nothing, or nothing that was asked for, is about all of them', () => {
    const Overrides = { InstanceType: 'c5.large' } as const;
    expect(failures({ ErrorCode: ICE })).toHaveLength(4);
    expect(failures({ ErrorCode: ICE, LaunchTemplateAndOverrides: { Overrides } })).toHaveLength(4);
    expect(failures({})).toEqual(
      CALL.request.overrides.map(({ instanceType, zone }) => `${instanceType} ${zone} Unknown`),
    );
  });

  test('that comes twice is told once, and all are told in the order of the request', () => {
    const at = (InstanceType: 'm5.large' | 'm7g.large', AvailabilityZone: string): CreateFleetError => ({
      ErrorCode: ICE,
      LaunchTemplateAndOverrides: { Overrides: { InstanceType, AvailabilityZone } },
    });
    expect(failures(at('m5.large', 'b'), at('m7g.large', 'a'), at('m5.large', 'b'))).toEqual([
      `m7g.large a ${ICE}`,
      `m5.large b ${ICE}`,
    ]);
  });
});

test('instances of one group share what it says, and what it does not say is known from the request', () => {
  const answer: CreateFleetResult = {
    Instances: [
      {
        InstanceIds: ['i-1', 'i-2'],
        InstanceType: 'm5.large',
        LaunchTemplateAndOverrides: { Overrides: { SubnetId: 'subnet-b' } },
      },
    ],
  };
  expect(launchAnswer(CALL, answer, 7).instances).toEqual(
    ['i-1', 'i-2'].map((id) => ({
      id,
      providerID: `aws:///b/${id}`,
      instanceType: 'm5.large',
      zone: 'b',
      capacityType: 'spot',
      imageID: 'ami-amd',
      state: 'pending',
      launchedAt: 7,
      tags: new Map([['k', 'v']]),
    })),
  );
});

test('an answer that says nothing has neither', () => {
  expect(launchAnswer(CALL, {}, 0)).toEqual({ instances: [], failures: [] });
});

test('each template is asked for once, with its overrides and their rank in the whole', () => {
  const configs = fleetRequest(CALL).LaunchTemplateConfigs ?? [];
  const told = configs.map(({ LaunchTemplateSpecification: template, Overrides = [] }) => [
    template?.LaunchTemplateId,
    Overrides.map(({ AvailabilityZone, Priority }) => `${AvailabilityZone ?? ''}${String(Priority)}`),
  ]);
  expect(told).toEqual([
    ['lt-arm', ['a0', 'b2']],
    ['lt-amd', ['a1', 'b3']],
  ]);
});

test.each([
  [{ size: 0 }, 'size 0: must be at least 1'],
  [{ overrides: [] }, 'overrides: at least one is needed'],
  [
    { overrides: [{ ...override('m5.large', 'a'), launchTemplate: undefined }] },
    'overrides: each needs a launch template',
  ],
])('%j is refused before EC2 is asked', (change, message) => {
  expect(() => fleetRequest({ ...CALL, request: { ...CALL.request, ...change } })).toThrow(message);
});

test.each([
  ['InsufficientInstanceCapacity', 'offering'],
  ['AnythingThatIsNotListed', 'offering'],
  ['InsufficientFreeAddressesInSubnet', 'zone'],
  ['MaxSpotInstanceCountExceeded', 'capacity-type'],
  ['RequestLimitExceeded', 'none'],
  ['InternalError', 'none'],
  ['InvalidLaunchTemplateId.NotFound', 'none'],
  ['InvalidLaunchTemplateName.NotFoundException', 'none'],
  ['UnauthorizedOperation', 'pool'],
  ['InvalidParameterValue', 'pool'],
  ['InvalidAMIID.NotFound', 'pool'],
  ['InvalidAMIID.Unavailable', 'pool'],
  ['InvalidGroup.NotFound', 'pool'],
  ['InvalidSubnetID.NotFound', 'pool'],
  ['InvalidCapacityReservationId.NotFound', 'offering'],
])('%s reaches %s', (code, reach) => {
  expect(reachOf(code)).toBe(reach);
});
