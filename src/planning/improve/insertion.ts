/**
 * Places pods one at a time, each where it costs least just then: on a node or a claim that has room, on a claim that becomes
 * a larger type, or on a new node. SeededRandom makes prices look a little higher or lower, and leaves out some types.
 */
import type { HostPort } from '../../domain/pods/pod.js';
import type { Ask } from '../model/classes/ask.js';
import type { SeededRandom } from '../pack/seeded-random.js';
import { valueOf } from '../pack/fill-estimate.js';
import { usableOfferings } from '../offerings/usable-columns.js';
import { Need } from '../offerings/need.js';
import { rowCapacity } from '../model/launch/launchables.js';
import { type Allows, mayOpen } from '../rules/may-open.js';
import type { Packing } from '../rules/packing.js';
import { PLAIN_LEVELS, type PodClass } from '../model/classes/pod-class.js';
import type { Target } from '../rules/targets.js';
import { openingsOf, type Opening } from './openings.js';

/** By how much prices look higher or lower, at most. */
const NOISES = [0, 0.1, 0.5];
/** Most types as which a claim is tried where limits and minValues tell how large it must be. */
const MOST_SIZES = 16;
/** Steps of pricing one claim or opening. */
const PRICE_STEPS = 2;

const NO_PORTS: readonly HostPort[] = [];

/** A place for a pod. */
interface Option {
  /** USD/h more, as it looks. */
  readonly cost: number;
  /** A target to join, or an opening; and the column it is to be of. */
  readonly target?: Target | undefined;
  readonly opening?: Opening | undefined;
  readonly column: number;
}

export class Insertion {
  readonly #packing: Packing;
  readonly #random: SeededRandom;
  readonly #need: Need;
  readonly #noise: number;
  /** Site → 1 where nodes may be opened; undefined: anywhere. */
  readonly #isOpen: Uint8Array | undefined;
  /** Whether all pods go to one claim if they can, whatever it costs: some only pay once several have come. */
  readonly #crowds: boolean;
  #crowded: Target | undefined;
  /** Whether a place that keeps the spread of others even everywhere is preferred to a cheaper one that does not. */
  readonly #balances: boolean;

  constructor(packing: Packing, random: SeededRandom) {
    this.#packing = packing;
    this.#random = random;
    this.#need = new Need(packing.problem.snapshot.resources.length);
    this.#noise = NOISES[random.below(NOISES.length)] ?? 0;
    const sites = openingsOf(packing.problem).sites;
    this.#isOpen = random.happens(0.3)
      ? Uint8Array.from({ length: sites }, () => (random.happens(0.6) ? 1 : 0))
      : undefined;
    this.#crowds = random.happens(0.3);
    this.#balances = random.happens(0.5);
  }

