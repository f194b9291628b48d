/**
 * Improves the plan of a small batch: takes some of it apart and packs that again, in other orders and on other machines, as
 * often as a fixed amount of counted work allows. A change is kept where it leaves fewer pods out, or costs less while no
 * preference is given up for it.
 */
import { finish, isBest, isBetter, ROUNDING, type Candidate } from '../candidate.js';
import { Chance } from '../chance.js';
import { leavesLess } from '../pack.js';
import { Packer } from '../packer.js';
import { packingOrder } from '../packing-order.js';
import type { Problem } from '../problem.js';
import { concessionsOf, isMore } from './concessions.js';
import { rebuild } from './rebuild.js';
import { shakenOrder } from './shaken-order.js';
import { whatStays } from './what-stays.js';

/** Steps of work in all: offerings looked at, and pods tried on nodes. */
const WORK = 300_000;
/** Rounds after which more of them find little. */
const MOST_ROUNDS = 300;
/** Rounds without a better plan after which the search begins again from the best. */
const PATIENCE = 40;

export interface ImprovementOptions {
  /** Of the work that may be done, how much. */
  readonly share: number;
  /** Whether the proof finds nothing wrong with a candidate. */
  readonly holds: (candidate: Candidate) => boolean;
}

/** The candidate, or a better one that holds; the candidate where it does not hold itself. */
export function improve(problem: Problem, first: Candidate, { share, holds }: ImprovementOptions): Candidate {
  const usual = packingOrder(problem, true);
  const work = share * WORK;
  const perRound = stepsOf(problem);
  const isShort = usual.classes.length > 0 && perRound * FEWEST_ROUNDS <= work;
  if (!isShort || !holds(first)) return first;
  let steps = 0;
  const chance = new Chance();
  let best = first;
  let current = first;
  let since = 0;
  for (let round = 0; round < MOST_ROUNDS && steps < work && !isBest(best); round++) {
    const packing = rebuild(problem, whatStays(current, chance), chance);
    new Packer(packing, shakenOrder(problem, usual, chance)).run();
    packing.dropEmpty();
    const tried = finish(packing, first.lowerBound);
    steps += perRound + packing.steps + packing.flexibility.steps;
    since++;
    if (isAtLeast(tried, current)) {
      const isNew = isPreferable(tried, best);
      if (isNew && holds(tried)) [best, current, since] = [tried, tried, 0];
      else if (!isNew) current = tried;
    }
    if (since > PATIENCE) [current, since] = [best, 0];
  }
  return best;
}

/** Fewer rounds find nothing. */
const FEWEST_ROUNDS = 10;

/** Steps of a round beside those that its packing counts. */
function stepsOf({ launchables, snapshot, held, classes }: Problem): number {
  const pods = classes.reduce((sum, each) => sum + each.pods.length, 0);
  return (
    500 +
    0.2 * launchables.columnRow.length +
    held.length +
    snapshot.nodes.length * (4 + classes.length) +
    60 * pods +
    classes.length ** 2
  );
}

/**
 * Fewer pods left out; else fewer whose spread looks only at domains that there are, at any price, since these are for pods
 * that have no place otherwise; else cheaper, with no preference given up for it.
 */
function isPreferable(tried: Candidate, than: Candidate): boolean {
  if (leavesLess(tried.packing, than.packing)) return true;
  if (leavesLess(than.packing, tried.packing)) return false;
  const [own, others] = [concessionsOf(tried), concessionsOf(than)];
  if (own.uneven !== others.uneven) return own.uneven < others.uneven;
  return isBetter(tried, than) && !isMore(own, others);
}

/** Whether the search may go on from it: no worse. */
function isAtLeast(tried: Candidate, than: Candidate): boolean {
  if (leavesLess(than.packing, tried.packing)) return false;
  if (leavesLess(tried.packing, than.packing)) return true;
  if (isMore(concessionsOf(tried), concessionsOf(than))) return false;
  return tried.hourly <= than.hourly + ROUNDING || isMore(concessionsOf(than), concessionsOf(tried));
}
