/** Nodes of capacity reservations, when the reservations are over. */
import type { NodeClaimStatus } from '../../../src/domain/nodes/node-claim.js';
import { CAPACITY_TYPE } from '../../../src/domain/values/labels.js';
import type { CloudInstance } from '../../../src/ports/cloud.js';
import { KEPT, RESERVATION, reservedNode } from './reserved-node.js';

const DEMOTED = {
  claim: Object.fromEntries([KEPT]),
  node: expect.objectContaining({
    ...Object.fromEntries([KEPT, [CAPACITY_TYPE, 'on-demand']]),
    'eks-node-viewer/instance-price': '0.096',
  }) as object,
  capacityType: 'on-demand',
  hourlyPrice: 0.096,
};

test('a node whose reservation is over is on-demand, with the price of it and without labels of the reservation', async () => {
  const world = reservedNode();
  const abort = new AbortController();
  void world.controller.run(abort.signal);
  await world.clock.advance(1000);
  expect(world.seen()).toEqual(DEMOTED);
  for (const key of RESERVATION.keys()) expect(world.seen().node).not.toHaveProperty([key]);
  expect(world.told.decisions.map(({ reason, message }) => [reason, message])).toEqual([
    [
      'CapacityTypeChanged',
      'the instance is no longer in capacity reservation cr-1: its capacity type is on-demand now',
    ],
  ]);
  await world.clock.advance(120_000);
  expect(world.asked).toHaveLength(1);
  abort.abort();
});

test.each<[string, Partial<NodeClaimStatus>, Partial<CloudInstance>]>([
  ['it is in its reservation still', {}, { capacityType: 'reserved' }],
  ['its instance is not running', {}, { state: 'stopping' }],
  ['it has not registered', { conditions: [] }, {}],
  ['it goes anyway', { disruption: { reason: 'Drifted', decidedAt: 0 } }, {}],
])('a node stays reserved where %s', async (_, status, instance) => {
  const world = reservedNode(status, instance);
  await world.look();
  expect(world.seen()).toMatchObject({ capacityType: 'reserved', claim: Object.fromEntries(RESERVATION) });
  expect(world.seen().node).toMatchObject({ [CAPACITY_TYPE]: 'reserved' });
});

test.each(['patchNode', 'labelNodeClaim', 'putNodeClaimStatus'] as const)(
  'what is left over by a failed %s is written at the next look',
  async (method) => {
    const world = reservedNode();
    world.kube.fail({ method, code: 'Unavailable' });
    await world.look();
    expect(world.seen().capacityType).toBe('reserved');
    await world.look();
    expect(world.seen()).toEqual(DEMOTED);
  },
);

test('without reserved nodes the cloud is not asked', async () => {
  const world = reservedNode({ capacityType: 'on-demand' });
  await world.look();
  expect(world.asked).toEqual([]);
});
