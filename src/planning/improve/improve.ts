/**
 * Improves the plan of a small batch: takes some of it apart and packs that again, in other orders and on other types, as
 * often as a fixed amount of counted work allows. A change is kept where it leaves fewer pods out, or costs less while no
 * preference is given up for it.
 */
import { PRICE_ERROR } from '../../domain/values/price.js';
import { type Candidate, finish, isBest, isBetter } from '../finish/candidate.js';
import { Insertion, insertionOrder, type Regard } from './insertion.js';
import { mayBegin } from './may-begin.js';
import { skipsHeavierPool } from './openings.js';
import { rebuild, keptPart } from './rebuild.js';
import { PLAIN_LEVELS, type PodClass, podsOf } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';
import { SeededRandom } from '../pack/seeded-random.js';
import { leavesLess, Packer } from '../pack/pack.js';
import { packingOrder, type PackingOrder } from '../pack/packing-order.js';
import type { Packing } from '../rules/packing.js';
import type { Target } from '../rules/targets.js';

/** Steps of work in all: offerings looked at, and pods tried on nodes. */
const WORK = 300_000;
/** Of fewer pods than these a plan takes little time otherwise: so many times the work is done for it. */
const FEW_PODS = 20;
const FEW_PODS_FACTOR = 4;
/** Rounds after which more of them find little. */
const MOST_ROUNDS = 1_200;
/** Fewer rounds find nothing. */
const FEWEST_ROUNDS = 10;
/** Rounds without a better plan after which the search begins again from the best, or from nothing. */
const PATIENCE = 20;
/** How often it begins again from nothing then. */
const FRESH_STARTS = 0.3;
/** Rounds after which the search may go on from a more expensive plan, since no single change makes some plans better. */
const COSTLIER_ROUNDS = 0.2;
/** By how much more it may cost, as a share of the price. */
const MOST_EXTRA = 0.3;
/** Rounds in which pods are placed one at a time; in the others class by class. */
const INSERTIONS = 0.85;
/** More pods than these are not placed one at a time: class by class takes less time. */
const MOST_INSERTED = 60;
/** Nor where classes times offerings are more than these: finding what could be launched for each class takes longer. */
const MOST_OPENINGS = 250_000;

interface ImprovementOptions {
  /** Of the work that may be done, how much. */
  readonly share: number;
  readonly prove: (candidate: Candidate) => Proven;
}

/** What the proof says of a candidate. */
export interface Proven {
  readonly holds: boolean;
  /** Where it holds only in an order that was searched for: the domains over which spread is kept in it. */
  readonly reach: 'launchable' | 'existing' | undefined;
}

/** The candidate, or a better one that holds; the candidate where it does not hold itself. */
export function improve(problem: Problem, first: Candidate, { share, prove }: ImprovementOptions): Candidate {
  const perRound = stepsOf(problem);
  const work = share * workFor(problem);
  if (perRound * FEWEST_ROUNDS > work) return first;
  const usual = packingOrder(problem, true).classes;
  if (usual.length === 0) return first;
  if (isNothingPlaced(first) && !mayBegin(problem)) return first;
  const improvement = new Improvement(problem, first, prove);
  if (!improvement.isProven(first)) return first;
  let steps = 0;
  for (let round = 0; round < MOST_ROUNDS && steps < work && !isBest(improvement.best); round++) {
    const proofs = improvement.proofs;
    steps += perRound + improvement.round(usual);
    // A proof takes about as long as a round.
    steps += perRound * (improvement.proofs - proofs);
  }
  return improvement.best;
}

class Improvement {
  readonly #problem: Problem;
  readonly #prove: ImprovementOptions['prove'];
  readonly #random = new SeededRandom();
  readonly #bound: number;
  readonly #mayInsert: boolean;
  #best: Candidate;
  /** What is taken apart next; undefined: nothing is placed. */
  #current: Candidate | undefined;
  #since = 0;
  #proofs = 0;

  constructor(problem: Problem, first: Candidate, prove: ImprovementOptions['prove']) {
    this.#problem = problem;
    this.#prove = prove;
    this.#bound = first.lowerBound;
    this.#mayInsert = problem.classes.length * problem.launchables.columnRow.length <= MOST_OPENINGS;
    this.#best = first;
    this.#current = first;
  }

