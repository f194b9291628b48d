/**
 * Puts the optimizer's bins into a packing, by the exact rules. A bin is a proposal: what cannot be bought or does not hold
 * is left, and is placed pod by pod afterwards. Spread is judged by the state at the end, since kube-scheduler binds pods
 * in any order and each waits until its turn; the other rules at every step.
 */
import type { Bin } from '../../optimizer/bin-problem.js';
import type { Ask } from '../ask.js';
import type { Packing } from '../packing.js';
import type { PodClass } from '../pod-class.js';
import type { Target } from '../targets.js';
import type { CompiledBins, ItemOrigin } from './compile-bins.js';

/** Pods of a class on a target, as replayed. */
interface Placed {
  readonly pods: PodClass;
  readonly ask: Ask;
  readonly target: Target;
  n: number;
}

export class Replay {
  readonly #packing: Packing;
  readonly #ruled: Placed[] = [];

  constructor(packing: Packing) {
    this.#packing = packing;
  }

  /** Opens a claim for every bin and fills it; returns how many were opened. */
  open(compiled: CompiledBins, bins: readonly Bin[]): number {
    const { table, origins } = compiled;
    const queues = origins.map((each) => new ItemQueue(each));
    let opened = 0;
    for (const { machine, zone, classes, items } of bins) {
      const column = table.column[machine * table.zones + zone] ?? -1;
      if (column < 0 || this.#packing.limitReached(table.row[machine] ?? -1) !== undefined) continue;
      const target = this.#packing.open(column);
      classes.forEach((item, index) => {
        for (const { origin, n } of queues[item]?.take(items[index] ?? 0) ?? []) this.#put(target, origin, n);
      });
      if (target.content.size === 0) this.#packing.close(target);
      else opened++;
    }
    return opened;
  }

  #put(target: Target, { sources, isBundle }: ItemOrigin, items: number): void {
    for (const { pods, ask, n } of sources) this.#putPods(target, pods, ask, isBundle ? n : items);
  }

  #putPods(target: Target, pods: PodClass, ask: Ask, n: number): void {
    const packing = this.#packing;
    if (packing.isFree(pods, ask)) {
      packing.putUpTo(pods, ask, target, n);
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

  #joins(pods: PodClass, ask: Ask, target: Target): boolean {
    return (
      this.#packing.takenFrom(pods, target.hostPorts) === undefined &&
      this.#packing.counts.affinityViolated(pods, ask, target) === undefined
    );
  }

  /** Takes back pods, last first, wherever a domain holds more than its rule allows beside the others as they now are. */
  settle(): void {
    for (let found = true; found;) {
      found = false;
      for (let index = this.#ruled.length - 1; index >= 0; index--) {
        const placed = this.#ruled[index];
        while (placed !== undefined && placed.n > 0 && this.#isCrowded(placed)) {
          this.#packing.takeBack(placed.pods, placed.target, 1);
          placed.n--;
          found = true;
        }
      }
    }
  }

  #isCrowded({ pods, ask, target }: Placed): boolean {
    const { counts } = this.#packing;
    return (
      ask.spread.some((rule) => counts.spreadRoom(rule, ask, target) < 0) ||
      pods.courtesies.some((rule) => counts.isCrowded(rule, ask, target))
    );
  }
}

/** The pods of an item class, taken in order. */
class ItemQueue {
  readonly #origins: readonly ItemOrigin[];
  #at = 0;
  #used = 0;

  constructor(origins: readonly ItemOrigin[]) {
    this.#origins = origins;
  }

  /** The next `n` items. */
  take(n: number): readonly { readonly origin: ItemOrigin; readonly n: number }[] {
    const taken: { readonly origin: ItemOrigin; readonly n: number }[] = [];
    for (let left = n; left > 0;) {
      const origin = this.#origins[this.#at];
      if (origin === undefined) break;
      const some = Math.min(left, origin.items - this.#used);
      taken.push({ origin, n: some });
      left -= some;
      this.#used += some;
      if (this.#used < origin.items) continue;
      this.#at++;
      this.#used = 0;
    }
    return taken;
  }
}
