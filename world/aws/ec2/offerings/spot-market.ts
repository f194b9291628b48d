/** Spot prices as they move with time: a function of seed, pool and moment, and what tests set. */
import { roundPrice } from '../../../../src/catalogue/price.js';
import type { CapacityPool, PoolPattern } from '../../model/capacity-stock.js';
import { hashFraction } from '../../model/stable-hash.js';
import type { Offerings } from './offerings.js';

export interface SpotPriceChange {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** USD/h. */
  readonly price: number;
}

export interface SpotMarketOptions {
  readonly offerings: Offerings;
  readonly seed: string;
  /** Prices stay within this share of the catalogue's. */
  readonly movement: number;
}

interface SetPrice extends SpotPriceChange {
  readonly pattern: PoolPattern;
}

type SpotPool = Omit<CapacityPool, 'capacityType'>;

const HOUR_MILLIS = 3_600_000;
/** Each pool has a rhythm of its own, between these. */
const SHORTEST_MILLIS = 4 * HOUR_MILLIS;
const LONGEST_MILLIS = 12 * HOUR_MILLIS;

/** When a pool's price changes. */
interface Rhythm {
  readonly name: string;
  readonly period: number;
  readonly shift: number;
}

export class SpotMarket {
  readonly #offerings: Offerings;
  readonly #seed: string;
  readonly #movement: number;
  readonly #set: SetPrice[] = [];
  /** By pool: asked for thousands at a time. */
  readonly #rhythms = new Map<string, Rhythm>();

  constructor({ offerings, seed, movement }: SpotMarketOptions) {
    this.#offerings = offerings;
    this.#seed = seed;
    this.#movement = movement;
  }

  /** From now on these pools cost so much. */
  set(pattern: PoolPattern, price: number, now: number): void {
    this.#set.push({ pattern, price, at: now });
  }

  /** USD/h at a moment; undefined when the pool does not exist. */
  price(pool: SpotPool, now: number): number | undefined {
    return this.#lastSet(pool, now)?.price ?? this.#movingPrice(pool, now);
  }

  /** The price at `from` and all changes up to `to`, newest first. */
  changes(pool: SpotPool, from: number, to: number): readonly SpotPriceChange[] {
    const { period, shift } = this.#rhythm(pool);
    const began = Math.floor((from - shift) / period) * period + shift;
    const times = [this.#lastSet(pool, from)?.at ?? began];
    for (let at = began + period; at <= to; at += period) times.push(at);
    for (const { pattern, at } of this.#set)
      if (at > from && at <= to && matches(pattern, pool)) times.push(at);
    const changes: SpotPriceChange[] = [];
    for (const at of times.sort((left, right) => left - right)) {
      const price = this.price(pool, Math.max(at, Math.min(from, to)));
      if (price !== undefined && price !== changes.at(-1)?.price) changes.push({ at, price });
    }
    return changes.reverse();
  }

  #movingPrice(pool: SpotPool, now: number): number | undefined {
    const base = this.#offerings.listPrice({ ...pool, capacityType: 'spot' });
    if (base === undefined || this.#movement === 0) return base;
    const { name, period, shift } = this.#rhythm(pool);
    const chance = hashFraction(`${name} ${String(Math.floor((now - shift) / period))}`);
    const moved = roundPrice(base * (1 + this.#movement * (2 * chance - 1)));
    return Math.min(moved, this.#offerings.listPrice({ ...pool, capacityType: 'on-demand' }) ?? moved);
  }

  #rhythm({ instanceType, zone }: SpotPool): Rhythm {
    const name = `${this.#seed} ${instanceType} ${zone}`;
    let rhythm = this.#rhythms.get(name);
    if (rhythm === undefined) this.#rhythms.set(name, (rhythm = rhythmOf(name)));
    return rhythm;
  }

  #lastSet(pool: SpotPool, now: number): SetPrice | undefined {
    return this.#set.findLast(({ pattern, at }) => at <= now && matches(pattern, pool));
  }
}

function rhythmOf(name: string): Rhythm {
  const period = Math.round(SHORTEST_MILLIS + hashFraction(name) * (LONGEST_MILLIS - SHORTEST_MILLIS));
  return { name, period, shift: Math.round(hashFraction(`${name} shift`) * period) };
}

function matches({ instanceType, zone, capacityType }: PoolPattern, pool: SpotPool): boolean {
  return (
    (instanceType ?? pool.instanceType) === pool.instanceType &&
    (zone ?? pool.zone) === pool.zone &&
    capacityType !== 'on-demand'
  );
}
