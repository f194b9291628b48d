/** Where the tiles of a box go. */
import fc from 'fast-check';
import { treemap } from '../../web/treemap.js';

const share = fc.double({ min: 0.004, max: 1, noNaN: true });
const shares = fc.array(share, { minLength: 1, maxLength: 60 });
const aspect = fc.double({ min: 0.3, max: 12, noNaN: true });

test('areas are in proportion to the shares, and all shrink alike where they exceed the box', () => {
  fc.assert(
    fc.property(shares, aspect, (all, ratio) => {
      const scale =
        1 /
        Math.max(
          1,
          all.reduce((sum, each) => sum + each, 0),
        );
      treemap(all, ratio).forEach(({ width, height }, index) => {
        expect(width * height).toBeCloseTo((all[index] ?? 0) * scale, 6);
      });
    }),
  );
});

test('no tile leaves the box, and none covers another', () => {
  fc.assert(
    fc.property(shares, aspect, (all, ratio) => {
      const tiles = treemap(all, ratio);
      const near = 1e-6;
      for (const [index, one] of tiles.entries()) {
        expect(Math.min(one.left, one.top)).toBeGreaterThanOrEqual(-near);
        expect(Math.max(one.left + one.width, one.top + one.height)).toBeLessThanOrEqual(1 + near);
        const covered = tiles.slice(index + 1).filter((other) => {
          const across =
            Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left);
          const down =
            Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top);
          return across > near && down > near;
        });
        expect(covered).toEqual([]);
      }
    }),
  );
});

test('the box is filled from the left, and what is idle stays free at the right', () => {
  const tiles = treemap([0.2, 0.1, 0.1], 2);
  expect(Math.max(...tiles.map(({ left, width }) => left + width))).toBeCloseTo(0.4);
  expect(tiles.find(({ left, top }) => left === 0 && top === 0)).toBe(tiles[0]);
});

test('a box without pods has no tiles, and the least pod still has one that can be seen', () => {
  expect(treemap([], 2)).toEqual([]);
  const [tile] = treemap([0], 2);
  expect((tile?.width ?? 0) * (tile?.height ?? 0)).toBeCloseTo(0.004);
});
