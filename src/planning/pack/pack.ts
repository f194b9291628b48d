/** Packs a whole problem: with the optimizer's bins or without, by priority where there is not enough for all. */
import type { Ask } from '../model/classes/ask.js';
import { asksTogether, type PodClass } from '../model/classes/pod-class.js';
import { rowCapacity } from '../model/launch/launchables.js';
import type { Problem } from '../model/problem.js';
import { nodeOrder, withoutAlternative } from './alternatives.js';
import { ColumnChoice } from './choose-column.js';
import type { Unit } from './companions.js';
import { FillEstimate, valueOf } from './fill-estimate.js';
import { type Band, packingOrder, type PackingOrder } from './packing-order.js';
import { CompanionPlacer } from './place-companions.js';
import { Packing } from '../rules/packing.js';
import type { Target } from '../rules/targets.js';

/**
 * Places every pod that can be placed, first-fit by decreasing size. All priorities are packed together, which fills nodes
 * best; only where a pod is left out while one of lower priority is not are they packed one after the other, and the
 * better of the two is taken.
 */
export function pack(problem: Problem): Packing {
  const together = packInBands(problem, packingOrder(problem, true));
  if (!isInverted(together)) return together;
  const apart = packInBands(problem, packingOrder(problem, false));
  return leavesLess(apart, together) ? apart : together;
}

/** Packs in this order. */
export function packInBands(problem: Problem, order: PackingOrder): Packing {
  const packing = new Packing(problem);
  new Packer(packing, order).run();
  return packing;
}

/** The classes of which some pods have no place in the packing. */
export function leftOut({ problem: { classes }, remaining }: Packing): readonly PodClass[] {
  return classes.filter(({ index }) => (remaining[index] ?? 0) > 0);
}

/** Whether pods are left out while some of lower priority are placed. */
export function isInverted(packing: Packing): boolean {
  const { remaining } = packing;
  const { classes } = packing.problem;
  const highest = Math.max(...leftOut(packing).map(({ priority }) => priority));
  return classes.some(
    ({ index, pods, priority }) => priority < highest && (remaining[index] ?? 0) < pods.length,
  );
}

/** Whether, at the highest priority at which they differ, fewer pods are left out. */
export function leavesLess(packing: Packing, than: Packing): boolean {
  const { classes } = packing.problem;
  const priorities = [...new Set(classes.map(({ priority }) => priority))].sort(
    (left, right) => right - left,
  );
  for (const priority of priorities) {
    const left = ({ remaining }: Packing): number =>
      classes.reduce((sum, pods) => sum + (pods.priority === priority ? (remaining[pods.index] ?? 0) : 0), 0);
    if (left(packing) !== left(than)) return left(packing) < left(than);
  }
  return false;
}

/** Pods that wait for others (affinity to pods placed later) are tried again this often at most. */
const MAX_PASSES = 100;

/**
 * Places pods class by class, by the exact rules: existing nodes first, then claims already opened, then a new claim of the
 * type that its fill makes cheapest. Preferences are given up one at a time, and only by pods that need it.
 */
export class Packer {
  readonly #packing: Packing;
  readonly #order: readonly PodClass[];
  readonly #choice: ColumnChoice;
  readonly #companions: CompanionPlacer;
  readonly #worth: Float64Array;

  readonly #bands: readonly Band[];
  readonly #isMixed: boolean;
  readonly #isStrict: boolean;
  readonly #arrange: PackingOrder['arrange'];
  readonly #takesOpenFirst: boolean;
  /** Class → its asks, those together that are tried together. */
  readonly #asks: (readonly (readonly Ask[])[] | undefined)[] = [];

