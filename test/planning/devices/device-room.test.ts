/** Devices for claims on one node: requests, sub-requests, constraints, shares and counters, and a slow search beside it. */
import fc from 'fast-check';
import type { DeviceAlternative, DeviceClaimSpec, DeviceRequest } from '../../../src/domain/devices/claim.js';
import { unusedDevices, type NodeDevices } from '../../../src/domain/devices/device.js';
import { parseQuantity } from '../../../src/domain/values/quantity.js';
import { deviceDemand, deviceIndex, type DeviceDemand } from '../../../src/planning/devices/device-demand.js';
import { DeviceRoom, type Allocation } from '../../../src/planning/devices/device-room.js';
import {
  claimSpec,
  device,
  deviceObjects,
  devicePool,
  DRIVER,
  gpus,
  request,
} from '../../support/builders/devices.js';

function demandOf(spec: DeviceClaimSpec): DeviceDemand {
  const index = deviceIndex(deviceObjects({ claim: spec }));
  const demand = deviceDemand(
    index,
    { name: 'claim', claim: undefined, template: 'default/claim' },
    () => true,
  );
  if ('code' in demand) throw new Error(demand.code);
  return demand;
}

function allocate(devices: NodeDevices, ...specs: readonly DeviceClaimSpec[]): Allocation {
  return new DeviceRoom(devices).allocate(specs.map(demandOf));
}

function namesOf(allocation: Allocation): readonly string[] | undefined {
  return 'devices' in allocation
    ? allocation.devices.map((each) => `${each.request} ${each.device.name}`)
    : undefined;
}

const model = (name: string): string => `device.attributes["${DRIVER}"].model == "${name}"`;
const mixed = unusedDevices([
  devicePool([
    device({ name: 'a', attributes: { model: 't4', numa: 0 } }),
    device({ name: 'b', attributes: { model: 't4', numa: 1 } }),
    device({ name: 'c', attributes: { model: 'a10', numa: 1 } }),
  ]),
]);

describe('requests', () => {
  test('get the first devices that match', () => {
    expect(namesOf(allocate(mixed, claimSpec([request('gpu', { selectors: [model('a10')] })])))).toEqual([
      'gpu c',
    ]);
  });

  test('get devices that none of the others gets, in another order where that helps', () => {
    const spec = claimSpec([request('any'), request('t4', { selectors: [model('t4')], count: 2 })]);
    expect(namesOf(allocate(mixed, spec))).toEqual(['any c', 't4 a', 't4 b']);
  });

  test('with firstAvailable get the first sub-request that all others leave room for', () => {
    const spec = claimSpec([
      request('gpu', { name: 'three', count: 3 }, { name: 'two', count: 2 }),
      request('other'),
    ]);
    expect(namesOf(allocate(mixed, spec))).toEqual(['gpu/two a', 'gpu/two b', 'other c']);
  });

  test('for all devices get every one, and none where one is in use or none matches', () => {
    const all = claimSpec([request('all', { mode: 'All' })]);
    expect(namesOf(allocate(mixed, all))).toHaveLength(3);
    expect(namesOf(allocate({ ...mixed, taken: new Set([`${DRIVER}/pool/b`]) }, all))).toBeUndefined();
    expect(namesOf(allocate(unusedDevices([]), all))).toBeUndefined();
  });

  test('with adminAccess use devices beside those that have them', () => {
    const admin = claimSpec([request('watch', { mode: 'All', adminAccess: true })]);
    const inUse = { ...mixed, taken: new Set([`${DRIVER}/pool/a`]) };
    expect(namesOf(allocate(inUse, admin, claimSpec([request('two', { count: 2 })])))).toHaveLength(5);
  });

  test('get devices with taints only where they tolerate them', () => {
    const taints = [{ key: 'broken', value: '', effect: 'NoSchedule' as const }];
    const devices = unusedDevices([devicePool([device({ taints })])]);
    const toleration = { key: 'broken', operator: 'Exists' as const, value: '', effect: undefined };
    expect(namesOf(allocate(devices, claimSpec([request('gpu')])))).toBeUndefined();
    expect(namesOf(allocate(devices, claimSpec([request('gpu', { tolerations: [toleration] })])))).toEqual([
      'gpu gpu-0',
    ]);
  });
});

describe('constraints', () => {
  const numa = `${DRIVER}/numa`;

  test('have devices with one value of the attribute', () => {
    const spec = claimSpec(
      [request('gpus', { count: 2 })],
      [{ kind: 'match', attribute: numa, requests: [] }],
    );
    expect(namesOf(allocate(mixed, spec))).toEqual(['gpus b', 'gpus c']);
  });

  test('hold for the requests and sub-requests that they name', () => {
    const spec = (requests: readonly string[]): DeviceClaimSpec =>
      claimSpec(
        [request('gpu', { name: 'two', count: 2 }), request('other')],
        [{ kind: 'distinct', attribute: numa, requests }],
      );
    expect(namesOf(allocate(mixed, spec(['gpu/two'])))).toEqual(['gpu/two a', 'gpu/two b', 'other c']);
    expect(namesOf(allocate(mixed, spec([])))).toBeUndefined();
  });

  test('are kept by no device without the attribute', () => {
    const spec = claimSpec([request('gpu')], [{ kind: 'match', attribute: 'x/y', requests: [] }]);
    expect(allocate(mixed, spec)).toMatchObject({ lacks: { request: 'gpu', attribute: 'x/y' } });
  });
});

