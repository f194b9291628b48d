/** What a claim may be launched as. */
import { launchOfferings } from '../../../src/controllers/node-claim/launch/launch-offerings.js';
import type { CapacityType, InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { requirement, type Requirement } from '../../../src/domain/values/requirement.js';
import { instanceType, offering, ZONE_A, ZONE_B, ZONES } from '../../support/builders/instance-type.js';
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
    readonly types?: readonly InstanceType[];
    readonly fullReservation?: string;
  } = {},
): readonly string[] {
  const { isUnavailable = () => false, requests = {}, zones = ZONES, types = TYPES } = more;
  const answer = launchOfferings({
    spec: nodeClaimSpec({ requirements }),
    requests: amounts(requests),
    types,
    zones: new Set(zones),
    isUnavailable,
    isReservationUnavailable: (id) => id === more.fullReservation,
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

  test('prefers the first of the zones among equal prices, and never to a lower price', () => {
    const required = [
      requirement(TYPE, 'In', ['m6i.large', 'm6i.4xlarge']),
      requirement(CAPACITY, 'In', ['on-demand']),
    ];
    expect(offered(required, { zones: [...ZONES].reverse() })).toEqual([
      'on-demand m6i.large c',
      'on-demand m6i.large b',
      'on-demand m6i.large a',
      'on-demand m6i.4xlarge c',
      'on-demand m6i.4xlarge b',
      'on-demand m6i.4xlarge a',
    ]);
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

  test('a claim for a capacity reservation is launched into no other', () => {
    const of = (id: string, zone: string) =>
      offering({ zone, capacityType: 'reserved', price: 0, reservation: { id, count: 1 } });
    const [type = instanceType()] = TYPES;
    const types = [
      { ...type, offerings: [of('cr-1', ZONE_A), of('cr-2', ZONE_B), of('cr-3', ZONE_B), ...type.offerings] },
    ];
    const required = [requirement(TYPE, 'In', ['m5.large'])];
    const named = [...required, requirement('karpenter.k8s.aws/capacity-reservation-id', 'In', ['cr-3'])];
    expect(offered(named, { types })).toEqual(['reserved m5.large b']);
    expect(offered(required, { types })).toEqual(['reserved m5.large a', 'reserved m5.large b']);
    expect(offered(named)).toEqual([]);
    expect(offered(named, { types, fullReservation: 'cr-3' })).toEqual([]);
    expect(offered(named, { types, fullReservation: 'cr-2' })).toEqual(['reserved m5.large b']);
  });

  describe('of more offerings than a call carries', () => {
    /** 70 types, the later the dearer, each in three zones. */
    const many = Array.from({ length: 70 }, (_, index) =>
      instanceType({ name: `m${String(index)}.large`, price: 0.1 + index / 1000 }),
    );
    const typesOf = (offerings: readonly string[]): ReadonlySet<string | undefined> =>
      new Set(offerings.map((text) => text.split(' ')[1]));

    test('takes the cheapest', () => {
      const offerings = offered([], { types: many });
      expect(offerings).toHaveLength(200);
      expect(typesOf(offerings).size).toBe(67);
    });

    test('keeps so many types as minValues need, the cheapest offerings besides', () => {
      const names = many.map(({ name }) => name);
      const offerings = offered([requirement(TYPE, 'In', names, 70), requirement(ZONE, 'Exists', [], 3)], {
        types: many,
      });
      expect(offerings).toHaveLength(200);
      expect(typesOf(offerings).size).toBe(70);
      expect(new Set(offerings.map((text) => text.at(-1)))).toEqual(new Set(['a', 'b', 'c']));
    });
  });

  test('answers nothing when nothing is left', () => {
    expect(offered([], { isUnavailable: () => true })).toEqual([]);
  });
});
