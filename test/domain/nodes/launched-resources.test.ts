/** What an instance has whose root volume is made to measure, or which has devices on request. */
import { launchedResources } from '../../../src/domain/nodes/launched-resources.js';
import { EPHEMERAL_STORAGE } from '../../../src/domain/values/resources.js';

const TYPE = {
  capacity: new Map([
    ['cpu', 2000],
    [EPHEMERAL_STORAGE, 500],
  ]),
  allocatable: new Map([
    ['cpu', 1900],
    [EPHEMERAL_STORAGE, 450],
  ]),
};
const MEASURED = { ...TYPE, leastStorage: { capacity: 20, allocatable: 17 } };

test.each([
  [undefined, 20, 17],
  [17, 20, 17],
  [100, 500, 100],
  [999, 500, 450],
])('storage for a request of %p', (asked, capacity, allocatable) => {
  const requests = new Map(asked === undefined ? [] : [[EPHEMERAL_STORAGE, asked]]);
  expect(launchedResources(MEASURED, requests)).toEqual({
    capacity: new Map([
      ['cpu', 2000],
      [EPHEMERAL_STORAGE, capacity],
    ]),
    allocatable: new Map([
      ['cpu', 1900],
      [EPHEMERAL_STORAGE, allocatable],
    ]),
  });
});

test('devices that are there on request alone are left out unless some are requested', () => {
  const device = ['vpc.amazonaws.com/efa', 4] as const;
  const type = {
    capacity: new Map([...TYPE.capacity, device]),
    allocatable: new Map([...TYPE.allocatable, device]),
    onRequest: new Set([device[0]]),
  };
  expect(launchedResources(type, new Map([['cpu', 1]]))).toEqual(TYPE);
  const { capacity, allocatable } = launchedResources(type, new Map([[device[0], 1]]));
  expect([capacity, allocatable]).toEqual([type.capacity, type.allocatable]);
});

test('a type with fixed storage has it whatever is asked for', () => {
  expect(launchedResources(TYPE, new Map([[EPHEMERAL_STORAGE, 1]]))).toEqual(TYPE);
});