  get best(): Candidate {
    return this.#best;
  }

  /** Proofs made. */
  get proofs(): number {
    return this.#proofs;
  }

  /** Packs part of the plan again; returns the steps of work that it took. */
  round(usual: readonly PodClass[]): number {
    const packing = this.#packAgain(usual);
    const current = this.#current;
    if (current === undefined || !leavesLess(current.packing, packing))
      this.#consider(finish(packing, this.#bound));
    if (++this.#since > PATIENCE) {
      this.#current = this.#random.happens(FRESH_STARTS) ? undefined : this.#best;
      this.#since = 0;
    }
    return packing.steps + packing.flexibility.steps;
  }

  #packAgain(usual: readonly PodClass[]): Packing {
    const random = this.#random;
    const current = this.#current;
    const packing = rebuild(this.#problem, current === undefined ? [] : keptPart(current, random), random);
    if (this.#mayInsert && random.happens(INSERTIONS) && waitingPods(packing) <= MOST_INSERTED)
      new Insertion(packing, random).run(insertionOrder(packing, random), regardFor(current, random));
    else new Packer(packing, shakenOrder(this.#problem, usual, random)).run();
    packing.dropEmpty();
    return packing;
  }

  #consider(tried: Candidate): void {
    if (isPreferable(tried, this.#best)) {
      const { packing } = tried;
      if (packing.targets.some((target) => skipsHeavierPool(packing, target)) || !this.isProven(tried))
        return;
      // The proof may know better how even spread is.
      if (isPreferable(tried, this.#best)) {
        [this.#best, this.#current, this.#since] = [tried, tried, 0];
        return;
      }
    }
    if (this.#current === undefined || isAtLeast(tried, this.#current, this.#slack())) this.#current = tried;
  }

  /** How many times the price of a plan the next one may cost for the search to go on from it. */
  #slack(): number {
    return this.#random.happens(COSTLIER_ROUNDS) ? 1 + MOST_EXTRA * this.#random.next() : 1;
  }

  /** Whether the proof finds nothing wrong with a candidate; what it says of spread is noted. */
  isProven(candidate: Candidate): boolean {
    const { holds, reach } = this.#prove(candidate);
    this.#proofs++;
    const { packing } = candidate;
    const byOrder =
      reach === undefined
        ? packing.reliedOnOrder
        : reach === 'launchable'
          ? 0
          : Math.max(1, packing.reliedOnOrder);
    RELAXATIONS.set(candidate, countRelaxations(candidate, byOrder));
    return holds;
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

function isNothingPlaced({ packing: { targets } }: Candidate): boolean {
  return targets.every(({ content }) => content.size === 0);
}

function waitingPods({ remaining }: Packing): number {
  return remaining.reduce((sum, left) => sum + left, 0);
}

/** While pods are left out, preferences are given up at random to give more of them a place: later rounds meet them again. */
function regardFor(current: Candidate | undefined, random: SeededRandom): Regard {
  const isAnyLeft = current === undefined || waitingPods(current.packing) > 0;
  if (!isAnyLeft || random.happens(0.5)) return 'preferred';
  return random.happens(0.7) ? 'required' : 'last resort';
}

/**
 * Fewer pods left out; else fewer whose spread looks only at domains that there are, at any price, since these are for pods
 * that have no place otherwise; else cheaper, with no preference given up for it.
 */
function isPreferable(tried: Candidate, than: Candidate): boolean {
  if (leavesLess(tried.packing, than.packing)) return !displaces(tried, than);
  if (leavesLess(than.packing, tried.packing)) return false;
  const [own, others] = [relaxationsOf(tried), relaxationsOf(than)];
  if (own.uneven !== others.uneven) return own.uneven < others.uneven;
  return isBetter(tried, than) && !isMoreRelaxed(own, others);
}

/** Whether the search may go on from it: no worse, but for a price that may be so many times as high. */
function isAtLeast(tried: Candidate, than: Candidate, slack: number): boolean {
  if (leavesLess(than.packing, tried.packing)) return false;
  if (leavesLess(tried.packing, than.packing)) return !displaces(tried, than);
  if (isMoreRelaxed(relaxationsOf(tried), relaxationsOf(than))) return false;
  return (
    tried.hourly <= slack * than.hourly + PRICE_ERROR ||
    isMoreRelaxed(relaxationsOf(than), relaxationsOf(tried))
  );
}

/** Whether pods that are spread over the domains that there are only took the places of others: they come last. */
function displaces(tried: Candidate, than: Candidate): boolean {
  const more = relaxationsOf(tried).displacing - relaxationsOf(than).displacing;
  return more > 0 && more > waitingPods(than.packing) - waitingPods(tried.packing);
}

/** Counted per pod. */
interface Relaxations {
  /** Pods whose spread looks only at domains that there are, or is sure to hold over these only. */
  readonly uneven: number;
  /** Those of them whose spread is not over hosts. */
  readonly displacing: number;
  /** Levels of preferences. */
  readonly levels: number;
}

const RELAXATIONS = new WeakMap<Candidate, Relaxations>();

/** What the pods of a packing gave up to have a place. */
function relaxationsOf(candidate: Candidate): Relaxations {
  const found = RELAXATIONS.get(candidate) ?? countRelaxations(candidate, 0);
  RELAXATIONS.set(candidate, found);
  return found;
}

/** Pods of one class that came to a target under several asks count as though all had given up as much as the last. */
function countRelaxations({ packing: { targets, problem } }: Candidate, byOrder: number): Relaxations {
  let [uneven, displacing, levels] = [byOrder, 0, 0];
  for (const target of targets) {
    for (const [index, n] of target.content) {
      const pods = problem.classes[index];
      if (pods === undefined) continue;
      const last = pods.asks.length - 1;
      const level = pods.asks.findLastIndex((ask) => target.asks.has(ask));
      const spread = level === last ? (pods.asks[last]?.spread ?? []) : [];
      if (spread.length > 0) uneven += n;
      if (spread.some(({ group }) => !group.isHostname)) displacing += n;
      levels += n * Math.max(0, Math.min(level, pods.asks.length - PLAIN_LEVELS));
    }
  }
  return { uneven, displacing, levels };
}

function isMoreRelaxed(left: Relaxations, right: Relaxations): boolean {
  return left.uneven > right.uneven || (left.uneven === right.uneven && left.levels > right.levels);
}

/** By how much prices look higher or lower, at most: not at all, a little, or by so much that any type may come first. */
const NOISES = [0, 0, 0.3, 1, 4];

/** Another order of packing than the usual one, drawn by random: of classes, nodes and prices. */
function shakenOrder(
  { launchables, snapshot }: Problem,
  usual: readonly PodClass[],
  random: SeededRandom,
): PackingOrder {
  const classes = shakenClasses(usual, random);
  const noise = NOISES[random.below(NOISES.length)] ?? 0;
  const rowFactor =
    noise === 0
      ? undefined
      : Float64Array.from(launchables.rowType, () => Math.exp(noise * (random.next() - 0.5)));
  const skipped = snapshot.nodes.map(() => random.happens(0.3));
  const skips = snapshot.nodes.length > 0 && random.happens(0.3);
  const arrange = (targets: readonly Target[]): readonly Target[] =>
    skips ? targets.filter(({ target }) => skipped[target] !== true) : targets;
  const isShuffled = random.happens(0.5);
  return {
    classes,
    bands: [{ first: 0, end: classes.length }],
    isMixed: true,
    isStrict: random.happens(0.5),
    rowFactor,
    arrange: (targets) => (isShuffled ? random.shuffled(arrange(targets)) : arrange(targets)),
    limitWeight: random.happens(0.2) ? 1 : 0,
  };
}

function shakenClasses(usual: readonly PodClass[], random: SeededRandom): readonly PodClass[] {
  const kind = random.below(4);
  if (kind === 0) return usual;
  if (kind === 1) return random.shuffled(usual);
  const ranked = usual.map((pods, position) => ({
    pods,
    rank: kind === 2 ? position + random.next() * usual.length * 0.7 : rulesOf(pods) * -1 + 2 * random.next(),
  }));
  return ranked.sort((left, right) => left.rank - right.rank).map(({ pods }) => pods);
}

function rulesOf({ asks }: PodClass): number {
  const ask = asks.at(-1);
  return ask === undefined ? 0 : ask.spread.length + ask.affinity.length + ask.antiAffinity.length;
}
