/** Which nodes to empty for a given moving cost: those whose going saves most, as far as room and budget last. */
import { real } from '../../optimize/problem/typed-read.js';
import type { ClusterNodes } from './cluster-nodes.js';
import { LEAST_COST, type NodeSums } from './node-sums.js';

/** What the choice may use. */
export interface DeletionLimits {
  /** Moving cost at most. */
  readonly budget: number;
  /** Share of the free room that can be used: some is always left over. */
  readonly fill: number;
  /** Node → 1 where it must stay after all. */
  readonly pinned: Uint8Array;
  /** Begins a count of nodes that go together: asked about one after the other, whether it may go with those before. */
  readonly beginCount?: (() => (node: number) => boolean) | undefined;
}

export interface Deletions {
  readonly nodes: readonly number[];
  /** Whether the kept nodes' room is known not to hold what is displaced. */
  readonly mustBuy: boolean;
}

/** What room is taken to be worth at least, by what it costs on new nodes: 0 while there is plenty, 1 once more must be bought. */
const ROOM_PRICES: readonly number[] = [0, 0.5, 0.85, 1];
/** New nodes are never quite full. */
const NEW_NODE_LOSS = 1.02;
/** Parts of the nodes between which prices of room are looked at again. */
const STEPS = 64;

/**
 * Nodes to delete, in the order found. They are taken by saving (price, less what their room is worth) per moving cost; what
 * room is worth follows what is short by then, so that nodes of several shapes go in proportion rather than one shape after the
 * other. For each least price of room the prefix with the least estimated price is taken; the best of all wins.
 */
export function chooseDeletions(nodes: ClusterNodes, sums: NodeSums, limits: DeletionLimits): Deletions {
  let best: Estimate = { price: totalOf(nodes.price), nodes: [], mustBuy: false };
  for (const roomPrice of ROOM_PRICES) {
    const found = new DeletionOrder(nodes, sums, limits, roomPrice).bestPrefix();
    if (found.price < best.price) best = found;
  }
  return best;
}

function totalOf(price: Float64Array): number {
  return price.reduce((sum, each) => sum + each, 0);
}

interface Estimate extends Deletions {
  /** USD/h. */
  readonly price: number;
}

/** One order of deletion while it is made: what is displaced and what room is left so far. */
class DeletionOrder {
  readonly #nodes: ClusterNodes;
  readonly #sums: NodeSums;
  readonly #limits: DeletionLimits;
  readonly #width: number;
  /** R, USD/h per unit: room is worth as much at least. */
  readonly #least: Float64Array;
  /** R: what is free on nodes that take items, of which a share can be used; and what the nodes taken so far held. */
  readonly #free: Float64Array;
  readonly #displaced: Float64Array;
  readonly #short: Float64Array;
  /** R, USD/h per unit: what room is worth now. */
  #worth: Float64Array;
  readonly #score: Float64Array;

  constructor(nodes: ClusterNodes, sums: NodeSums, limits: DeletionLimits, roomPrice: number) {
    this.#nodes = nodes;
    this.#sums = sums;
    this.#limits = limits;
    this.#width = sums.perUnit.length;
    this.#least = sums.perUnit.map((price) => roomPrice * price);
    this.#free = openRoom(nodes, sums, this.#width);
    this.#displaced = new Float64Array(this.#width);
    this.#short = new Float64Array(this.#width);
    this.#worth = this.#least;
    this.#score = new Float64Array(nodes.count);
  }

