import { OfferedTypes, type OfferTerms } from '../../../src/controllers/provisioning/pool-offers.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import { smallCatalogue, ZONE_A } from '../../support/builders/instance-type.js';
import { resolvedReservation } from '../../support/builders/resolved-reservation.js';

const TYPES = smallCatalogue();
const ZONES = [...new Set(TYPES.flatMap(({ offerings }) => offerings.map(({ zone }) => zone)))];
const OPEN: OfferTerms = { zones: ZONES, architectures: undefined, reservations: [] };
const NOW = 1_000_000;
/** As long as an offering counts as unavailable. */
const TTL_MILLIS = 180_000;

function scene() {
  const unavailable = new UnavailableOfferings({ ttlMillis: TTL_MILLIS });
  return { unavailable, offered: new OfferedTypes(unavailable) };
}

describe('the types on offer', () => {
  test('are those of the catalogue where nothing is missing, and the same list each time', () => {
    const { offered } = scene();
    const list = offered.of(TYPES, 'default', OPEN, NOW);
    expect(list.every((type, index) => type === TYPES[index])).toBe(true);
    expect(offered.of(TYPES, 'default', { ...OPEN, zones: [...ZONES] }, NOW + 60_000)).toBe(list);
  });

  test('have the offerings of the served zones alone, for each node class its own', () => {
    const { offered } = scene();
    const list = offered.of(TYPES, 'one-zone', { ...OPEN, zones: [ZONE_A] }, NOW);
    const zones = new Set(list.flatMap(({ offerings }) => offerings.map(({ zone }) => zone)));
    expect([...zones]).toEqual([ZONE_A]);
    expect(offered.of(TYPES, 'default', OPEN, NOW)).not.toBe(list);
    expect(offered.of(TYPES, 'one-zone', { ...OPEN, zones: [ZONE_A] }, NOW)).toBe(list);
  });

  test('are other objects only where an offering became unavailable, until it may be available again', () => {
    const { offered, unavailable } = scene();
    const terms = { ...OPEN, zones: [ZONE_A] };
    const before = offered.of(TYPES, 'default', terms, NOW);
    const [lost] = before;
    unavailable.mark({ instanceType: lost?.name, zone: ZONE_A }, NOW);
    const after = offered.of(TYPES, 'default', terms, NOW);
    expect(after.filter((type, index) => type !== before[index]).map(({ name }) => name)).toEqual([
      lost?.name,
    ]);
    expect(after[0]?.offerings.map(({ available }) => available)).not.toContain(true);
    expect(offered.of(TYPES, 'default', terms, NOW + TTL_MILLIS - 1)).toBe(after);
    const again = offered.of(TYPES, 'default', terms, NOW + TTL_MILLIS);
    expect(again[0]?.offerings).toEqual(lost?.offerings);
    expect(again.slice(1).every((type, index) => type === before[index + 1])).toBe(true);
  });

  test('keep what an excluded type would offer in the served zones, the same object each time', () => {
    const { offered } = scene();
    const [type] = TYPES;
    if (type === undefined) throw new Error('no type');
    const excluded = {
      setting: 'spec.enclaveOptions.enabled',
      lacks: 'Nitro Enclaves',
      offerings: type.offerings,
    };
    const types = [{ ...type, offerings: [], excluded }];
    const [first] = offered.of(types, 'default', { ...OPEN, zones: [ZONE_A] }, NOW);
    expect(first?.offerings).toEqual([]);
    expect(new Set(first?.excluded?.offerings.map(({ zone }) => zone))).toEqual(new Set([ZONE_A]));
    const terms = { ...OPEN, zones: [ZONE_A], architectures: [type.arch] };
    expect(offered.of(types, 'default', terms, NOW)[0]).toBe(first);
  });

  test('count what is left of a reservation', () => {
    const { offered } = scene();
    const [type] = TYPES;
    const reservation = resolvedReservation({ instanceType: type?.name ?? '', zone: ZONE_A, available: 3 });
    const left = (available: number): (number | undefined)[] =>
      offered
        .of(TYPES, 'default', { ...OPEN, reservations: [{ ...reservation, available }] }, NOW)
        .flatMap(({ offerings }) => offerings)
        .flatMap(({ reservation: held }) => (held === undefined ? [] : held.count));
    expect([left(3), left(2), left(3)]).toEqual([[3], [2], [3]]);
  });

  test('have no instances of a reservation that was interrupted, and those of others', () => {
    const { offered, unavailable } = scene();
    const [type] = TYPES;
    const held = { instanceType: type?.name ?? '', zone: ZONE_A, available: 3 };
    const reservations = ['cr-1', 'cr-2'].map((id) => resolvedReservation({ ...held, id }));
    unavailable.mark({ reservation: 'cr-1' }, NOW);
    const open = (now: number): readonly (string | undefined)[] =>
      offered
        .of(TYPES, 'default', { ...OPEN, reservations }, now)
        .flatMap(({ offerings }) => offerings)
        .filter(({ available, reservation }) => available && reservation !== undefined)
        .map(({ reservation }) => reservation?.id);
    expect(open(NOW)).toEqual(['cr-2']);
    expect(open(NOW + TTL_MILLIS)).toEqual(['cr-1', 'cr-2']);
  });
});
