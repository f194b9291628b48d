/** Items dealt to zones are evened out: nothing is lost, nothing leaves its zones, and a family of groups ends up even. */
import fc from 'fast-check';
import { type Alike, type Counted, evenOut } from '../../../../src/planning/pack/guided/zone-dealing.js';

const ZONES = 3;
const ALL = 0b111;

interface Dealing {
  readonly kinds: readonly Alike[];
  readonly groups: readonly Counted[];
}

/** Kinds with what each of their members has per zone; the counts follow. */
function dealing(groups: number, kinds: readonly Kind[]): Dealing {
  const counted = Array.from({ length: groups }, () => ({ count: new Int32Array(ZONES), eligible: ALL }));
  const made = kinds.map(({ mask, of, members }): Alike => {
    const kept = members.map((items) => Int32Array.from(items, (n, zone) => ((mask >> zone) & 1) * n));
    const total = sums(kept);
    const counts = counted.filter((_, group) => of.includes(group));
    for (const { count } of counts) total.forEach((n, zone) => (count[zone] = (count[zone] ?? 0) + n));
    return { mask, counts, total, members: kept };
  });
  return { kinds: made, groups: counted };
}

interface Kind {
  readonly mask: number;
  /** Groups that count the items. */
  readonly of: readonly number[];
  readonly members: readonly (readonly number[])[];
}

function sums(rows: readonly Int32Array[]): Int32Array {
  return Int32Array.from({ length: ZONES }, (_, zone) =>
    rows.reduce((sum, row) => sum + (row[zone] ?? 0), 0),
  );
}

function squares(groups: readonly Counted[]): number {
  return groups.reduce((sum, { count }) => sum + count.reduce((n, each) => n + each * each, 0), 0);
}

function skew({ count }: Counted): number {
  return Math.max(...count) - Math.min(...count);
}

const members = fc.array(fc.tuple(fc.nat(6), fc.nat(6), fc.nat(6)), { minLength: 1, maxLength: 4 });

describe('evenOut', () => {
  test('keeps every item of every member, in its zones, and the counts true', () => {
    const kind = fc.record({
      mask: fc.integer({ min: 1, max: ALL }),
      of: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
      members,
    });
    fc.assert(
      fc.property(fc.array(kind, { minLength: 1, maxLength: 6 }), (kinds) => {
        const { kinds: dealt, groups } = dealing(4, kinds);
        const before = squares(groups);
        const sizes = dealt.map((each) => each.members.map((items) => items.reduce((a, b) => a + b, 0)));
        evenOut(dealt, ZONES);
        expect(dealt.map((each) => each.members.map((items) => items.reduce((a, b) => a + b, 0)))).toEqual(
          sizes,
        );
        for (const { mask, total, members: rows } of dealt) {
          expect(sums(rows)).toEqual(total);
          for (const items of rows)
            expect(items.every((n, zone) => n >= 0 && (n === 0 || ((mask >> zone) & 1) === 1))).toBe(true);
        }
        for (const group of groups)
          expect(
            sums(dealt.filter(({ counts }) => counts.includes(group)).map(({ total }) => total)),
          ).toEqual(group.count);
        expect(squares(groups)).toBeLessThanOrEqual(before);
      }),
    );
  });

  test('makes groups even of which one holds all that another does', () => {
    fc.assert(
      fc.property(members, members, members, (inner, middle, outer) => {
        const { kinds, groups } = dealing(3, [
          { mask: ALL, of: [0, 1, 2], members: inner },
          { mask: ALL, of: [1, 2], members: middle },
          { mask: ALL, of: [2], members: outer },
        ]);
        evenOut(kinds, ZONES);
        expect(groups.map(skew).every((each) => each <= 1)).toBe(true);
      }),
    );
  });

  test('lets two items change places where moving one of them would tilt the group that counts both', () => {
    const { kinds, groups } = dealing(2, [
      { mask: ALL, of: [0, 1], members: [[2, 0, 0]] },
      { mask: ALL, of: [1], members: [[0, 2, 2]] },
    ]);
    evenOut(kinds, ZONES);
    expect(groups.map(skew)).toEqual([1, 0]);
  });
});