  constructor(packing: Packing, order: PackingOrder) {
    const { classes, bands, isMixed } = order;
    this.#packing = packing;
    this.#arrange = order.arrange;
    this.#isStrict = order.isStrict === true;
    this.#takesOpenFirst = order.takesOpenFirst === true;
    this.#order = classes;
    this.#bands = bands;
    this.#isMixed = isMixed;
    this.#worth = Float64Array.from(packing.problem.classes, ({ requests }) =>
      valueOf(requests, packing.problem.worth),
    );
    this.#choice = new ColumnChoice(
      packing,
      () => new FillEstimate(packing, this.#order, this.#takesOpenFirst),
      order,
    );
    this.#companions = new CompanionPlacer(packing, this.#choice);
  }

  /** Places one band after the other; at last, what waited for pods of a later band. */
  run(): void {
    if (this.#isMixed && !this.#isStrict) this.#fillFirst();
    for (const band of this.#bands) {
      if (!this.#isMixed) this.placeCompanions(() => true, this.#order[band.first]?.priority);
      if (!this.#isStrict) this.fillOpen(band);
      this.#repeatPasses(band);
    }
    if (this.#bands.length > 1) this.#repeatPasses({ first: 0, end: this.#order.length });
  }

  /** What must come together, and what has no place but on nodes that exist, before anything that has. */
  #fillFirst(): void {
    this.placeCompanions();
    for (const pods of withoutAlternative(this.#packing, this.#order))
      this.#placeOn(pods, this.#filling(pods), this.#packing.targets);
  }

  /**
   * Places pods of at least a priority that must share a node with others, all that belong together at once; first beside
   * those that run already. Returns the units for which no claim may be opened, reserved until they are released.
   */
  placeCompanions(mayOpen: (unit: Unit) => boolean = () => true, leastPriority = -Infinity): readonly Unit[] {
    const { counts, targets, problem } = this.#packing;
    if (problem.classes.every(({ hostAffinity }) => hostAffinity.length === 0)) return [];
    const seekers = this.#order.filter(
      (pods) => pods.priority >= leastPriority && this.#left(pods) > 0 && pods.hostAffinity.length > 0,
    );
    if (seekers.length === 0) return [];
    for (const pods of seekers) {
      if (!pods.hostAffinity.every(({ group }) => counts.total(group.index) > 0)) continue;
      this.#placeOn(pods, this.#filling(pods), targets);
      this.#placeOn(pods, pods.asks.slice(-2, -1), targets);
    }
    return this.#companions.place({ leastPriority, mayOpen });
  }

  /** Lets the pods of units that were left be placed. */
  release(units: readonly Unit[]): void {
    this.#companions.release(units);
  }

  /** Places what fits, with all its preferences, on nodes and claims that there are; by default of all bands. */
  fillOpen(band: Band = { first: 0, end: this.#order.length }): void {
    for (const pods of nodeOrder(this.#packing, this.#order.slice(band.first, band.end)))
      this.#placeOn(pods, this.#filling(pods), this.#packing.targets);
  }

  #repeatPasses(band: Band): void {
    for (const withLastResort of [false, true]) {
      for (let pass = 0; pass < MAX_PASSES && this.#pass(band, withLastResort); pass++);
    }
  }

  /** One go over the classes of a band; whether it placed anything and left something to try again. */
  #pass(band: Band, withLastResort: boolean): boolean {
    let placed = 0;
    let left = 0;
    for (let position = band.first; position < band.end; position++) {
      const pods = this.#order[position];
      if (pods === undefined) continue;
      for (const asks of this.#asksOf(pods)) {
        if (withLastResort || asks[0]?.strictness !== 'last resort')
          placed += this.#placeAt(pods, asks, { position, end: band.end });
      }
      left += this.#left(pods);
    }
    return placed > 0 && left > 0;
  }

  /** The asks under which a class fills what is open already. */
  #filling(pods: PodClass): readonly Ask[] {
    return this.#asksOf(pods)[0] ?? [];
  }

  #asksOf(pods: PodClass): readonly (readonly Ask[])[] {
    return (this.#asks[pods.index] ??= asksTogether(pods, this.#takesOpenFirst));
  }

  /** Places pods of a class under some asks: where there is room, else on new claims, until neither works. */
  #placeAt(
    pods: PodClass,
    asks: readonly Ask[],
    at: { readonly position: number; readonly end: number },
  ): number {
    const before = this.#left(pods);
    while (this.#left(pods) > 0) {
      this.#placeOn(pods, asks, this.#packing.targets);
      if (this.#left(pods) === 0) break;
      const opened = this.#openFor(pods, asks, at.position);
      if (opened === undefined) break;
      this.#fill(opened, { first: at.position + 1, end: at.end });
      if (!this.#hasRules(opened)) this.#repeat(opened);
    }
    return before - this.#left(pods);
  }

  #left(pods: PodClass): number {
    return this.#packing.remaining[pods.index] ?? 0;
  }

  #placeOn(pods: PodClass, asks: readonly Ask[], targets: readonly Target[]): void {
    for (const ask of asks) this.#placeUnder(pods, ask, targets);
  }

  /** Goes over the targets until a round places nothing; a round may free what the one before it could not place. */
  #placeUnder(pods: PodClass, ask: Ask, targets: readonly Target[]): void {
    let candidates = this.#arrange?.(targets) ?? targets;
    for (let placed = 1; placed > 0 && this.#left(pods) > 0;) {
      placed = 0;
      const again: Target[] = [];
      for (const target of candidates) {
        if (this.#left(pods) === 0) return;
        if (!this.#packing.mayHost(pods, ask, target)) continue;
        placed += this.#packing.putAllThatFit(pods, ask, target);
        again.push(target);
      }
      if (this.#packing.isFree(pods, ask)) return;
      candidates = again;
    }
  }

  #openFor(pods: PodClass, asks: readonly Ask[], position: number): Target | undefined {
    for (const ask of asks) {
      const opened = this.#open(pods, ask, position);
      if (opened !== undefined) return opened;
    }
    return undefined;
  }

  /** Opens a claim for the class and puts its first pods there. */
  #open(pods: PodClass, ask: Ask, position: number): Target | undefined {
    const column = this.#choice.choose(pods, ask, position, this.#worthLeft(position));
    if (column === undefined) return undefined;
    const target = this.#packing.open(column);
    if (this.#packing.putAllThatFit(pods, ask, target) > 0) return target;
    this.#packing.close(target);
    return undefined;
  }

  /** USD/h that the pods from this position on are worth. */
  #worthLeft(position: number): number {
    let worth = 0;
    for (let index = position; index < this.#order.length; index++) {
      const pods = this.#order[index];
      if (pods !== undefined) worth += this.#left(pods) * (this.#worth[pods.index] ?? 0);
    }
    return worth;
  }

  /** Lets the classes of a band into a new claim. */
  #fill(target: Target, band: Band): void {
    for (let index = band.first; index < band.end; index++) {
      const pods = this.#order[index];
      if (pods === undefined) continue;
      for (const ask of this.#filling(pods))
        if (this.#left(pods) > 0) this.#packing.putAllThatFit(pods, ask, target);
    }
  }

  /** Whether any rule but room had a say in what the claim holds; then the next claim may not look the same. */
  #hasRules({ content, asks }: Target): boolean {
    const { classes } = this.#packing.problem;
    return [...content.keys()].some((index) => {
      const pods = classes[index];
      return pods === undefined || ![...asks].every((ask) => this.#packing.isFree(pods, ask));
    });
  }

  /** Opens copies of a claim while there are pods for all of it. */
  #repeat(model: Target): void {
    const [ask] = model.asks;
    const copies = this.#copies(model);
    if (ask === undefined || !Number.isFinite(copies)) return;
    for (let copy = 0; copy < copies; copy++) {
      const target = this.#packing.open(model.column);
      for (const each of model.asks) target.asks.add(each);
      for (const [index, n] of model.content) {
        const pods = this.#packing.problem.classes[index];
        if (pods !== undefined) this.#packing.put(pods, ask, target, n);
      }
    }
  }

  #copies({ column, content }: Target): number {
    const { launchables } = this.#packing.problem;
    const row = launchables.columnRow[column] ?? 0;
    let copies = this.#packing.usage.room(launchables.rowPool[row] ?? 0, rowCapacity(launchables, row));
    for (const [index, n] of content)
      copies = Math.min(copies, Math.floor((this.#packing.remaining[index] ?? 0) / n));
    return copies;
  }
}
