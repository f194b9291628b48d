/**
 * Puts displaced items into the room of kept nodes. A node is filled in proportion, so that cpu and memory run out together,
 * with what is worth most. Of many classes a sample is looked at, from turning starts.
 */
import { CPU_AXIS, MEMORY_AXIS, type BinProblem } from '../../optimize/problem/bin-problem.js';
import { real, whole } from '../../optimize/problem/typed-read.js';
import type { ClusterNodes } from './cluster-nodes.js';
import type { Displaced } from './displaced.js';
import { LEAST_COST, type NodeSums } from './node-sums.js';

/** Classes looked at for each item while the node has much room, and near its end. */
const SAMPLES = 48;
const END_SAMPLES = 256;
/** Share of the free room at which the end begins. */
const END = 0.7;
/** Times in a row that nothing in a sample fits before a node is given up. */
const MAX_MISSES = 4;
/** Places that a start of the sample is ahead of the last: a prime, so that all classes have their turn. */
const STRIDE = 7919;

/**
 * Which of the kept nodes are filled first: those with most or with least room, or those whose going would save least for what it
 * moves, so that items do not come to nodes that go next.
 */
export type FillOrder = 'RoomiestFirst' | 'RoomiestLast' | 'LeastGainFirst';

export interface Refill {
  readonly deleted: Uint8Array;
  readonly displaced: Displaced;
  readonly order: FillOrder;
}

export function refill(
  problem: BinProblem,
  nodes: ClusterNodes,
  sums: NodeSums,
  { deleted, displaced, order }: Refill,
): void {
  const filler = new Filler(problem, nodes, sums, displaced);
  for (const node of openNodes(nodes, sums, deleted, order)) filler.fill(node);
}

/** Kept nodes that take items, those to fill first first. */
function openNodes(nodes: ClusterNodes, sums: NodeSums, deleted: Uint8Array, order: FillOrder): number[] {
  const rank = new Float64Array(nodes.count);
  const open: number[] = [];
  for (let node = 0; node < nodes.count; node++) {
    if (deleted[node] === 1 || nodes.closed[node] === 1) continue;
    rank[node] = order === 'LeastGainFirst' ? -gainOf(nodes, sums, node) : worthOfRoom(sums, node);
    open.push(node);
  }
  const sign = order === 'RoomiestLast' ? -1 : 1;
  return open.sort((one, other) => sign * (real(rank, other) - real(rank, one)) || one - other);
}

/** USD/h. */
function worthOfRoom({ perUnit, free }: NodeSums, node: number): number {
  let worth = 0;
  for (let axis = 0; axis < perUnit.length; axis++)
    worth += real(perUnit, axis) * real(free, node * perUnit.length + axis);
  return worth;
}

/** USD/h that go with the node for what moving its items weighs; 0 where it cannot be emptied. */
function gainOf({ price }: ClusterNodes, { movingCost }: NodeSums, node: number): number {
  return real(price, node) / Math.max(LEAST_COST, real(movingCost, node));
}

class Filler {
  readonly #problem: BinProblem;
  readonly #nodes: ClusterNodes;
  readonly #sums: NodeSums;
  readonly #displaced: Displaced;
  /** Classes with items left, the most valuable first. */
  readonly #order: Int32Array;
  /** Signature → the classes that it admits; those without items drop out as they are met. */
  readonly #lists = new Map<number, Int32Array>();
  /** Room of the node being filled. */
  readonly #room: Float64Array;
  /** Cap group → items on the node being filled. */
  readonly #inGroup: Int32Array;
  #node = 0;
  #turn = 0;
  #perCpu = 0;
  #perMemory = 0;
  #perWorth = 0;

  constructor(problem: BinProblem, nodes: ClusterNodes, sums: NodeSums, displaced: Displaced) {
    this.#problem = problem;
    this.#nodes = nodes;
    this.#sums = sums;
    this.#displaced = displaced;
    this.#room = new Float64Array(problem.resources);
    this.#inGroup = new Int32Array(problem.cap.length);
    const { value } = sums;
    this.#order = Int32Array.from({ length: problem.classes.count }, (_, kind) => kind)
      .filter((kind) => whole(displaced.left, kind) > 0)
      .sort((one, other) => real(value, other) - real(value, one) || one - other);
  }

