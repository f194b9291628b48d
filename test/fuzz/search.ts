/**
 * A slow search for good solutions of small problems, to judge plans by: many starts, each improved by taking some pods out
 * and putting them in again in another order. It knows nothing of how planning does it.
 */
import { Draw } from './draw.js';
import type { Model, ModelPod } from './model.js';
import { compareScores, PackingState, type Score } from './packing-state.js';

export interface SearchOptions {
  readonly seed: number;
  readonly starts: number;
  /** Times that a part is packed again, for each start. */
  readonly rounds: number;
}

export const DEFAULT_SEARCH: SearchOptions = { seed: 1, starts: 10, rounds: 60 };

export interface Found {
  readonly state: PackingState;
  readonly score: Score;
}

/** The best solution found; at worst the one that places nothing. */
export function search(model: Model, options: Partial<SearchOptions> = {}): Found {
  const { seed, starts, rounds } = { ...DEFAULT_SEARCH, ...options };
  const draw = new Draw(seed);
  const nothing = new PackingState(model);
  let best: Found = { state: nothing, score: nothing.score };
  for (let start = 0; start < starts; start++) {
    let current: Found = { state: nothing, score: nothing.score };
    for (let round = 0; round < rounds; round++) {
      const tried = attempt(current, draw, round === 0);
      if (compareScores(tried.score, current.score) > 0 || !tried.state.canBeBound) continue;
      current = tried;
      if (compareScores(current.score, best.score) < 0) best = current;
    }
  }
  return best;
}

/** Takes some pods out, and puts in all that have no place. */
function attempt({ state: from }: Found, draw: Draw, isFirst: boolean): Found {
  const state = from.copy();
  if (!isFirst) state.remove(takenOut(state, draw));
  const noise = draw.oneOf([0, 0.1, 0.5]);
  const groups = [...state.model.groups.keys()];
  const allowed = draw.chance(0.3) ? groups.filter(() => draw.chance(0.6)) : groups;
  const missing = state.model.pods.filter(({ index }) => (state.hostOf[index] ?? -1) < 0);
  const order = inSomeOrder(missing, draw);
  let left = order;
  const crowds = draw.chance(0.3);
  let crowded = -1;
  // Who found no place may find one once others are there.
  for (let before = Infinity; left.length > 0 && left.length < before;) {
    before = left.length;
    left = left.filter((pod) => {
      const isPlaced = insert(state, pod, { draw, noise, allowed, crowded });
      if (crowds && crowded < 0) crowded = state.hostOf[pod.index] ?? -1;
      return !isPlaced;
    });
  }
  state.dropPartialGangs();
  return { state, score: state.score };
}

/** Some pods, or all of one or two nodes. */
function takenOut({ nodes, model }: PackingState, draw: Draw): ReadonlySet<number> {
  const movable = model.pods.filter(({ boundTo }) => boundTo < 0).map(({ index }) => index);
  if (draw.chance(0.1)) return new Set(movable);
  if (draw.chance(0.4)) {
    const share = draw.oneOf([0.2, 0.4, 0.6]);
    return new Set(movable.filter(() => draw.chance(share)));
  }
  const chosen = draw.shuffled(nodes).slice(0, draw.integer(1, 3));
  const members = new Set(chosen.flatMap((node) => node.members));
  return new Set(movable.filter((index) => members.has(index)));
}

function inSomeOrder(pods: readonly ModelPod[], draw: Draw): readonly ModelPod[] {
  const shuffled = draw.shuffled(pods);
  const sizeOf = ({ requests }: ModelPod): number => requests[0] ?? 0;
  if (draw.chance(0.3)) shuffled.sort((left, right) => sizeOf(right) - sizeOf(left));
  if (draw.chance(0.5)) shuffled.sort((left, right) => right.spec.priority - left.spec.priority);
  return shuffled;
}

interface Chance {
  readonly draw: Draw;
  /** Share of a price by which a choice may look better or worse than it is. */
  readonly noise: number;
  /** Groups of which nodes may be opened: now and then only some, so that others get a turn. */
  readonly allowed: readonly number[];
  /** Node that all pods go to if they can, whatever it costs: some only pay once several have come; or -1. */
  readonly crowded: number;
}

function free(cost: number | undefined): number | undefined {
  return cost === undefined ? undefined : 0;
}

/** Puts a pod where it costs least, more or less; whether there was a place. */
function insert(state: PackingState, pod: ModelPod, { draw, noise, allowed, crowded }: Chance): boolean {
  let place: (() => void) | undefined;
  let least = Infinity;
  const consider = (cost: number | undefined, take: () => void): void => {
    if (cost === undefined) return;
    const seen = cost * (1 + noise * (draw.next() - 0.5)) + draw.next() * (noise > 0 ? 0.02 : 1e-6);
    if (seen >= least) return;
    least = seen;
    place = take;
  };
  for (const at of state.nodes.keys())
    consider(at === crowded ? free(state.costOfJoining(pod, at)) : state.costOfJoining(pod, at), () => {
      state.join(pod, at);
    });
  for (const group of allowed)
    consider(state.costOfOpening(pod, group), () => {
      state.open(pod, group);
    });
  place?.();
  return place !== undefined;
}
