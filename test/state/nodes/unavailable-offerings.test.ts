/** Offerings that are out of stock, for a while. */
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';

const NOW = Date.UTC(2026, 0, 1);

describe('UnavailableOfferings', () => {
  test('an offering is unavailable for three minutes and then not', () => {
    const offerings = new UnavailableOfferings();
    offerings.mark({ instanceType: 'm5.large', zone: 'a', capacityType: 'spot' }, NOW);
    const at = (millis: number): boolean => offerings.isUnavailable('m5.large', 'a', 'spot', NOW + millis);
    expect([at(0), at(179_999), at(180_000)]).toEqual([true, true, false]);
  });

  test('only that offering is', () => {
    const offerings = new UnavailableOfferings();
    offerings.mark({ instanceType: 'm5.large', zone: 'a', capacityType: 'spot' }, NOW);
    expect(offerings.isUnavailable('m5.large', 'a', 'on-demand', NOW)).toBe(false);
    expect(offerings.isUnavailable('m5.large', 'b', 'spot', NOW)).toBe(false);
    expect(offerings.isUnavailable('m6i.large', 'a', 'spot', NOW)).toBe(false);
  });

  test('what is out of stock in a placement group is available outside it and in others, but not the other way round', () => {
    const offerings = new UnavailableOfferings();
    const isOut = (group?: string) => offerings.within(group)('m5.large', 'a', 'spot', NOW);
    const offering = { instanceType: 'm5.large', zone: 'a', capacityType: 'spot' } as const;
    offerings.mark({ ...offering, placementGroup: 'pg-1' }, NOW);
    expect([isOut(), isOut('pg-1'), isOut('pg-2')]).toEqual([false, true, false]);
    offerings.mark(offering, NOW);
    expect([isOut(), isOut('pg-1'), isOut('pg-2')]).toEqual([true, true, true]);
  });

  test('a zone, or a capacity type, may be unavailable as a whole', () => {
    const offerings = new UnavailableOfferings({ ttlMillis: 1000 });
    offerings.mark({ zone: 'a' }, NOW);
    offerings.mark({ capacityType: 'spot' }, NOW);
    expect(offerings.isUnavailable('m5.large', 'a', 'on-demand', NOW)).toBe(true);
    expect(offerings.isUnavailable('m5.large', 'b', 'spot', NOW)).toBe(true);
    expect(offerings.isUnavailable('m5.large', 'b', 'on-demand', NOW)).toBe(false);
    expect(offerings.isUnavailable('m5.large', 'b', 'spot', NOW + 1000)).toBe(false);
  });

  test('marking again counts from then', () => {
    const offerings = new UnavailableOfferings({ ttlMillis: 1000 });
    offerings.mark({ zone: 'a' }, NOW);
    offerings.mark({ zone: 'a' }, NOW + 900);
    expect(offerings.isUnavailable('m5.large', 'a', 'spot', NOW + 1500)).toBe(true);
    expect(offerings.isUnavailable('m5.large', 'a', 'spot', NOW + 1900)).toBe(false);
  });
});
