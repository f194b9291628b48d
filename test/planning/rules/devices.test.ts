/** Pods that claim devices: where they may go, what is launched for them, and why there is no place. */
import type { NodeSelectorTerm } from '../../../src/domain/pods/affinity.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import {
  claimSpec,
  deviceObjects,
  DRIVER,
  gpus,
  request,
  resourceClaim,
} from '../../support/builders/devices.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';
import { claimSizes, firstTypes, leftOut, placeOf, planFor, reasonFor } from '../read-plan.js';

const ONE = claimSpec([request('gpu')]);
const T4 = { model: 't4' };
const A10 = { model: 'a10' };

const plain = instanceType({ name: 'm5.large' });
const small = instanceType({
  name: 'g4.xlarge',
  vcpu: 4,
  memoryMiB: 16384,
  price: 0.5,
  devices: gpus(1, T4),
});
const large = instanceType({
  name: 'g4.12xlarge',
  vcpu: 48,
  memoryMiB: 196608,
  price: 3.9,
  devices: gpus(4, T4),
});
const better = instanceType({
  name: 'g5.xlarge',
  vcpu: 4,
  memoryMiB: 16384,
  price: 1,
  devices: gpus(1, A10),
});
const TYPES: readonly InstanceType[] = [plain, small, large, better];

function inputWith(overrides: Partial<ClusterInput>): Partial<ClusterInput> {
  return { pools: [poolOffer({}, TYPES)], devices: deviceObjects({ one: ONE }), ...overrides };
}

function pods(count: number, template = 'one', prefix = 'pod'): ClusterInput['pods'] {
  return Array.from({ length: count }, (_, index) =>
    pod({ name: `${prefix}-${String(index)}`, resourceClaims: [template] }),
  );
}

const model = (name: string): string => `device.attributes["${DRIVER}"].model == "${name}"`;

describe('new nodes for pods that claim devices', () => {
  test('are of types that have the devices, and list no others', () => {
    const plan = planFor(inputWith({ pods: pods(1) }));
    expect(firstTypes(plan)).toEqual(['g4.xlarge']);
    expect(plan.claims[0]?.instanceTypes).toEqual(['g4.xlarge', 'g5.xlarge', 'g4.12xlarge']);
  });

  test('have a device for each pod', () => {
    const plan = planFor(inputWith({ pods: pods(3) }));
    expect(claimSizes(plan)).toEqual([1, 1, 1]);
    expect(leftOut(plan)).toEqual([]);
  });

  test('are as large as several devices of one pod need', () => {
    const three = claimSpec([request('gpus', { count: 3 })]);
    const plan = planFor(inputWith({ pods: pods(1, 'three'), devices: deviceObjects({ three }) }));
    expect(plan.claims[0]?.instanceTypes).toEqual(['g4.12xlarge']);
  });

  test('have devices that the selectors of the request select', () => {
    const one = claimSpec([request('gpu', { selectors: [model('a10')] })]);
    const plan = planFor(inputWith({ pods: pods(1), devices: deviceObjects({ one }) }));
    expect(plan.claims[0]?.instanceTypes).toEqual(['g5.xlarge']);
  });

  test('have the first of the sub-requests that some type satisfies', () => {
    const one = claimSpec([
      request(
        'gpu',
        { name: 'h100', selectors: [model('h100')] },
        { name: 'a10', selectors: [model('a10')] },
      ),
    ]);
    const plan = planFor(inputWith({ pods: pods(1), devices: deviceObjects({ one }) }));
    expect(plan.claims[0]?.instanceTypes).toEqual(['g5.xlarge']);
  });

  test('hold pods of two kinds of claims only where both have their devices', () => {
    const devices = deviceObjects({
      one: ONE,
      two: claimSpec([request('gpus', { count: 2 })]),
      a10: claimSpec([request('gpu', { selectors: [model('a10')] })]),
    });
    const plan = planFor(
      inputWith({ pods: [...pods(2), ...pods(1, 'two', 'pair'), ...pods(1, 'a10', 'fine')], devices }),
    );
    expect(leftOut(plan)).toEqual([]);
  });

  test('hold all pods that share a claim', () => {
    const shared = { name: 'gpu', claim: 'default/shared', template: undefined };
    const plan = planFor(
      inputWith({
        pods: [0, 1, 2, 3].map((index) =>
          pod({ name: `pod-${String(index)}`, requests: { cpu: '3' }, resourceClaims: [shared] }),
        ),
        devices: deviceObjects({}, { claims: [resourceClaim()] }),
      }),
    );
    expect(claimSizes(plan)).toEqual([4]);
    expect(firstTypes(plan)).toEqual(['g4.12xlarge']);
  });
});