  /** How far to go: kept nodes' prices, and what does not fit into their room at the price of new nodes. */
  bestPrefix(): Estimate {
    const { price, closed } = this.#nodes;
    const mayGo = this.#limits.beginCount?.() ?? (() => true);
    let kept = totalOf(price);
    let left = this.#limits.budget;
    let best = { price: kept, count: 0, mustBuy: false };
    const taken: number[] = [];
    let waiting = this.#ranked(this.#candidates());
    const step = Math.max(1, Math.ceil(waiting.length / STEPS));
    for (let next = 0; next < waiting.length && real(this.#score, waiting[next] ?? 0) > 0;) {
      for (const node of waiting.slice(next, next + step)) {
        const cost = real(this.#sums.movingCost, node);
        if (cost > left || real(this.#score, node) <= 0 || !mayGo(node)) continue;
        left -= cost;
        kept -= real(price, node);
        taken.push(node);
        this.#take(node, closed[node] !== 1);
        const bought = NEW_NODE_LOSS * this.#shortagePrice().price;
        if (kept + bought < best.price)
          best = { price: kept + bought, count: taken.length, mustBuy: bought > 0 };
      }
      next += step;
      if (!this.#priceRoom()) continue;
      waiting = this.#ranked(waiting.slice(next));
      next = 0;
    }
    return { price: best.price, nodes: taken.slice(0, best.count), mustBuy: best.mustBuy };
  }

  #candidates(): number[] {
    const { budget, pinned } = this.#limits;
    const found: number[] = [];
    for (let node = 0; node < this.#nodes.count; node++)
      if (pinned[node] !== 1 && real(this.#sums.movingCost, node) <= budget) found.push(node);
    return found;
  }

  /** By saving per moving cost, at what room is worth now. */
  #ranked(waiting: number[]): number[] {
    const { asked, free, movingCost } = this.#sums;
    const score = this.#score;
    for (const node of waiting) {
      let saving = real(this.#nodes.price, node);
      // What is free on a node that takes no items is of no use.
      const fill = this.#nodes.closed[node] === 1 ? 0 : this.#limits.fill;
      for (let axis = 0, at = node * this.#width; axis < this.#width; axis++, at++)
        saving -= real(this.#worth, axis) * (real(asked, at) + fill * real(free, at));
      score[node] = saving / Math.max(LEAST_COST, real(movingCost, node));
    }
    return waiting.sort((one, other) => real(score, other) - real(score, one) || one - other);
  }

  #take(node: number, isOpen: boolean): void {
    const { asked, free } = this.#sums;
    for (let axis = 0, at = node * this.#width; axis < this.#width; axis++, at++) {
      this.#displaced[axis] = real(this.#displaced, axis) + real(asked, at);
      if (isOpen) this.#free[axis] = real(this.#free, axis) - real(free, at);
      const room = this.#limits.fill * real(this.#free, axis);
      this.#short[axis] = Math.max(0, real(this.#displaced, axis) - room);
    }
  }

  /** What nodes for the missing room cost at least, and the prices of resources by which they do. */
  #shortagePrice(): { readonly price: number; readonly by: Float64Array } {
    let by = this.#sums.perUnit;
    let most = -1;
    for (const prices of this.#sums.roomPrices) {
      let price = 0;
      for (let axis = 0; axis < this.#width; axis++) price += real(prices, axis) * real(this.#short, axis);
      if (price > most) [most, by] = [price, prices];
    }
    return { price: most, by };
  }

  /** Whether room is worth something else than before. */
  #priceRoom(): boolean {
    const { by } = this.#shortagePrice();
    const worth = this.#least.map((least, axis) =>
      Math.max(least, real(this.#short, axis) > 0 ? NEW_NODE_LOSS * real(by, axis) : 0),
    );
    if (worth.every((price, axis) => price === this.#worth[axis])) return false;
    this.#worth = worth;
    return true;
  }
}

/** R: what is free on nodes that take items. */
function openRoom(nodes: ClusterNodes, sums: NodeSums, width: number): Float64Array {
  const free = new Float64Array(width);
  for (let at = 0; at < sums.free.length; at++) {
    if (nodes.closed[Math.floor(at / width)] === 1) continue;
    free[at % width] = real(free, at % width) + real(sums.free, at);
  }
  return free;
}
