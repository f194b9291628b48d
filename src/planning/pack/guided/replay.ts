/**
 * Puts the optimizer's bins into a packing, by the exact rules. A bin is a proposal: what cannot be bought or does not hold
 * is left, and is placed pod by pod afterwards. Spread is judged by the state at the end, since kube-scheduler binds pods
 * in any order and each waits until its turn; the other rules at every step.
 */
import { ZONE } from '../../../domain/values/labels.js';
import type { Ask, SpreadRule } from '../../model/classes/ask.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import { howManyFit } from '../../model/launch/room.js';
import type { Bin } from '../../optimize/problem/bin-problem.js';
import type { CompiledBins, ItemOrigin } from './compile-bins.js';
import type { ItemSource } from './draft-items.js';
import type { EligibleZones } from './eligible-zones.js';
import type { Packing } from '../../rules/packing.js';
import type { Target } from '../../rules/targets.js';

/** Pods of a class on a target, as replayed. */
interface Placed extends Ruled {
  n: number;
}

export class Replay {
  readonly #packing: Packing;
  readonly #ruled: Placed[] = [];
  #check: SpreadCheck | undefined;

  constructor(packing: Packing) {
    this.#packing = packing;
  }

  /** Opens a claim for every bin and fills it; returns how many were opened. */
  open(compiled: CompiledBins, bins: readonly Bin[]): number {
    const { table, origins, eligible } = compiled;
    this.#check ??= new SpreadCheck(this.#packing, eligible);
    const queues = new ItemQueues(origins);
    let opened = 0;
    for (const bin of bins) {
      const column = table.column[bin.binType * table.zones + bin.zone] ?? -1;
      if (column < 0 || !this.#packing.isWithinLimits(table.row[bin.binType] ?? -1)) continue;
      const target = this.#packing.open(column);
      this.#fill(target, bin, queues);
      if (target.content.size === 0) this.#packing.close(target);
      else opened++;
    }
    return opened;
  }

  #fill(target: Target, { classes, items }: Bin, queues: ItemQueues): void {
    for (const [at, item] of classes.entries()) {
      for (let left = items[at] ?? 0; left > 0; left -= queues.taken) {
        const next = queues.take(item, left);
        if (next === undefined) break;
        this.#put(target, next, queues.taken);
      }
    }
  }

  #put(target: Target, { sources, isBundle }: ItemOrigin, items: number): void {
    for (const source of sources) this.#putPods(target, source, isBundle ? source.n * items : items);
  }

  #putPods(target: Target, { pods, ask, admitted, isFree }: ItemSource, n: number): void {
    const packing = this.#packing;
    if (isFree) {
      const room = admitted[target.column] === 1 ? howManyFit(pods.requests, target.free, n) : 0;
      const fit = this.#keepingMinValues(pods, ask, target, room);
      if (fit > 0) packing.put(pods, ask, target, fit);
      return;
    }
    let placed = 0;
    while (placed < n && packing.mayHost(pods, ask, target) && this.#joins(pods, ask, target)) {
      packing.put(pods, ask, target, 1);
      placed++;
    }
    const isRuled = ask.spread.length + pods.courtesies.length > 0;
    if (placed > 0 && isRuled) this.#ruled.push({ pods, ask, target, n: placed });
  }

  /** The most of `n` pods beside which the claim's pool still finds its minValues. */
  #keepingMinValues(pods: ItemSource['pods'], ask: ItemSource['ask'], target: Target, n: number): number {
    const { flexibility } = this.#packing;
    if (n === 0 || flexibility.isIrrelevant(target)) return n;
    let [kept, most] = [0, n];
    while (kept < most) {
      // All of them first: they nearly always stay.
      const tried = most === n ? n : Math.ceil((kept + most) / 2);
      if (flexibility.lost(pods, ask, target, tried) === undefined) kept = tried;
      else most = tried - 1;
    }
    return kept;
  }

  #joins(pods: ItemSource['pods'], ask: ItemSource['ask'], target: Target): boolean {
    return (
      this.#packing.takenFrom(pods, target.hostPorts) === undefined &&
      this.#packing.devices?.lacks(pods, target) === undefined &&
      this.#packing.counts.affinityViolated(pods, ask, target) === undefined &&
      this.#packing.flexibility.lost(pods, ask, target) === undefined
    );
  }

  /** Takes back pods, last first, wherever a domain holds more than its rule allows beside the others as they now are. */
  settle(): void {
    const check = this.#check;
    if (check === undefined) return;
    for (let found = true; found;) {
      found = false;
      for (let index = this.#ruled.length - 1; index >= 0; index--) {
        const placed = this.#ruled[index];
        while (placed !== undefined && placed.n > 0 && check.isCrowded(placed)) {
          this.#packing.takeBack(placed.pods, placed.target, 1);
          placed.n--;
          found = true;
        }
      }
    }
  }
}

/** The pods of every item class, taken in order. */
class ItemQueues {
  /** Items taken last. */
  taken = 0;
  readonly #origins: readonly (readonly ItemOrigin[])[];
  /** Item class → the origin that comes next, and how many items of it are taken. */
  readonly #at: Int32Array;
  readonly #used: Int32Array;

  constructor(origins: readonly (readonly ItemOrigin[])[]) {
    this.#origins = origins;
    this.#at = new Int32Array(origins.length);
    this.#used = new Int32Array(origins.length);
  }

  /** The next origin of an item class, of which `taken` items are taken, `most` at most; undefined when there are no more. */
  take(item: number, most: number): ItemOrigin | undefined {
    const at = this.#at[item] ?? 0;
    const origin = this.#origins[item]?.[at];
    if (origin === undefined) return undefined;
    const used = this.#used[item] ?? 0;
    this.taken = Math.min(most, origin.items - used);
    const isUsedUp = used + this.taken === origin.items;
    this.#at[item] = isUsedUp ? at + 1 : at;
    this.#used[item] = isUsedUp ? 0 : used + this.taken;
    return origin;
  }
}

/** Pods of a class, somewhere. */
interface Ruled {
  readonly pods: PodClass;
  readonly ask: Ask;
  readonly target: Target;
}

/** Whether pods as they are placed keep to the spread rules that count them: over zones at a glance, else by the counters. */
class SpreadCheck {
  readonly #packing: Packing;
  readonly #eligible: EligibleZones;

  constructor(packing: Packing, eligible: EligibleZones) {
    this.#packing = packing;
    this.#eligible = eligible;
  }

  /** Whether there are more of them than one of their own rules, or one of others that counts them, allows. */
  isCrowded({ pods, ask, target }: Ruled): boolean {
    const { counts, problem } = this.#packing;
    const zone = problem.domains.at(ZONE, target);
    for (const rule of ask.spread)
      if (this.#mayBeCrowded(rule, zone) && counts.spreadRoom(rule, ask, target) < 0) return true;
    for (const rule of pods.courtesies)
      if (this.#mayBeCrowded(rule, zone) && counts.isCrowded(rule, ask, target)) return true;
    return false;
  }

  /** False where a glance at the zones says that there is room. */
  #mayBeCrowded(rule: SpreadRule, zone: number): boolean {
    if (rule.group.topologyKey !== ZONE) return true;
    if (zone < 0) return false;
    const { counts } = this.#packing;
    const group = rule.group.index;
    let floor = Infinity;
    for (let rest = this.#eligible.of(rule), other = 0; rest !== 0; rest >>>= 1, other++)
      if ((rest & 1) === 1) floor = Math.min(floor, counts.settled(group, other));
    return rule.maxSkew + (floor === Infinity ? 0 : floor) < counts.members(group, zone);
  }
}
