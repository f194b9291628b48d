import fc from 'fast-check';
import { addEntries, movedEntries, takeEntries } from '../../../src/controllers/reservations/moved-room.js';
import type { ReservationEntry } from '../../../src/domain/records/reservation.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { reservationEntry } from '../../support/builders/reservation.js';

const NOW = Date.UTC(2026, 0, 1);

test('pods of one owner and template are one entry, and pods without an owner are none', () => {
  const owner = { kind: 'ReplicaSet', name: 'web' };
  const pods = [
    observedPod({ name: 'a', owner, templateHash: 'v1', nodeName: 'n' }),
    observedPod({ name: 'b', owner, templateHash: 'v1', nodeName: 'n' }),
    observedPod({ name: 'c', owner, templateHash: 'v2', nodeName: 'n' }),
    observedPod({ name: 'bare', nodeName: 'n' }),
  ];
  const entries = movedEntries(pods, NOW);
  expect(entries.map(({ owner: of, count }) => [of?.templateHash, count])).toEqual([
    ['v1', 2],
    ['v2', 1],
  ]);
  expect(entries.every(({ expiresAt }) => expiresAt === NOW + 120_000)).toBe(true);
});

const entry: fc.Arbitrary<ReservationEntry> = fc
  .record({ name: fc.constantFrom('a', 'b', 'c'), count: fc.integer({ min: 1, max: 5 }) })
  .map(({ name, count }) =>
    reservationEntry({
      owner: { kind: 'ReplicaSet', namespace: 'default', name, templateHash: '' },
      count,
      expiresAt: NOW,
    }),
  );

function counts(entries: readonly ReservationEntry[]): Readonly<Record<string, number>> {
  const result: Record<string, number> = {};
  for (const { owner, count } of entries)
    result[owner?.name ?? ''] = (result[owner?.name ?? ''] ?? 0) + count;
  return result;
}

test('what was added and is taken again leaves what was there', () => {
  fc.assert(
    fc.property(fc.array(entry), fc.array(entry), (before, added) => {
      const start = addEntries([], before);
      expect(counts(takeEntries(addEntries(start, added), added))).toEqual(counts(start));
    }),
  );
});

test('taking more than there is leaves nothing, and never a count below one', () => {
  fc.assert(
    fc.property(fc.array(entry), fc.array(entry), (before, taken) => {
      const left = takeEntries(addEntries([], before), taken);
      expect(left.every(({ count }) => count >= 1)).toBe(true);
    }),
  );
});
