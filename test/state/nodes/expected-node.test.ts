/** Nodes that claims in flight are going to be. */
import { EPHEMERAL_STORAGE } from '../../../src/domain/values/resources.js';
import { nodeOfFlight } from '../../../src/state/nodes/expected-node.js';
import { instanceType } from '../../support/builders/instance-type.js';
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
