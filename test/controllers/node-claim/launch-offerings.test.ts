/** What a claim may be launched as. */
import { launchOfferings } from '../../../src/controllers/node-claim/launch-offerings.js';
import type { CapacityType } from '../../../src/domain/instance-type.js';
import { requirement, type Requirement } from '../../../src/domain/requirement.js';
import { instanceType, ZONE_A, ZONE_B, ZONES } from '../../support/builders/instance-type.js';
import { nodeClaimSpec } from '../../support/builders/node-claim.js';
import { amounts } from '../../support/builders/pod.js';

const TYPES = [
  instanceType({ name: 'm5.large', price: 0.1 }),
  instanceType({ name: 'm6i.large', price: 0.1 }),
  instanceType({ name: 'm6i.4xlarge', price: 0.8, vcpu: 16, memoryMiB: 65536 }),
];

function offered(
  requirements: readonly Requirement[],
  more: {
    readonly isUnavailable?: (instanceType: string, zone: string, capacityType: CapacityType) => boolean;
    readonly requests?: Readonly<Record<string, string>>;
    readonly zones?: readonly string[];
  } = {},
): readonly string[] {
  const { isUnavailable = () => false, requests = {}, zones = ZONES } = more;
  const answer = launchOfferings({
    spec: nodeClaimSpec({ requirements }),
    requests: amounts(requests),
    types: TYPES,
    zones: new Set(zones),
    isUnavailable,
  });
  return (answer?.offerings ?? []).map(
    ({ instanceType: type, zone }) => `${answer?.capacityType ?? ''} ${type} ${zone.slice(-1)}`,
  );
}

const TYPE = 'node.kubernetes.io/instance-type';
const CAPACITY = 'karpenter.sh/capacity-type';
const ZONE = 'topology.kubernetes.io/zone';

describe('launchOfferings', () => {
  test('keeps the claim’s ranking among equal prices', () => {
    expect(
      offered([requirement(TYPE, 'In', ['m6i.large', 'm5.large']), requirement(ZONE, 'In', [ZONE_A])]),
    ).toEqual(['spot m6i.large a', 'spot m5.large a']);
  });

  test('is about spot as long as one spot offering is left, then about on-demand', () => {
    const required = [requirement(TYPE, 'In', ['m5.large']), requirement(ZONE, 'In', [ZONE_A, ZONE_B])];
    const isUnavailable = (_type: string, zone: string, capacityType: CapacityType): boolean =>
      capacityType === 'spot' && zone === ZONE_A;
    expect(offered(required, { isUnavailable })).toEqual(['spot m5.large b']);
    const noSpot = (_type: string, _zone: string, capacityType: CapacityType): boolean =>
      capacityType === 'spot';
    expect(offered(required, { isUnavailable: noSpot })).toEqual([
      'on-demand m5.large a',
      'on-demand m5.large b',
    ]);
  });

  test('heeds the capacity types that the claim allows', () => {
    const required = [requirement(TYPE, 'In', ['m5.large']), requirement(CAPACITY, 'NotIn', ['spot'])];
    expect(offered(required)).toHaveLength(3);
    expect(offered([...required, requirement(CAPACITY, 'In', ['reserved'])])).toEqual([]);
  });

  test('offers only zones with a subnet', () => {
    expect(offered([requirement(TYPE, 'In', ['m5.large'])], { zones: [ZONE_B] })).toEqual([
      'spot m5.large b',
    ]);
  });

  test('a claim made by hand is judged by the labels of types, and by what fits', () => {
    const large = [
      requirement('karpenter.k8s.aws/instance-cpu', 'Gt', ['4']),
      requirement('team', 'In', ['web']),
    ];
    expect(offered(large, { zones: [ZONE_A] })).toEqual(['spot m6i.4xlarge a']);
    expect(offered([], { zones: [ZONE_A], requests: { cpu: '8' } })).toEqual(['spot m6i.4xlarge a']);
  });

  test('answers nothing when nothing is left', () => {
    expect(offered([], { isUnavailable: () => true })).toEqual([]);
  });
});