  fill(node: number): void {
    const list = this.#classesFor(node);
    if (list.length === 0) return;
    this.#open(node);
    let misses = 0;
    while (misses < MAX_MISSES) {
      const samples = Math.min(list.length, this.#isEnd() ? END_SAMPLES : SAMPLES);
      const chosen = this.#choose(list, samples);
      if (chosen >= 0) {
        this.#take(chosen);
        misses = 0;
      } else if (samples === list.length) return;
      else misses++;
    }
  }

  #classesFor(node: number): Int32Array {
    const { admits, requirementSets, classes } = this.#problem;
    const signature = whole(this.#nodes.signature, node);
    const row = signature * requirementSets;
    const known = this.#lists.get(signature);
    const { left } = this.#displaced;
    const list =
      known === undefined
        ? this.#order.filter((kind) => admits[row + whole(classes.requirementSet, kind)] === 1)
        : compact(known, left);
    this.#lists.set(signature, list);
    return list;
  }

  #open(node: number): void {
    const { resources, classes } = this.#problem;
    const { free, perUnit } = this.#sums;
    let worth = 0;
    for (let axis = 0; axis < resources; axis++) {
      this.#room[axis] = real(free, node * resources + axis);
      worth += real(this.#room, axis) * real(perUnit, axis);
    }
    this.#node = node;
    this.#perCpu = inverse(real(this.#room, CPU_AXIS));
    this.#perMemory = inverse(real(this.#room, MEMORY_AXIS));
    this.#perWorth = inverse(worth);
    this.#inGroup.fill(0);
    const end = whole(this.#nodes.firstItem, node + 1);
    for (let item = whole(this.#nodes.firstItem, node); item < end; item++)
      this.#countIn(whole(classes.capGroup, whole(this.#nodes.itemClass, item)));
  }

  #countIn(group: number): void {
    if (group >= 0) this.#inGroup[group] = whole(this.#inGroup, group) + 1;
  }

  #isEnd(): boolean {
    const cpu = real(this.#room, CPU_AXIS) * this.#perCpu;
    return cpu < END || real(this.#room, MEMORY_AXIS) * this.#perMemory < END;
  }

  /** The class that leaves cpu and memory best in balance for its worth; -1 when none of the sample may go in. */
  #choose(list: Int32Array, samples: number): number {
    const { requests } = this.#problem.classes;
    const { resources } = this.#problem;
    const step = Math.max(1, Math.floor(list.length / samples));
    const balance =
      real(this.#room, CPU_AXIS) * this.#perCpu - real(this.#room, MEMORY_AXIS) * this.#perMemory;
    this.#turn = samples === list.length ? 0 : (this.#turn + STRIDE) % list.length;
    let best = -Infinity;
    let chosen = -1;
    for (let count = 0, at = this.#turn; count < samples; count++, at += step) {
      if (at >= list.length) at -= list.length;
      const kind = whole(list, at);
      const cpu = real(requests, kind * resources + CPU_AXIS) * this.#perCpu;
      const memory = real(requests, kind * resources + MEMORY_AXIS) * this.#perMemory;
      const score = this.#perWorth * real(this.#sums.value, kind) - Math.abs(balance - cpu + memory);
      if (score <= best || !this.#mayTake(kind)) continue;
      best = score;
      chosen = kind;
    }
    return chosen;
  }

  #mayTake(kind: number): boolean {
    const { classes, resources, cap } = this.#problem;
    if (whole(this.#displaced.left, kind) <= 0) return false;
    for (let axis = 0; axis < resources; axis++)
      if (real(classes.requests, kind * resources + axis) > real(this.#room, axis)) return false;
    const zone = whole(this.#nodes.zone, this.#node);
    if ((whole(classes.zoneMask, kind) & (1 << zone)) === 0) return false;
    const group = whole(classes.capGroup, kind);
    if (group >= 0 && whole(this.#inGroup, group) >= whole(cap, group)) return false;
    return this.#displaced.isOpen(kind, zone);
  }

  #take(kind: number): void {
    const { classes, resources } = this.#problem;
    for (let axis = 0; axis < resources; axis++)
      this.#room[axis] = real(this.#room, axis) - real(classes.requests, kind * resources + axis);
    this.#countIn(whole(classes.capGroup, kind));
    this.#displaced.useQuota(kind, whole(this.#nodes.zone, this.#node));
    this.#displaced.put(kind, this.#node);
  }
}

function inverse(amount: number): number {
  return amount > 0 ? 1 / amount : 0;
}

/** The list without classes of which nothing is left: in place, as it only shrinks. */
function compact(list: Int32Array, left: Int32Array): Int32Array {
  let count = 0;
  for (const kind of list) if (whole(left, kind) > 0) list[count++] = kind;
  return list.subarray(0, count);
}
