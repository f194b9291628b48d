/** Nodes that claims in flight are going to be. */
import { EPHEMERAL_STORAGE } from '../../../src/domain/values/resources.js';
import { nodeOfFlight } from '../../../src/state/nodes/expected-node.js';
import { INSTANCE_TYPE, ZONE, ZONE_ID } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { instanceType, offering, ZONE_A, ZONE_B } from '../../support/builders/instance-type.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { amounts } from '../../support/builders/pod.js';

const GIB = 2 ** 30;

test('have no more storage than was asked for, however much there could have been', () => {
  const most = { 'ephemeral-storage': '449Gi' };
  const leastStorage = { capacity: 20 * GIB, allocatable: 17 * GIB };
  const types = ['m5.large', 'm6i.large'].map((name) => ({
    ...instanceType({ name, resources: most }),
    leastStorage,
  }));
  const storageOf = (request: string): number | undefined =>
    nodeOfFlight(
      nodeClaim({ spec: { requests: amounts({ cpu: '1', 'ephemeral-storage': request }) } }),
      types,
    ).allocatable.get(EPHEMERAL_STORAGE);
  expect(storageOf('100Gi')).toBe(100 * GIB);
  expect(storageOf('1Gi')).toBe(17 * GIB);
});

test('have the id of their zone as soon as the zone is certain', () => {
  const types = [
    instanceType({
      offerings: [
        offering({ zone: ZONE_A, zoneID: 'use1-az1' }),
        offering({ zone: ZONE_B, zoneID: 'use1-az2' }),
      ],
    }),
  ];
  const idIn = (zones: readonly string[], zone?: string): string | undefined =>
    nodeOfFlight(
      nodeClaim({
        spec: {
          requirements: [requirement(INSTANCE_TYPE, 'In', ['m5.large']), requirement(ZONE, 'In', zones)],
        },
        status: { zone },
      }),
      types,
    ).labels.get(ZONE_ID);
  expect(idIn([ZONE_A, ZONE_B])).toBeUndefined();
  expect(idIn([ZONE_A, ZONE_B], ZONE_B)).toBe('use1-az2');
  expect(idIn([ZONE_A])).toBe('use1-az1');
});