describe('existing nodes', () => {
  const there = node({ name: 'n1', type: small });

  test('take pods as long as they have devices', () => {
    const withDevices = { ...there, devices: gpus(1, T4) };
    const plan = planFor(inputWith({ pods: pods(2), nodes: [withDevices] }));
    const places = [placeOf(plan, 'pod-0'), placeOf(plan, 'pod-1')];
    expect(places.filter((place) => place === 'n1')).toHaveLength(1);
    expect(plan.claims).toHaveLength(1);
  });

  test('keep the devices that other claims have', () => {
    const inUse = { ...gpus(1, T4), taken: new Set([`${DRIVER}/pool/gpu-0`]) };
    const plan = planFor(inputWith({ pods: pods(1), nodes: [{ ...there, devices: inUse }] }));
    expect(placeOf(plan, 'pod-0')).not.toBe('n1');
  });

  test('keep devices for pods that are planned there and have none yet', () => {
    const planned = pod({ name: 'planned', nodeName: 'n1', resourceClaims: ['one'] });
    const plan = planFor(
      inputWith({ pods: [...pods(1), planned], nodes: [{ ...there, devices: gpus(1, T4) }] }),
    );
    expect(placeOf(plan, 'pod-0')).not.toBe('n1');
  });

  test('do not count the devices of a bound pod twice', () => {
    const use = { name: 'one', claim: undefined, template: 'default/one', isAllocated: true as const };
    const bound = pod({ name: 'bound', nodeName: 'n1', resourceClaims: [use] });
    const devices = { ...gpus(2, T4), taken: new Set([`${DRIVER}/pool/gpu-0`]) };
    const plan = planFor(inputWith({ pods: [...pods(1), bound], nodes: [{ ...there, devices }] }));
    expect(placeOf(plan, 'pod-0')).toBe('n1');
  });

  test('that have the devices of an allocated claim take its pods, and no other does', () => {
    const terms: readonly NodeSelectorTerm[] = [
      { labels: new Map(), fields: new Map([['metadata.name', requirement('metadata.name', 'In', ['n1'])]]) },
    ];
    const allocation = { devices: [], terms };
    const use = { name: 'gpu', claim: 'default/shared', template: undefined };
    const devices = deviceObjects({}, { claims: [resourceClaim({ allocation })] });
    const nodes = [node({ name: 'n0', type: small }), { ...there, devices: gpus(1, T4) }];
    const plan = planFor(inputWith({ pods: [pod({ resourceClaims: [use] })], nodes, devices }));
    expect(placeOf(plan)).toBe('n1');
    const gone = planFor(inputWith({ pods: [pod({ resourceClaims: [use] })], devices }));
    expect(firstTypes(gone)).toEqual(['g4.xlarge']);
  });
});

describe('pods whose claims nothing satisfies', () => {
  test('are refused while claims are not planned', () => {
    expect(reasonFor(planFor(inputWith({ pods: pods(1), devices: undefined })), 'pod-0')).toEqual({
      code: 'DynamicResources',
    });
  });

  test('learn which request asks for more than any type has', () => {
    const one = claimSpec([request('gpus', { count: 8 })]);
    expect(
      reasonFor(planFor(inputWith({ pods: pods(1), devices: deviceObjects({ one }) })), 'pod-0'),
    ).toEqual({
      code: 'DevicesUnavailable',
      claim: 'default/one',
      request: 'gpus',
      wanted: 8,
      matching: 4,
      nearestType: 'g4.12xlarge',
    });
  });
});
