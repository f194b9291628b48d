/** Places units of companions by the exact rules: each whole on one node, or as much of it as a node holds. */
import type { Ask } from '../model/classes/ask.js';
import type { AskedPods, ColumnChoice } from './choose-column.js';
import { companionUnits, type Member, type Unit } from './companions.js';
import { valueOf } from './fill-estimate.js';
import type { Packing } from '../rules/packing.js';
import { howManyFit, takeRoom } from '../model/launch/room.js';
import type { Target } from '../rules/targets.js';

/** So many pods of a class under an ask. */
type AskedMember = Member & AskedPods;

/** Which units are placed. */
export interface UnitRange {
  /** Units of a lower priority wait. */
  readonly leastPriority: number;
  /** Whether claims may be opened for a unit that fits nowhere. */
  readonly mayOpen: (unit: Unit) => boolean;
}

export class CompanionPlacer {
  readonly #packing: Packing;
  readonly #choice: ColumnChoice;

  constructor(packing: Packing, choice: ColumnChoice) {
    this.#packing = packing;
    this.#choice = choice;
  }

  /**
   * Places units, those of high priority and those worth most first. Returns what is left whole because no claim may be
   * opened for it: these pods are reserved until they are released. What no node holds is left to be placed pod by pod.
   */
  place({ leastPriority, mayOpen }: UnitRange): readonly Unit[] {
    const units = companionUnits(this.#packing)
      .filter(({ priority }) => priority >= leastPriority)
      .map((unit) => ({ unit, worth: this.#worthOf(unit) }))
      .sort((left, right) => right.unit.priority - left.unit.priority || right.worth - left.worth)
      .map(({ unit }) => unit);
    for (const unit of units) this.#reserve(unit, unit.count);
    return units.flatMap((unit) => {
      const count = this.#placeEqual(unit, mayOpen(unit));
      return count === 0 ? [] : [{ ...unit, count }];
    });
  }

  /** Lets the pods of units that were left be placed. */
  release(units: readonly Unit[]): void {
    for (const unit of units) this.#reserve(unit, -unit.count);
  }

  #worthOf({ members }: Pick<Unit, 'members'>): number {
    return valueOf(this.#requestsOf(members), this.#packing.problem.worth);
  }

  #reserve({ members }: Unit, count: number): void {
    for (const { pods, n } of members) this.#packing.reserve(pods, n * count);
  }

  /** Places equal units; returns how many of them are reserved still. */
  #placeEqual(unit: Unit, mayOpen: boolean): number {
    const { targets } = this.#packing;
    const levels = levelsOf(unit);
    // Where one of them found no room, the next finds none either.
    let from = 0;
    for (let left = unit.count; left > 0; left--) {
      this.#reserve(unit, -1);
      if (levels.some((members) => this.#placeOn(members, from))) continue;
      from = targets.length;
      if (!mayOpen) {
        this.#reserve(unit, 1);
        return left;
      }
      if (levels.some((members) => this.#open(members))) continue;
      this.#reserve(unit, 1 - left);
      return 0;
    }
    return 0;
  }

  /** Puts a unit on a target from an index on; false when none holds all of it. */
  #placeOn(members: readonly AskedMember[], from: number): boolean {
    const packing = this.#packing;
    const requests = this.#requestsOf(members);
    for (let index = from; index < packing.targets.length; index++) {
      const target = packing.targets[index];
      if (target === undefined || howManyFit(requests, target.free, 1) === 0) continue;
      if (!members.every(({ pods, ask }) => packing.mayHost(pods, ask, target))) continue;
      const put = this.#put(members, target);
      if (put.length === members.length && put.every(({ n }, at) => n === members[at]?.n)) return true;
      this.#takeBack(put, target);
    }
    return false;
  }

  /** Opens a claim for a unit, or for as much of it as a node holds; false when none holds anything of it. */
  #open(members: readonly AskedMember[]): boolean {
    const whole = members.reduce((sum, { n }) => sum + n, 0);
    let held = members;
    let column = this.#choose(held);
    if (column === undefined) {
      let [least, most] = [0, whole - 1];
      while (least < most) {
        const tried = Math.ceil((least + most) / 2);
        if (this.#choose(firstOf(members, tried)) === undefined) most = tried - 1;
        else least = tried;
      }
      held = firstOf(members, least);
      column = this.#choose(held);
    }
    if (column === undefined) return false;
    const target = this.#packing.open(column);
    if (this.#put(held, target).length > 0) return true;
    this.#packing.close(target);
    return false;
  }

  #choose(members: readonly AskedMember[]): number | undefined {
    if (members.length === 0) return undefined;
    const requests = this.#requestsOf(members);
    // Others fill what the unit leaves.
    for (const { pods, n } of members) this.#packing.reserve(pods, n);
    const left = this.#worthLeft() + this.#worthOf({ members });
    const column = this.#choice.chooseForAll(members.map(alone), requests, left);
    for (const { pods, n } of members) this.#packing.reserve(pods, -n);
    return column;
  }

  /** USD/h that all pods are worth that are not placed yet. */
  #worthLeft(): number {
    const { problem, remaining } = this.#packing;
    return problem.classes.reduce(
      (sum, { index, requests }) => sum + (remaining[index] ?? 0) * valueOf(requests, problem.worth),
      0,
    );
  }

  /** Puts as many of the pods there as the rules allow, each class after those that it looks for; returns what was put. */
  #put(members: readonly AskedMember[], target: Target): readonly AskedMember[] {
    const packing = this.#packing;
    return members.flatMap((member) => {
      const { pods, ask } = member;
      let n = 0;
      while (n < member.n && packing.mayPut(pods, ask, target)) {
        packing.put(pods, ask, target, 1);
        n++;
      }
      return n === 0 ? [] : [{ ...member, n }];
    });
  }

  #takeBack(put: readonly AskedMember[], target: Target): void {
    for (const { pods, n } of [...put].reverse()) this.#packing.takeBack(pods, target, n);
  }

  #requestsOf(members: readonly Member[]): Float64Array {
    const requests = new Float64Array(this.#packing.problem.snapshot.resources.length);
    for (const { pods, n } of members) takeRoom(pods.requests, requests, -n);
    return requests;
  }
}

/**
 * With all preferences; without any; without regard for the rules of others. Not as a last resort where pods of the unit have
 * spread constraints: by those of their hosts that there are, of which the others are still to open more.
 */
function levelsOf({ members }: Unit): readonly (readonly AskedMember[])[] {
  const asked = (level: (asks: readonly Ask[]) => Ask | undefined): readonly AskedMember[] =>
    members.flatMap(({ pods, n }) => {
      const ask = level(pods.asks);
      return ask === undefined ? [] : [{ pods, n, ask }];
    });
  const levels = [asked((asks) => asks[0]), asked((asks) => asks.at(-2))];
  const last = asked((asks) => asks.at(-1));
  return last.some(({ ask }) => ask.spread.length > 0) ? levels : [...levels, last];
}

/** What a class insists on when those that it looks for are on the new node with it. */
function alone({ pods, ask }: AskedMember): AskedPods {
  return { pods, ask: { ...ask, affinity: ask.affinity.filter(({ group }) => !group.isHostname) } };
}

/** So many of the pods that each has beside it those that it looks for: one of every class in turn, then the others. */
function firstOf(members: readonly AskedMember[], most: number): readonly AskedMember[] {
  let left = Math.max(0, most - members.length);
  return members.slice(0, most).map((member) => {
    const more = Math.min(left, member.n - 1);
    left -= more;
    return { ...member, n: 1 + more };
  });
}
