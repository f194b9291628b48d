/**
 * Evens out items dealt to zones. An item whose groups are uneven moves to where there are fewer of them; where that would
 * tilt another of its groups, an item which that group counts as well, and the uneven one does not, moves the other way.
 */

/** Members of a group per zone, and the zones that a rule looks at. */
export interface Counted {
  readonly count: Int32Array;
  readonly eligible: number;
}

/** Items that the same groups count and that may go to the same zones: any of them may stand in for another. */
export interface Alike {
  readonly mask: number;
  readonly counts: readonly Counted[];
  /** Zone → items of all members. */
  readonly total: Int32Array;
  /** Zone → items, of each member. */
  readonly members: Int32Array[];
}

/** From a zone to another. */
interface Way {
  readonly from: number;
  readonly to: number;
}

/** Members of a group may differ by so many between zones. */
const EVEN = 1;

/** Changes totals, members and counts; every change makes the sum of squares of all counts smaller, so it ends. */
export function evenOut(kinds: readonly Alike[], zones: number): void {
  const groups = new Set<Counted>(kinds.flatMap(({ counts }) => counts));
  for (let isMoved = groups.size > 1; isMoved;) {
    isMoved = false;
    for (const group of groups) isMoved = evenOutGroup(kinds, group, zones) || isMoved;
  }
}

/** Moves items of a group while that helps; whether any was moved. */
function evenOutGroup(kinds: readonly Alike[], group: Counted, zones: number): boolean {
  let isMoved = false;
  for (let way = steepest(group, zones); way !== undefined; way = steepest(group, zones)) {
    if (!shift(kinds, group, way)) break;
    isMoved = true;
  }
  return isMoved;
}

/** From the zone that holds most of a group to the one that holds least; undefined when it is even. */
function steepest({ count, eligible }: Counted, zones: number): Way | undefined {
  let [from, most] = [-1, -1];
  let [to, least] = [-1, Infinity];
  for (let zone = 0; zone < zones; zone++) {
    if ((eligible & (1 << zone)) === 0) continue;
    const n = count[zone] ?? 0;
    if (n > most) [from, most] = [zone, n];
    if (n < least) [to, least] = [zone, n];
  }
  return most - least > EVEN ? { from, to } : undefined;
}

/** Makes a group more even by one move, or by one there and another back; whether there was any. */
function shift(kinds: readonly Alike[], group: Counted, way: Way): boolean {
  const movable = kinds.filter((kind) => kind.counts.includes(group) && mayMove(kind, way));
  for (const kind of movable) {
    if (gain(kind, way) <= 0) continue;
    move(kind, way);
    return true;
  }
  const back: Way = { from: way.to, to: way.from };
  const others = kinds.filter((kind) => !kind.counts.includes(group) && mayMove(kind, back));
  for (const kind of movable) {
    const own = gain(kind, way);
    move(kind, way);
    for (const other of others) {
      if (own + gain(other, back) <= 0) continue;
      move(other, back);
      return true;
    }
    move(kind, back);
  }
  return false;
}

function mayMove({ mask, total }: Alike, { from, to }: Way): boolean {
  return (total[from] ?? 0) > 0 && (mask & (1 << from)) !== 0 && (mask & (1 << to)) !== 0;
}

/** By how much half the sum of squares shrinks when one item moves. */
function gain({ counts }: Alike, { from, to }: Way): number {
  let sum = 0;
  for (const { count } of counts) sum += (count[from] ?? 0) - (count[to] ?? 0) - 1;
  return sum;
}

function move({ counts, total, members }: Alike, { from, to }: Way): void {
  for (const items of [total, members.find((each) => (each[from] ?? 0) > 0)]) {
    if (items === undefined) continue;
    items[from] = (items[from] ?? 0) - 1;
    items[to] = (items[to] ?? 0) + 1;
  }
  for (const { count } of counts) {
    count[from] = (count[from] ?? 0) - 1;
    count[to] = (count[to] ?? 0) + 1;
  }
}
