/** What the cloud's complaints make unavailable. */
import {
  allFailed,
  describeFailures,
  unavailableAfter,
} from '../../../src/controllers/node-claim/launch/launch-failures.js';
import { launchStatus } from '../../support/builders/node-claim.js';

const { request } = launchStatus();

describe('unavailableAfter', () => {
  test.each([
    [
      'InsufficientInstanceCapacity',
      [{ instanceType: 'm6i.large', zone: 'eu-west-3a', capacityType: 'spot' }],
    ],
    ['AnythingThatIsNotListed', [{ instanceType: 'm6i.large', zone: 'eu-west-3a', capacityType: 'spot' }]],
    ['InsufficientFreeAddressesInSubnet', [{ zone: 'eu-west-3a' }]],
    ['MaxSpotInstanceCountExceeded', [{ capacityType: 'spot' }]],
    ['RequestLimitExceeded', []],
    ['UnauthorizedOperation', []],
    ['InvalidAMIID.NotFound', []],
  ])('after %s it is %j', (code, expected) => {
    expect(unavailableAfter(request, allFailed(request, code, 'no'))).toEqual(expected);
  });

  test('an answer without instances and without reasons blames everything that was asked for', () => {
    expect(unavailableAfter(request, [])).toEqual([
      { instanceType: 'm6i.large', zone: 'eu-west-3a', capacityType: 'spot' },
    ]);
  });
});

test('what all failures say is repeated', () => {
  const why = 'needs the permission ec2:CreateFleet';
  expect(describeFailures(allFailed(request, 'Forbidden', why))).toBe(`Forbidden (1 offerings): ${why}`);
});

test('failures are summed up by code', () => {
  const failures = [
    ...allFailed(request, 'A', 'no'),
    ...allFailed(request, 'B', 'no'),
    ...allFailed(request, 'A', 'no'),
  ];
  expect(describeFailures(failures)).toBe('A (2 offerings), B (1 offerings)');
  expect(describeFailures([])).toBe('the cloud provider launched no instance and returned no error');
});
