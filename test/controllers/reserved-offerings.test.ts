/** Capacity reservations as the planner and launches see them. */
import { reservationsLeft, withReservedOfferings } from '../../src/controllers/reserved-offerings.js';
import { CAPACITY_RESERVATION_ID } from '../../src/domain/values/labels.js';
import { instanceType, ZONE_A, ZONE_B } from '../support/builders/instance-type.js';
import { resolvedReservation } from '../support/builders/resolved-reservation.js';
import { launchStatus, nodeClaim } from '../support/builders/node-claim.js';

const RESERVATIONS = [
  resolvedReservation({ zone: ZONE_A, available: 4 }),
  resolvedReservation({ id: 'cr-2', zone: ZONE_B, available: 0, type: 'capacity-block' }),
];
const NOW = Date.UTC(2026, 0, 1);

describe('reserved offerings', () => {
  test('cost nothing more, and are there as long as the reservation has instances', () => {
    const [m5, m6i] = [instanceType(), instanceType({ name: 'm6i.large' })];
    const [changed, same] = withReservedOfferings([m5, m6i], RESERVATIONS);
    expect(same).toBe(m6i);
    expect(changed?.offerings.slice(m5.offerings.length)).toMatchObject([
      {
        zone: ZONE_A,
        capacityType: 'reserved',
        price: 0,
        available: true,
        reservation: { id: 'cr-1', count: 4 },
      },
      {
        zone: ZONE_B,
        capacityType: 'reserved',
        price: 0,
        available: false,
        reservation: { id: 'cr-2', type: 'capacity-block', interruptible: false, count: 0 },
      },
    ]);
    expect(withReservedOfferings([m5])).toEqual([m5]);
    const excluded = {
      ...m5,
      offerings: [],
      excluded: { setting: 'a', lacks: 'b', offerings: m5.offerings },
    };
    expect(withReservedOfferings([excluded], RESERVATIONS)).toEqual([excluded]);
  });

  test('are fewer by the claims that the cloud does not know of yet', () => {
    const labels = new Map([[CAPACITY_RESERVATION_ID, 'cr-1']]);
    const launched = (millisAgo: number) => ({
      providerID: 'aws:///a/i-1',
      launch: launchStatus({ answeredAt: NOW - millisAgo }),
    });
    const claims = [
      nodeClaim({ labels }),
      nodeClaim({ labels, status: launched(60_000) }),
      nodeClaim({ labels, status: launched(120_000) }),
      nodeClaim(),
    ];
    const left = (...more: typeof claims): readonly number[] =>
      reservationsLeft(RESERVATIONS, [...claims, ...more], NOW).map(({ available }) => available);
    expect(left()).toEqual([2, 0]);
    expect(left(...claims, ...claims)).toEqual([0, 0]);
  });
});
