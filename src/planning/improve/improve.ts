/**
 * Improves the plan of a small batch: takes some of it apart and packs that again, in other orders and on other machines, as
 * often as a fixed amount of counted work allows. A change is kept where it leaves fewer pods out, or costs less while no
 * preference is given up for it.
 */
import { finish, isBest, isBetter, ROUNDING, type Candidate } from '../finish/candidate.js';
import { Chance } from '../pack/chance.js';
import { leavesLess } from '../pack/pack.js';
import { Packer } from '../pack/packer.js';
import { packingOrder } from '../pack/packing-order.js';
import type { Packing } from '../rules/packing.js';
import { podsOf, type PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';
import { concessionsOf, isMore } from './concessions.js';
import { Insertion, insertionOrder, type Regard } from './insertion.js';
import { passesOverAPool } from './passed-over.js';
import { rebuild } from './rebuild.js';
import { shakenOrder } from './shaken-order.js';
import { whatStays } from './what-stays.js';

/** Steps of work in all: offerings looked at, and pods tried on nodes. */
const WORK = 300_000;
/** Of fewer pods than these a plan takes little time otherwise: so many times the work is done for it. */
const FEW_PODS = 20;
const FEW_PODS_FACTOR = 2;
/** Rounds after which more of them find little. */
const MOST_ROUNDS = 600;
/** Fewer rounds find nothing. */
const FEWEST_ROUNDS = 10;
/** Rounds without a better plan after which the search begins again from the best, or from nothing. */
const PATIENCE = 40;
/** How often it begins again from nothing then. */
const FRESH_STARTS = 0.3;
/** Rounds in which pods are placed one at a time; in the others class by class. */
const INSERTIONS = 0.9;
/** More pods than these are not placed one at a time: class by class takes less time. */
const MOST_INSERTED = 60;
/** Nor where classes times offerings are more than these: finding what could be launched for each class takes longer. */
const MOST_OPENINGS = 250_000;

export interface ImprovementOptions {
  /** Of the work that may be done, how much. */
  readonly share: number;
  /** Whether the proof finds nothing wrong with a candidate. */
  readonly holds: (candidate: Candidate) => boolean;
}

/** The candidate, or a better one that holds; the candidate where it does not hold itself. */
export function improve(problem: Problem, first: Candidate, { share, holds }: ImprovementOptions): Candidate {
  const usual = packingOrder(problem, true).classes;
  const perRound = stepsOf(problem);
  const work = share * workFor(problem);
  const isShort = usual.length > 0 && perRound * FEWEST_ROUNDS <= work;
  if (!isShort || !holds(first)) return first;
  const improvement = new Improvement(problem, first, holds);
  let steps = 0;
  for (let round = 0; round < MOST_ROUNDS && steps < work && !isBest(improvement.best); round++)
    steps += perRound + improvement.round(usual);
  return improvement.best;
}

class Improvement {
  readonly #problem: Problem;
  readonly #holds: (candidate: Candidate) => boolean;
  readonly #chance = new Chance();
  readonly #bound: number;
  readonly #mayInsert: boolean;
  #best: Candidate;
  /** What is taken apart next; undefined: nothing is placed. */
  #current: Candidate | undefined;
  #since = 0;

  constructor(problem: Problem, first: Candidate, holds: (candidate: Candidate) => boolean) {
    this.#problem = problem;
    this.#holds = holds;
    this.#bound = first.lowerBound;
    this.#mayInsert = problem.classes.length * problem.launchables.columnRow.length <= MOST_OPENINGS;
    this.#best = first;
    this.#current = first;
  }

  get best(): Candidate {
    return this.#best;
  }

  /** Packs part of the plan again; returns the steps of work that it took. */
  round(usual: readonly PodClass[]): number {
    const packing = this.#packAgain(usual);
    const current = this.#current;
    if (current === undefined || !leavesLess(current.packing, packing))
      this.#consider(finish(packing, this.#bound));
    if (++this.#since > PATIENCE) {
      this.#current = this.#chance.happens(FRESH_STARTS) ? undefined : this.#best;
      this.#since = 0;
    }
    return packing.steps + packing.flexibility.steps;
  }

  #packAgain(usual: readonly PodClass[]): Packing {
    const chance = this.#chance;
    const current = this.#current;
    const packing = rebuild(this.#problem, current === undefined ? [] : whatStays(current, chance), chance);
    if (this.#mayInsert && chance.happens(INSERTIONS) && waitingPods(packing) <= MOST_INSERTED)
      new Insertion(packing, chance).run(insertionOrder(packing, chance), regardFor(current, chance));
    else new Packer(packing, shakenOrder(this.#problem, usual, chance)).run();
    packing.dropEmpty();
    return packing;
  }

  #consider(tried: Candidate): void {
    if (this.#current !== undefined && !isAtLeast(tried, this.#current)) return;
    if (isPreferable(tried, this.#best)) {
      const { packing } = tried;
      if (packing.targets.some((target) => passesOverAPool(packing, target)) || !this.#holds(tried)) return;
      [this.#best, this.#since] = [tried, 0];
    }
    this.#current = tried;
  }
}

function workFor({ classes }: Problem): number {
  return podsOf(classes) < FEW_PODS ? FEW_PODS_FACTOR * WORK : WORK;
}

/** Steps of a round beside those that its packing counts. */
function stepsOf({ launchables, snapshot, held, classes }: Problem): number {
  return (
    500 +
    0.2 * launchables.columnRow.length +
    held.length +
    snapshot.nodes.length * (4 + classes.length) +
    60 * podsOf(classes) +
    classes.length ** 2
  );
}

function waitingPods({ remaining }: Packing): number {
  return remaining.reduce((sum, left) => sum + left, 0);
}

/** While pods are left out, preferences are given up by chance to give more of them a place: later rounds meet them again. */
function regardFor(current: Candidate | undefined, chance: Chance): Regard {
  const isAnyLeft = current === undefined || waitingPods(current.packing) > 0;
  if (!isAnyLeft || chance.happens(0.5)) return 'preferred';
  return chance.happens(0.7) ? 'required' : 'last resort';
}

/**
 * Fewer pods left out; else fewer whose spread looks only at domains that there are, at any price, since these are for pods
 * that have no place otherwise; else cheaper, with no preference given up for it.
 */
function isPreferable(tried: Candidate, than: Candidate): boolean {
  if (leavesLess(tried.packing, than.packing)) return !displaces(tried, than);
  if (leavesLess(than.packing, tried.packing)) return false;
  const [own, others] = [concessionsOf(tried), concessionsOf(than)];
  if (own.uneven !== others.uneven) return own.uneven < others.uneven;
  return isBetter(tried, than) && !isMore(own, others);
}

/** Whether the search may go on from it: no worse. */
function isAtLeast(tried: Candidate, than: Candidate): boolean {
  if (leavesLess(than.packing, tried.packing)) return false;
  if (leavesLess(tried.packing, than.packing)) return !displaces(tried, than);
  if (isMore(concessionsOf(tried), concessionsOf(than))) return false;
  return tried.hourly <= than.hourly + ROUNDING || isMore(concessionsOf(than), concessionsOf(tried));
}

/** Whether pods that are spread over the domains that there are only took the places of others: they come last. */
function displaces(tried: Candidate, than: Candidate): boolean {
  const more = concessionsOf(tried).displacing - concessionsOf(than).displacing;
  return more > 0 && more > waitingPods(than.packing) - waitingPods(tried.packing);
}
