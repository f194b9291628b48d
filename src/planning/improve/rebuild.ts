/** A packing with part of another one in it, by the exact rules: what no longer holds is left to be placed. */
import { type Candidate, finish } from '../finish/candidate.js';
import { skipsHeavierPool } from './openings.js';
import type { Ask } from '../model/classes/ask.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';
import type { SeededRandom } from '../pack/seeded-random.js';
import { Packer } from '../pack/pack.js';
import { packingOrder } from '../pack/packing-order.js';
import { Packing } from '../rules/packing.js';
import type { Target } from '../rules/targets.js';

/** Pods that are still to be put where they were. */
interface Waiting {
  readonly pods: PodClass;
  readonly asks: readonly Ask[];
  readonly target: Target;
  left: number;
}

/** Some of these, and how many had come to any target before them. */
interface Came {
  readonly waiting: Waiting;
  readonly n: number;
  readonly at: number;
}

export function rebuild(problem: Problem, staying: readonly Kept[], random: SeededRandom): Packing {
  const packing = new Packing(problem, {
    isCourteous: random.happens(0.5),
    keepsBundles: random.happens(0.7),
    mayComeBefore: true,
    mayStartLate: random.happens(0.3),
  });
  const { launchables, classes } = problem;
  const came: Came[] = [];
  const waiting = staying.flatMap(({ node, column, from, content }): Waiting[] => {
    if (content.size === 0) return [];
    if (column >= 0 && !packing.isWithinLimits(launchables.columnRow[column] ?? 0)) return [];
    if (skipsHeavierPool(packing, { column, content, asks: from.asks })) return [];
    const target = column >= 0 ? packing.open(column) : packing.targets[node];
    if (target === undefined) return [];
    const here = new Map<number, Waiting>();
    for (const [index, left] of content) {
      const pods = classes[index];
      if (pods === undefined) continue;
      here.set(index, { pods, asks: pods.asks.filter((ask) => from.asks.has(ask)), target, left });
    }
    for (const { index, n, at } of from.arrivals) {
      const each = here.get(index);
      if (each !== undefined) came.push({ waiting: each, n, at });
    }
    return [...here.values()];
  });
  // As they came: in another order rules may keep them apart.
  came.sort((left, right) => left.at - right.at);
  for (const { waiting: each, n } of came) putThere(packing, each, n);
  putAll(packing, waiting);
  packing.dropEmpty();
  return packing;
}

/** Round after round, since some may only come once others are there. */
function putAll(packing: Packing, waiting: readonly Waiting[]): void {
  for (let placed = 1; placed > 0;) {
    placed = 0;
    for (const each of waiting) placed += putThere(packing, each);
  }
}

/** Puts as many of the pods there as the rules allow now, at most so many; returns how many. */
function putThere(packing: Packing, waiting: Waiting, most = Infinity): number {
  const { pods, asks, target } = waiting;
  let placed = 0;
  while (placed < most && waiting.left > 0) {
    const ask = asks.find((each) => packing.mayPut(pods, each, target));
    if (ask === undefined) break;
    packing.put(pods, ask, target, 1);
    waiting.left--;
    placed++;
  }
  return placed;
}

/** Pods that stay on a node, or on a claim opened as `column`. */
interface Kept {
  /** Index of the node; -1 for a claim. */
  readonly node: number;
  /** -1 for a node. */
  readonly column: number;
  /** Its asks are among those under which pods were put there. */
  readonly from: Target;
  /** Class → pods. */
  readonly content: ReadonlyMap<number, number>;
}

/** Everything goes, some nodes go, or some of the pods wherever they are. */
export function keptPart({ packing, finished }: Candidate, random: SeededRandom): readonly Kept[] {
  if (random.happens(0.25)) return [];
  const columns = new Map(finished.map(({ target, column }) => [target, column]));
  const isTight = random.happens(0.5);
  const held = packing.targets.filter(({ content }) => content.size > 0);
  const all = held.map((from): Kept => {
    const column = isTight ? (columns.get(from) ?? from.column) : from.column;
    const node = from.column < 0 ? from.target : -1;
    return { node, column, from, content: from.content };
  });
  if (random.happens(0.4)) return someOfEach(all, random);
  const gone = 1 + random.below(3);
  return random.shuffled(all).slice(gone);
}

function someOfEach(all: readonly Kept[], random: SeededRandom): readonly Kept[] {
  const share = 0.2 + 0.2 * random.below(3);
  return all.map((staying) => {
    const kept = new Map<number, number>();
    for (const [index, n] of staying.content) {
      let stays = 0;
      for (let pod = 0; pod < n; pod++) if (!random.happens(share)) stays++;
      if (stays > 0) kept.set(index, stays);
    }
    return { ...staying, content: kept };
  });
}

/** A pod that is to be put where it was. */
interface Moved {
  readonly pods: PodClass;
  /** Index of its target in the packing that it comes from. */
  readonly from: number;
}

/** Orders that are tried: a pod that found no place comes before all others in the next. */
const MOST_ORDERS = 4;

/**
 * `plain`: of the same snapshot with preferences ignored, which has the same classes. Pods that the rules refuse there in
 * every order that is tried are packed again.
 */
export function restorePreferences(problem: Problem, plain: Candidate): Candidate {
  let order = plain.packing.targets.flatMap(({ content, target }) =>
    [...content].flatMap(([index, n]): Moved[] => {
      const pods = problem.classes[index];
      return pods === undefined ? [] : Array.from({ length: n }, () => ({ pods, from: target }));
    }),
  );
  let { packing, refused } = putInOrder(problem, plain.packing, order);
  for (let tried = 1; refused.length > 0 && tried < MOST_ORDERS; tried++) {
    const first = new Set(refused);
    order = [...refused, ...order.filter((each) => !first.has(each))];
    ({ packing, refused } = putInOrder(problem, plain.packing, order));
  }
  packing.dropEmpty();
  if (refused.length > 0) new Packer(packing, { ...packingOrder(problem, true), takesOpenFirst: true }).run();
  return finish(packing, plain.lowerBound);
}

interface Restored {
  readonly packing: Packing;
  readonly refused: readonly Moved[];
}

/** Puts each pod where it was, in this order as far as the rules allow: some may only come once others are there. */
function putInOrder(problem: Problem, { targets }: Packing, order: readonly Moved[]): Restored {
  const packing = new Packing(problem, { isCourteous: false, keepsBundles: false });
  const madeFor = targets.map(({ column, content, target }) => {
    if (column < 0) return packing.targets[target];
    return content.size === 0 ? undefined : packing.open(column);
  });
  const isPut = ({ pods, from }: Moved): boolean => {
    const target = madeFor[from];
    if (target === undefined) return false;
    const strictest = pods.asks.find((ask) => packing.mayPut(pods, ask, target));
    if (strictest !== undefined) packing.put(pods, strictest, target, 1);
    return strictest !== undefined;
  };
  let refused = order;
  for (let before = Infinity; refused.length < before;) {
    before = refused.length;
    refused = refused.filter((each) => !isPut(each));
  }
  return { packing, refused };
}