describe('devices that are shared', () => {
  const memory = `${DRIVER}/memory`;
  const shareable = device({
    shareable: true,
    capacity: new Map([[memory, { value: parseQuantity('10Gi'), policy: undefined }]]),
  });
  const devices = unusedDevices([devicePool([shareable])]);
  const share = (amount: string): DeviceClaimSpec =>
    claimSpec([request('gpu', { capacity: new Map([['memory', parseQuantity(amount)]]) })]);

  test('are had by as many claims as their capacity allows', () => {
    expect(namesOf(allocate(devices, share('4Gi'), share('6Gi')))).toEqual(['gpu gpu-0', 'gpu gpu-0']);
    expect(namesOf(allocate(devices, share('4Gi'), share('7Gi')))).toBeUndefined();
    const consumed = new Map([[`${DRIVER}/pool/gpu-0`, new Map([[memory, parseQuantity('5Gi')]])]]);
    expect(namesOf(allocate({ ...devices, consumed }, share('6Gi')))).toBeUndefined();
  });

  test('give what is not asked for as their policy says, and in its steps', () => {
    const policy = {
      default: parseQuantity('2Gi'),
      validValues: undefined,
      range: { min: parseQuantity('1Gi'), max: parseQuantity('8Gi'), step: parseQuantity('2Gi') },
    };
    const capacity = new Map([[memory, { value: parseQuantity('10Gi'), policy }]]);
    const stepped = unusedDevices([devicePool([{ ...shareable, capacity }])]);
    const usual = claimSpec([request('gpu')]);
    expect(namesOf(allocate(stepped, usual, usual, usual, usual, usual))).toHaveLength(5);
    // 4Gi is 5Gi in steps of 2Gi from 1Gi.
    expect(namesOf(allocate(stepped, share('4Gi'), share('4Gi')))).toHaveLength(2);
    expect(namesOf(allocate(stepped, share('4Gi'), share('4Gi'), usual))).toBeUndefined();
    expect(namesOf(allocate(stepped, share('9Gi')))).toBeUndefined();
  });

  test('with counters are had as long as the counters of their pool last', () => {
    const part = (name: string, amount: bigint): ReturnType<typeof device> =>
      device({ name, consumes: [{ counterSet: 'card', counters: new Map([['slices', amount]]) }] });
    const pool = devicePool(
      [part('half', 4n), part('whole', 7n), part('other-half', 4n), part('small', 1n)],
      {
        counters: new Map([['card', new Map([['slices', 7n]])]]),
      },
    );
    const one = claimSpec([request('gpu')]);
    expect(namesOf(allocate(unusedDevices([pool]), one, one))).toEqual(['gpu half', 'gpu small']);
    const inUse = { ...unusedDevices([pool]), taken: new Set([`${DRIVER}/pool/half`]) };
    expect(namesOf(allocate(inUse, one, one))).toBeUndefined();
  });
});

test('what was taken and given back is there again', () => {
  const room = new DeviceRoom(gpus(2));
  const demands = [demandOf(claimSpec([request('gpu', { count: 2 })]))];
  const first = room.allocate(demands);
  if (!('devices' in first)) throw new Error('no devices');
  room.take(first.devices);
  expect(room.allocate(demands)).toMatchObject({ lacks: { wanted: 2, matching: 2, free: 0 } });
  room.release(first.devices);
  expect(room.allocate(demands)).toEqual(first);
});

/** Every way to give the requests devices, one after the other. */
function canBeSatisfied(models: readonly string[], requests: readonly DeviceRequest[]): boolean {
  const [first, ...others] = requests;
  if (first === undefined) return true;
  return first.alternatives.some(({ selectors, count }) => {
    const fits = (at: number): boolean => selectors.length === 0 || selectors[0] === model(models[at] ?? '');
    const subsets = (from: number, left: number): readonly (readonly number[])[] =>
      left === 0
        ? [[]]
        : models.flatMap((_, at) =>
            at >= from && fits(at) ? subsets(at + 1, left - 1).map((rest) => [at, ...rest]) : [],
          );
    return subsets(0, count).some((chosen) =>
      canBeSatisfied(
        models.filter((_, at) => !chosen.includes(at)),
        others,
      ),
    );
  });
}

const alternatives: fc.Arbitrary<Partial<DeviceAlternative>> = fc.record({
  name: fc.constantFrom('x', 'y', 'z'),
  count: fc.integer({ min: 1, max: 3 }),
  selectors: fc.constantFrom([], [model('t4')], [model('a10')]),
});

test('claims get devices exactly where a search of all ways finds some, and no device twice', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('t4', 'a10', 'l4'), { maxLength: 6 }),
      fc.array(fc.array(alternatives, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      (models, drafts) => {
        const requests = drafts.map((each, index) => request(`r${String(index)}`, ...each));
        const devices = unusedDevices([
          devicePool(
            models.map((name, index) =>
              device({ name: `gpu-${String(index)}`, attributes: { model: name } }),
            ),
          ),
        ]);
        const allocation = allocate(devices, claimSpec(requests));
        expect('devices' in allocation).toBe(canBeSatisfied(models, requests));
        const ids = 'devices' in allocation ? allocation.devices.map(({ id }) => id) : [];
        expect(new Set(ids).size).toBe(ids.length);
      },
    ),
    { numRuns: 200 },
  );
});
