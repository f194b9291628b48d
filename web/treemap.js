/** Where the tiles of a box go: a squarified treemap (Bruls, Huizing, van Wijk) that fills the box from the left. */

/**
 * @typedef {{ readonly left: number, readonly top: number, readonly width: number, readonly height: number }} Tile
 */

/** Less could not be seen. */
const LEAST = 0.004;

/**
 * Tiles in parts of the box (0 to 1), in the order of the shares. Areas are in proportion to the shares; what the shares
 * leave of the whole stays free at the right, and where they exceed the whole all shrink alike.
 * @param {readonly number[]} shares Parts of the box that each wants, 0 to 1.
 * @param {number} aspect Width of the box over its height.
 * @returns {Tile[]}
 */
export function treemap(shares, aspect) {
  const sizes = shares.map((share) => Math.max(share, LEAST));
  const sum = sizes.reduce((total, size) => total + size, 0);
  const scale = sum > 1 ? 1 / sum : 1;
  const order = sizes.map((_, index) => index).sort((a, b) => sizes[b] - sizes[a] || a - b);
  const tiles = new Array(shares.length);
  // In units in which the box is `aspect` wide and 1 high.
  let free = { left: 0, top: 0, width: sum * scale * aspect, height: 1 };
  for (let next = 0; next < order.length;) {
    const row = rowFrom(order, next, (index) => sizes[index] * scale * aspect, free);
    free = place(row, free, tiles);
    next += row.length;
  }
  return tiles.map(({ left, top, width, height }) => ({
    left: left / aspect,
    top,
    width: width / aspect,
    height,
  }));
}

/** As many of the next areas as make the row's worst tile squarer. */
function rowFrom(order, start, areaOf, free) {
  const side = Math.min(free.width, free.height);
  let row = [{ index: order[start], area: areaOf(order[start]) }];
  let worst = worstAspect(row, side);
  for (let next = start + 1; next < order.length; next++) {
    const longer = [...row, { index: order[next], area: areaOf(order[next]) }];
    const aspect = worstAspect(longer, side);
    if (aspect > worst) break;
    row = longer;
    worst = aspect;
  }
  return row;
}

function worstAspect(row, side) {
  const sum = row.reduce((total, { area }) => total + area, 0);
  const thickness = sum / side;
  return Math.max(...row.map(({ area }) => Math.max(thickness ** 2 / area, area / thickness ** 2)));
}

/** Puts a row along the shorter side; answers what is left. */
function place(row, free, tiles) {
  const sum = row.reduce((total, { area }) => total + area, 0);
  const upright = free.width >= free.height;
  const thickness = sum / (upright ? free.height : free.width);
  let offset = 0;
  for (const { index, area } of row) {
    const length = area / thickness;
    tiles[index] = upright
      ? { left: free.left, top: free.top + offset, width: thickness, height: length }
      : { left: free.left + offset, top: free.top, width: length, height: thickness };
    offset += length;
  }
  return upright
    ? { ...free, left: free.left + thickness, width: Math.max(0, free.width - thickness) }
    : { ...free, top: free.top + thickness, height: Math.max(0, free.height - thickness) };
}
