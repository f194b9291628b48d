/** What the cloud's complaints make unavailable. */
import {
  allFailed,
  describeFailures,
  isOfPool,
  unavailableAfter,
} from '../../../src/controllers/node-claim/launch/launch-failures.js';
import { launchStatus } from '../../support/builders/node-claim.js';

const { request } = launchStatus();
const GROUP = new Map([['karpenter.k8s.aws/placement-group-id', 'pg-1']]);
const RESERVATION = new Map([['karpenter.k8s.aws/capacity-reservation-id', 'cr-1']]);

describe('unavailableAfter', () => {
  test.each([
    ['offering', [{ instanceType: 'm6i.large', zone: 'eu-west-3a', capacityType: 'spot' }]],
    ['zone', [{ zone: 'eu-west-3a' }]],
    ['capacity-type', [{ capacityType: 'spot' }]],
    ['pool', []],
    ['none', []],
  ] as const)('after a failure that reaches %s it is %j', (reach, expected) => {
    const failures = allFailed(request, 'InsufficientCapacity', 'no').map((failure) => ({
      ...failure,
      reach,
    }));
    expect(unavailableAfter(request, failures)).toEqual(expected);
  });

  test('what is out of stock in a placement group is so there alone; quotas and addresses are of all', () => {
    const after = (reach: 'offering' | 'zone') =>
      unavailableAfter(
        request,
        allFailed(request, 'InsufficientCapacity', 'no').map((failure) => ({ ...failure, reach })),
        GROUP,
      );
    expect(after('offering')).toMatchObject([{ instanceType: 'm6i.large', placementGroup: 'pg-1' }]);
    expect(after('zone')).toEqual([{ zone: 'eu-west-3a' }]);
    expect(unavailableAfter(request, [], GROUP)).toMatchObject([{ placementGroup: 'pg-1' }]);
  });

  test('of a claim for a capacity reservation it is that reservation alone', () => {
    const reserved = { ...request, capacityType: 'reserved' } as const;
    const failures = allFailed(reserved, 'InsufficientCapacity', 'no');
    expect(unavailableAfter(reserved, failures, RESERVATION)).toEqual([{ reservation: 'cr-1' }]);
    expect(unavailableAfter(reserved, [], RESERVATION)).toEqual([{ reservation: 'cr-1' }]);
    const inZone = failures.map((failure) => ({ ...failure, reach: 'zone' as const }));
    expect(unavailableAfter(reserved, inZone, RESERVATION)).toEqual([{ zone: 'eu-west-3a' }]);
    expect(unavailableAfter(reserved, failures)).toMatchObject([{ instanceType: 'm6i.large' }]);
    expect(unavailableAfter(request, [], RESERVATION)).toMatchObject([{ capacityType: 'spot' }]);
  });

  test.each([
    ['Invalid', 0],
    ['Forbidden', 0],
    ['NotFound', 0],
    ['Unavailable', 0],
    ['InsufficientCapacity', 1],
    ['QuotaExceeded', 1],
  ] as const)('after a call that failed with %s these are so many offerings: %i', (code, offerings) => {
    expect(unavailableAfter(request, allFailed(request, code, 'no'))).toHaveLength(offerings);
  });

  test.each([
    [['pool'], true],
    [['pool', 'none'], true],
    [['none'], false],
    [['pool', 'offering'], false],
    [[], false],
  ] as const)('failures that reach %j are of the whole NodePool: %s', (reaches, expected) => {
    const failures = reaches.flatMap((reach) =>
      allFailed(request, 'Invalid', 'no').map((failure) => ({ ...failure, reach })),
    );
    expect(isOfPool(failures)).toBe(expected);
  });

  test.each([
    ['Invalid', 'pool'],
    ['Forbidden', 'pool'],
    ['NotFound', 'pool'],
    ['Unavailable', 'none'],
    ['QuotaExceeded', 'offering'],
  ] as const)('a call that is refused with %s reaches: %s', (code, reach) => {
    expect(allFailed(request, code, 'no').map((failure) => failure.reach)).toEqual([reach]);
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
    ...allFailed(request, 'Invalid', 'no'),
    ...allFailed(request, 'Forbidden', 'no'),
    ...allFailed(request, 'Invalid', 'no'),
  ];
  expect(describeFailures(failures)).toBe('Invalid (2 offerings), Forbidden (1 offerings)');
  expect(describeFailures([])).toBe('the cloud provider launched no instance and returned no error');
});
