/**
 * Estimates how well a new node would be filled: first-fit over the classes in order, with per-node caps and shares of
 * zones, without touching any counter. It only ranks types; placing is done, and checked, afterwards.
 */
import type { Ask, SpreadRule } from '../model/classes/ask.js';
import { fillingAsk, type PodClass } from '../model/classes/pod-class.js';
import { NEW_HOST } from '../model/constraints/domains.js';
import { howManyFit, takeRoom } from '../model/launch/room.js';
import type { Packing } from '../rules/packing.js';

/** Classes that do not fit, one after the other, after which a fill is taken to be complete. */
const PATIENCE = 400;

export class FillEstimate {
  readonly #packing: Packing;
  readonly #order: readonly PodClass[];
  readonly #takesOpenFirst: boolean;
  /** Positions × R: the least that any class from there on asks of each resource. */
  readonly #leastAfter: Float64Array;
  readonly #worth: Float64Array;
  /** Positions of classes with pods left, ascending. */
  readonly #active: number[] = [];
  /** Group → members on the imagined node, of groups that spread or affinity of some class looks at. */
  readonly #members = new Map<number, number>();
  readonly #lookedAt: ReadonlySet<number>;
  /** Position → its groups among these. */
  readonly #counted: (readonly number[])[] = [];
  readonly #repulsion: Repulsion;
  /** Positions that cannot join what is on the imagined node, as bits. */
  readonly #barred: Uint32Array;

  constructor(packing: Packing, order: readonly PodClass[], takesOpenFirst: boolean) {
    this.#packing = packing;
    this.#order = order;
    this.#takesOpenFirst = takesOpenFirst;
    const askOf = (pods: PodClass): Ask | undefined => fillingAsk(pods, takesOpenFirst);
    const { worth } = packing.problem;
    this.#worth = Float64Array.from(order, ({ requests }) => valueOf(requests, worth));
    this.#leastAfter = leastAfter(order);
    this.#lookedAt = lookedAt(order.map(askOf));
    this.#repulsion = new Repulsion(order, askOf);
    this.#barred = new Uint32Array(this.#repulsion.words);
  }

