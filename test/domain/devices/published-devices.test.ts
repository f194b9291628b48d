/** What drivers publish for nodes, and what counts until they do. */
import type { ResourceSlice } from '../../../src/domain/devices/device.js';
import { PublishedDevices } from '../../../src/domain/devices/published-devices.js';
import { device, DRIVER, gpus, resourceClaim } from '../../support/builders/devices.js';
import { node } from '../../support/builders/node.js';

function slice(overrides: Partial<ResourceSlice> = {}): ResourceSlice {
  return {
    name: 'slice',
    driver: DRIVER,
    pool: 'n1',
    generation: 1,
    slices: 1,
    reach: { nodeName: 'n1' },
    devices: [{ ...device(), reach: undefined }],
    counters: new Map(),
    ...overrides,
  };
}

function published(...slices: readonly ResourceSlice[]): PublishedDevices {
  return new PublishedDevices(slices, []);
}

const n1 = node({ name: 'n1' });
const counts = (devices: PublishedDevices, of = n1): number | undefined =>
  devices.of(of, undefined)?.pools.reduce((sum, pool) => sum + pool.devices.length, 0);

test('a node has the devices of its slices, and none of others', () => {
  const devices = published(slice(), slice({ name: 'other', pool: 'n2', reach: { nodeName: 'n2' } }));
  expect(counts(devices)).toBe(1);
  expect(counts(devices, node({ name: 'n3' }))).toBeUndefined();
});

test('a pool counts once all slices of its newest generation are there', () => {
  expect(counts(published(slice({ slices: 2 })))).toBeUndefined();
  expect(counts(published(slice({ slices: 2 }), slice({ name: 'second', slices: 2 })))).toBe(2);
  expect(counts(published(slice(), slice({ name: 'newer', generation: 2, slices: 2 })))).toBeUndefined();
});

test('devices of all nodes, or of those with a label, are shared by them', () => {
  const everywhere = published(slice({ reach: { everywhere: true } }));
  expect(everywhere.of(n1, undefined)?.pools[0]?.shared).toBe(true);
  const nowhere = published(slice({ reach: { terms: [] } }));
  expect(counts(nowhere)).toBeUndefined();
});

test('the devices of the type stand in for a driver that has published nothing', () => {
  expect(published().of(n1, gpus(4))?.pools[0]?.devices).toHaveLength(4);
  expect(
    published(slice())
      .of(n1, gpus(4))
      ?.pools.map((pool) => pool.devices.length),
  ).toEqual([1]);
});

test('devices of claims that are allocated are in use', () => {
  const devices = [
    { id: `${DRIVER}/n1/gpu-0`, adminAccess: false, consumed: undefined },
    { id: `${DRIVER}/n1/gpu-1`, adminAccess: true, consumed: undefined },
    { id: `${DRIVER}/n1/gpu-2`, adminAccess: false, consumed: new Map([['x/m', 2n]]) },
  ];
  const claim = resourceClaim({ allocation: { devices, terms: undefined } });
  const found = new PublishedDevices([slice()], [claim]).of(n1, undefined);
  expect([...(found?.taken ?? [])]).toEqual([`${DRIVER}/n1/gpu-0`]);
  expect(found?.consumed.get(`${DRIVER}/n1/gpu-2`)).toEqual(new Map([['x/m', 2n]]));
});