  /** Places what can be placed of the classes, in this order; what finds no place is tried as a last resort then. */
  run(order: readonly PodClass[], regard: Regard): void {
    for (const target of this.#packing.targets) this.#shrink(target);
    this.#runOnce(this.#runOnce(order, regard), 'last resort');
  }

  /** Goes over the pods until none finds a place: some may only come once others are there. Returns those without a place. */
  #runOnce(order: readonly PodClass[], regard: Regard): readonly PodClass[] {
    let left = order;
    for (let before = Infinity; left.length > 0 && left.length < before;) {
      before = left.length;
      left = left.filter((pods) => !this.#insert(pods, asksOf(pods, regard, this.#balances)));
    }
    return left;
  }

  /** Gives a claim the cheapest type that holds its pods. */
  #shrink(target: Target): void {
    if (target.column < 0 || target.content.size === 0) return;
    const column = this.#cheapest(target);
    if (column !== undefined && this.#priceOf(column) < this.#priceOf(target.column))
      this.#packing.retype(target, column);
  }

  #insert(pods: PodClass, asks: readonly Ask[]): boolean {
    if ((this.#packing.remaining[pods.index] ?? 0) === 0) return true;
    return asks.some((ask) => {
      const joined = this.#firstLegal(pods, ask, this.#joining(pods, ask));
      const opened = this.#opening(pods, ask, joined?.cost ?? Infinity);
      const best = opened ?? joined;
      if (best === undefined) return false;
      const { target = this.#packing.open(best.column), column } = best;
      if (target.column !== column && target.column >= 0) this.#packing.retype(target, column);
      this.#packing.put(pods, ask, target, 1);
      if (this.#crowds && target.column >= 0) this.#crowded ??= target;
      return true;
    });
  }

  /** Nodes and claims that have room for the pod, or could have, the cheapest first. */
  #joining(pods: PodClass, ask: Ask): readonly Option[] {
    const options: Option[] = [];
    for (const target of this.#packing.targets) {
      if (this.#packing.mayHost(pods, ask, target)) {
        options.push({ cost: this.#seen(0), target, column: target.column });
        continue;
      }
      if (target.column < 0 || target.content.size === 0) continue;
      const column = this.#cheapest(target, pods, ask);
      if (column === undefined) continue;
      const more = this.#priceOf(column) - this.#priceOf(target.column);
      options.push({ cost: this.#seen(target === this.#crowded ? 0 : more), target, column });
    }
    return options.sort((left, right) => left.cost - right.cost);
  }

  #firstLegal(pods: PodClass, ask: Ask, options: readonly Option[]): Option | undefined {
    return options.find(
      ({ target, column }) => target !== undefined && this.#mayJoin(pods, ask, target, column),
    );
  }

  #mayJoin(pods: PodClass, ask: Ask, target: Target, column: number): boolean {
    const packing = this.#packing;
    const before = target.column;
    if (column !== before) packing.retype(target, column);
    const may = packing.mayPut(pods, ask, target);
    if (column !== before) packing.retype(target, before);
    return may;
  }

  /** A new claim that looks cheaper than `most`. Only where no pool of a tier holds the pod is the next one looked at. */
  #opening(pods: PodClass, ask: Ask, most: number): Option | undefined {
    if (this.#packing.takenFrom(pods, NO_PORTS) !== undefined) return undefined;
    const tiers = openingsOf(this.#packing.problem).of(pods, ask);
    const allows = this.#allowing(pods, ask);
    for (const [at, tier] of tiers.entries()) {
      const options = tier.flatMap((opening): Option[] => {
        this.#packing.steps += PRICE_STEPS;
        const column = this.#columnOf(opening, allows);
        if (column === undefined) return [];
        const isOpen = this.#isOpen?.[opening.site] !== 0;
        return [{ cost: isOpen ? this.#seen(this.#priceOf(column)) : Infinity, opening, column }];
      });
      options.sort((left, right) => left.cost - right.cost);
      const isLast = tiers.slice(at + 1).every((next) => next.length === 0);
      const found = options.find(
        ({ cost, opening, column }) =>
          (isLast && cost >= most) || (opening !== undefined && allows(opening.template)(column)),
      );
      if (found !== undefined) return found.cost < most ? found : undefined;
    }
    return undefined;
  }

  /** Template → whether a claim of a column may be opened for the pod now. */
  #allowing(pods: PodClass, ask: Ask): (template: number) => Allows {
    const known = new Map<number, Allows>();
    return (template) => {
      this.#packing.steps += PRICE_STEPS;
      const allows = known.get(template) ?? mayOpen(this.#packing, pods, ask, template);
      known.set(template, allows);
      return allows;
    };
  }

  /**
   * The cheapest column of an opening that limits allow. A claim may list no type that takes more of the limits than the one
   * that it is opened as: where the pool has minValues it may have to be a larger one.
   */
  #columnOf({ template, columns }: Opening, allows: (template: number) => Allows): number | undefined {
    const isFree = columns.length === 1 || !this.#packing.flexibility.setsMinValues(template);
    if (isFree) return columns.find((each) => this.#isWithinLimits(each));
    const within = columns.filter((each) => this.#isWithinLimits(each)).slice(0, MOST_SIZES);
    return within.find((column) => allows(template)(column));
  }

  #isWithinLimits(column: number): boolean {
    return this.#packing.isWithinLimits(this.#packing.problem.launchables.columnRow[column] ?? 0);
  }

  /** The cheapest column that a claim may be of, with one pod more; undefined where none holds it. */
  #cheapest(target: Target, pods?: PodClass, ask?: Ask): number | undefined {
    const { problem } = this.#packing;
    const { launchables } = problem;
    this.#packing.steps += PRICE_STEPS;
    const usable = usableOfferings(problem).of(
      target.column,
      pods === undefined ? target.content.keys() : [...target.content.keys(), pods.index],
      ask === undefined ? target.asks : [...target.asks, ask],
    );
    const row = launchables.columnRow[target.column] ?? 0;
    const free =
      pods === undefined
        ? target.free
        : target.free.map((amount, axis) => amount - (pods.requests[axis] ?? 0));
    this.#need.set(launchables.net, row, free);
    const { rows, columns, room } = usable;
    const isLimited = (launchables.rowTemplate[row]?.offer.pool.limits.size ?? 0) > 0;
    for (
      let at = this.#need.next(room, 0, rows.length);
      at < rows.length;
      at = this.#need.next(room, at + 1, rows.length)
    ) {
      const to = rows[at] ?? 0;
      if ((!isLimited || this.#mayBecome(row, to)) && this.#hasDevices(target, to, pods)) return columns[at];
    }
    return undefined;
  }

  /** Whether a node of the row has devices for what is on the claim, and one pod more. */
  #hasDevices(target: Target, row: number, pods: PodClass | undefined): boolean {
    return this.#packing.devices?.suits(target, row, pods) !== false;
  }

  /** Whether limits allow a claim of a row to become one of another. */
  #mayBecome(from: number, to: number): boolean {
    if (from === to) return true;
    const { usage, problem } = this.#packing;
    const { launchables } = problem;
    const pool = launchables.rowPool[from] ?? 0;
    usage.release(pool, rowCapacity(launchables, from));
    const may = usage.hasRoom(pool, rowCapacity(launchables, to));
    usage.take(pool, rowCapacity(launchables, from));
    return may;
  }

  #priceOf(column: number): number {
    return this.#packing.problem.launchables.price[column] ?? 0;
  }

  /** How a price looks. */
  #seen(cost: number): number {
    const noise = this.#noise;
    return cost * (1 + noise * (this.#random.next() - 0.5)) + this.#random.next() * (noise > 0 ? 0.02 : 1e-6);
  }
}

/** With all preferences, and each level below them; with none; or by the domains that there are alone. */
export type Regard = 'preferred' | 'required' | 'last resort';

function asksOf({ asks }: PodClass, regard: Regard, balances: boolean): readonly Ask[] {
  if (regard === 'last resort') return asks.slice(-1);
  const plain = asks.slice(balances ? -PLAIN_LEVELS : 1 - PLAIN_LEVELS, -1);
  return regard === 'required' ? plain : [...asks.slice(0, -PLAIN_LEVELS), ...plain];
}

/** Each class as often as it has pods without a place: in any order, or the large ones first, or the important ones first. */
export function insertionOrder({ remaining, problem }: Packing, random: SeededRandom): readonly PodClass[] {
  const waiting = problem.classes.flatMap((pods) =>
    Array.from({ length: Math.max(0, remaining[pods.index] ?? 0) }, () => pods),
  );
  const order = random.shuffled(waiting);
  const sizeOf = ({ requests }: PodClass): number => valueOf(requests, problem.worth);
  if (random.happens(0.3)) order.sort((left, right) => sizeOf(right) - sizeOf(left));
  if (random.happens(0.5)) order.sort((left, right) => right.priority - left.priority);
  return order;
}