  /** Looks at what is left of every class from position `from` of the order on; to be called before `worthOf`. */
  startAt(from: number): void {
    const { remaining } = this.#packing;
    this.#active.length = 0;
    for (let position = from; position < this.#order.length; position++) {
      if ((remaining[this.#order[position]?.index ?? -1] ?? 0) > 0) this.#active.push(position);
    }
  }

  /** USD/h that the pods filling an empty node of this column are worth; `free` is used up. */
  worthOf(column: number, free: Float64Array): number {
    this.#members.clear();
    this.#barred.fill(0);
    let worth = 0;
    let misses = 0;
    for (const position of this.#active) {
      if (misses >= PATIENCE) break;
      if (isSet(this.#barred, position)) {
        misses++;
        continue;
      }
      if (this.#isFull(free, position)) break;
      const taken = this.#take(position, column, free);
      worth += taken;
      misses = taken > 0 ? 0 : misses + 1;
    }
    return worth;
  }

  #isFull(free: Float64Array, position: number): boolean {
    const first = position * free.length;
    for (let resource = 0; resource < free.length; resource++) {
      if ((this.#leastAfter[first + resource] ?? 0) > (free[resource] ?? 0)) return true;
    }
    return false;
  }

  /** Takes what fits of one class; returns its worth. */
  #take(position: number, column: number, free: Float64Array): number {
    const pods = this.#order[position];
    const ask = pods && fillingAsk(pods, this.#takesOpenFirst);
    if (pods === undefined || ask === undefined) return 0;
    const n = this.#howMany(position, ask, { column, free });
    if (n <= 0) return 0;
    takeRoom(pods.requests, free, n);
    for (const group of this.#countedOf(position)) this.#members.set(group, this.#here(group) + n);
    this.#bar(position);
    return n * (this.#worth[position] ?? 0);
  }

  #countedOf(position: number): readonly number[] {
    return (this.#counted[position] ??= (this.#order[position]?.memberOf ?? []).filter((group) =>
      this.#lookedAt.has(group),
    ));
  }

  /** Keeps those out that cannot share the node with pods of this position. */
  #bar(position: number): void {
    const apart = this.#repulsion.isAny ? this.#repulsion.apartFrom(position) : undefined;
    if (apart === undefined) return;
    for (let word = 0; word < apart.length; word++)
      this.#barred[word] = (this.#barred[word] ?? 0) | (apart[word] ?? 0);
  }

  #howMany(
    position: number,
    ask: Ask,
    node: { readonly column: number; readonly free: Float64Array },
  ): number {
    const pods = this.#order[position];
    if (pods === undefined) return 0;
    const remaining = this.#packing.remaining[pods.index] ?? 0;
    const fit = howManyFit(pods.requests, node.free, remaining);
    if (fit === 0 || this.#packing.problem.admission.columns(ask.constraint)[node.column] !== 1) return 0;
    return this.#packing.isFree(pods, ask) ? fit : Math.min(fit, this.#cap(position, ask, node.column));
  }

  #here(group: number): number {
    return this.#members.get(group) ?? 0;
  }

  /** How many pods of the class one node of this column may be expected to hold in the end. */
  #cap(position: number, ask: Ask, column: number): number {
    if (ask.affinity.some(({ group }) => group.isHostname && this.#isElsewhere(group.index))) return 0;
    const remaining = this.#packing.remaining[this.#order[position]?.index ?? -1] ?? 0;
    let cap = this.#repulsion.isApartFromItself(position) ? 1 : Infinity;
    for (const rule of ask.spread) {
      const room = rule.group.isHostname
        ? rule.maxSkew - this.#here(rule.group.index)
        : this.#domainShare(rule, ask, { column, remaining });
      // Pods that the rule does not count take no room from each other.
      if (rule.self === 1 || room < 0) cap = Math.min(cap, room);
    }
    return cap;
  }

  /** Whether a group that must share one node has settled on another. */
  #isElsewhere(group: number): boolean {
    return this.#packing.counts.total(group) > 0 && this.#here(group) === 0;
  }

  /** What one domain of a rule may take of the pods that remain: its fair share, or more where there is room now. */
  #domainShare(
    rule: SpreadRule,
    ask: Ask,
    { column, remaining }: { readonly column: number; readonly remaining: number },
  ): number {
    const { counts } = this.#packing;
    const domains = counts.eligibleDomains(rule).length;
    const now = counts.spreadRoom(rule, ask, { target: NEW_HOST, column });
    return Math.max(now, Math.ceil(remaining / Math.max(1, domains)));
  }
}

/** Groups that some of the asks look at for spread or affinity. */
function lookedAt(asks: readonly (Ask | undefined)[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (const ask of asks) {
    for (const { group } of ask?.spread ?? []) found.add(group.index);
    for (const { group } of ask?.affinity ?? []) found.add(group.index);
  }
  return found;
}

/** USD/h that an amount of resources is worth at the given prices per unit. */
export function valueOf(amounts: Float64Array, perUnit: Float64Array): number {
  let value = 0;
  for (let resource = 0; resource < amounts.length; resource++) {
    value += Math.max(0, amounts[resource] ?? 0) * (perUnit[resource] ?? 0);
  }
  return value;
}

function leastAfter(order: readonly PodClass[]): Float64Array {
  const width = order[0]?.requests.length ?? 0;
  const least = new Float64Array(order.length * width);
  for (let position = order.length - 1; position >= 0; position--) {
    const requests = order[position]?.requests;
    for (let resource = 0; resource < width; resource++) {
      const at = position * width + resource;
      const after = position + 1 < order.length ? (least[at + width] ?? 0) : Infinity;
      least[at] = Math.min(requests?.[resource] ?? 0, after);
    }
  }
  return least;
}

const BITS = 32;

/** Which classes keep each other off one node, as bits: anti-affinity over hosts is asked of many pairs, over and over. */
function isSet(bits: Uint32Array, position: number): boolean {
  return (((bits[position >>> 5] ?? 0) >>> (position & 31)) & 1) === 1;
}

/**
 * Positions of an order whose pods cannot share a node with pods of another position, whatever the node is: the required
 * anti-affinity of either, and what the ask of the other would rather avoid.
 */
class Repulsion {
  readonly #order: readonly PodClass[];
  /** Group → positions of pods that it counts and that heed it; and of pods that shun its members. */
  readonly #heeding = new Map<number, Uint32Array>();
  readonly #shunning = new Map<number, Uint32Array>();
  /** Position → those that cannot join it; undefined where there are none, made when asked for. */
  readonly #apart: (Uint32Array | null | undefined)[] = [];
  readonly words: number;
  /** Whether any two classes keep apart. */
  readonly isAny: boolean;

  /** `askOf`: what a class asks for on the node; undefined for nothing. */
  constructor(order: readonly PodClass[], askOf: (pods: PodClass) => Ask | undefined) {
    this.#order = order;
    this.words = Math.ceil(order.length / BITS);
    for (const [position, pods] of order.entries()) {
      for (const { group } of pods.repelledBy) this.#mark(this.#heeding, group.index, position);
      for (const { group } of askOf(pods)?.antiAffinity ?? [])
        this.#mark(this.#shunning, group.index, position);
    }
    this.isAny = this.#heeding.size + this.#shunning.size > 0;
  }

  #mark(bits: Map<number, Uint32Array>, group: number, position: number): void {
    const known = bits.get(group) ?? new Uint32Array(this.words);
    bits.set(group, known);
    known[position >>> 5] = (known[position >>> 5] ?? 0) | (1 << (position & 31));
  }

  /** Positions that cannot share a node with pods of this one, as bits; undefined where all can. */
  apartFrom(position: number): Uint32Array | undefined {
    const known = this.#apart[position];
    if (known !== undefined) return known ?? undefined;
    const made = this.#find(position);
    this.#apart[position] = made ?? null;
    return made;
  }

  /** Whether two pods of one position cannot share a node. */
  isApartFromItself(position: number): boolean {
    const apart = this.isAny ? this.apartFrom(position) : undefined;
    return apart !== undefined && isSet(apart, position);
  }

  #find(position: number): Uint32Array | undefined {
    const pods = this.#order[position];
    let found: Uint32Array | undefined;
    const join = (bits: Uint32Array | undefined): void => {
      if (bits === undefined) return;
      found ??= new Uint32Array(this.words);
      for (let word = 0; word < bits.length; word++) found[word] = (found[word] ?? 0) | (bits[word] ?? 0);
    };
    for (const group of pods?.repels ?? []) join(this.#heeding.get(group));
    for (const group of pods?.memberOf ?? []) join(this.#shunning.get(group));
    return found;
  }
}
