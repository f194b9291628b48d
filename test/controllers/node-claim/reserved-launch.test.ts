/** Claims for capacity reservations: what one of these has no room for says nothing of others. */
import type { Cloud, LaunchCall } from '../../../src/ports/cloud.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { nodeClaimSpec } from '../../support/builders/node-claim.js';
import { resolvedReservation } from '../../support/builders/resolved-reservation.js';
import { ClaimWorld, cloudWith } from './claim-world.js';

const RESERVATION_ID = 'karpenter.k8s.aws/capacity-reservation-id';
const PLACE = { instanceType: 'm5.large', zone: 'eu-west-3a', capacityType: 'reserved' } as const;
const FULL = {
  ...PLACE,
  code: 'ReservationCapacityExceeded',
  message: 'it is full',
  reach: 'offering',
} as const;

/** A world with two reservations of one type and zone, of which cr-1 is full; and what was asked for in each. */
function worldWithFullReservation() {
  const world = new ClaimWorld();
  const asked: (string | undefined)[] = [];
  const resolveNodeClass: Cloud['resolveNodeClass'] = async (source, signal) => ({
    ...(await world.cloud.resolveNodeClass(source, signal)),
    reservations: ['cr-1', 'cr-2'].map((id) => resolvedReservation({ ...PLACE, id })),
  });
  const launch = (call: LaunchCall, signal?: AbortSignal) => {
    const id = call.labels.get(RESERVATION_ID);
    asked.push(id);
    if (id === 'cr-1') return Promise.resolve({ instances: [], failures: [FULL] });
    // This cloud has no reservations of its own.
    return world.cloud.launch({ ...call, request: { ...call.request, capacityType: 'on-demand' } }, signal);
  };
  world.start({ cloud: cloudWith(world.cloud, { resolveNodeClass, launch }) });
  return { world, asked };
}

async function createClaimIn(world: ClaimWorld, id: string): Promise<void> {
  const name = `in-${id}`;
  await world.kube.createNodeClaim({
    name,
    labels: new Map([[RESERVATION_ID, id]]),
    annotations: new Map(),
    spec: nodeClaimSpec({
      requirements: [
        requirement('karpenter.sh/capacity-type', 'In', ['reserved']),
        requirement(RESERVATION_ID, 'In', [id]),
      ],
    }),
  });
  await world.reserve(name);
}

test('a claim whose reservation is full ends, and one for another of the same type and zone is launched', async () => {
  const { world, asked } = worldWithFullReservation();
  await createClaimIn(world, 'cr-1');
  await world.seconds(30);
  expect(world.claims()).toEqual([]);
  await createClaimIn(world, 'cr-2');
  await world.seconds(30);
  expect(asked).toEqual(['cr-1', 'cr-2']);
  expect(world.claim('in-cr-2')?.status.providerID).toBe(world.liveInstances()[0]?.providerID);
  expect(world.liveInstances()).toHaveLength(1);
});
