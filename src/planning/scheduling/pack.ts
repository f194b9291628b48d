/**
 * First-fit-decreasing over equivalence classes: existing nodes first, then claims already opened, then a new claim of
 * the type that its fill makes cheapest. Preferences are given up one at a time, and only by pods that need it.
 */
import { NO_RESOURCES } from '../../domain/resources.js';
import type { Ask } from './ask.js';
import { ColumnChoice } from './choose-column.js';
import { FillEstimate, valueOf } from './fill-estimate.js';
import { Packing } from './packing.js';
import type { PodClass } from './pod-class.js';
import type { Problem } from './problem.js';
import type { Target } from './targets.js';

/** Pods that wait for others (affinity to pods placed later) are tried again this often at most. */
const MAX_PASSES = 8;

/** Places every pod that can be placed. */
export function pack(problem: Problem): Packing {
  const packing = new Packing(problem);
  new Packer(packing).run();
  return packing;
}

class Packer {
  readonly #packing: Packing;
  readonly #order: readonly PodClass[];
  readonly #choice: ColumnChoice;
  readonly #worth: Float64Array;

  constructor(packing: Packing) {
    this.#packing = packing;
    this.#order = packingOrder(packing.problem);
    this.#worth = Float64Array.from(packing.problem.classes, ({ requests }) =>
      valueOf(requests, packing.problem.worth),
    );
    this.#choice = new ColumnChoice(packing, new FillEstimate(packing, this.#order));
  }

  run(): void {
    for (const pods of this.#order) this.#placeOn(pods, pods.asks[0], this.#packing.targets);
    this.#repeatPasses(false);
    this.#repeatPasses(true);
  }

  #repeatPasses(withLastResort: boolean): void {
    for (let pass = 0; pass < MAX_PASSES && this.#pass(withLastResort); pass++);
  }

  /** One go over all classes; whether it placed anything and left something to try again. */
  #pass(withLastResort: boolean): boolean {
    let placed = 0;
    this.#order.forEach((pods, position) => {
      for (const ask of pods.asks) {
        if (withLastResort || !ask.isLastResort) placed += this.#placeAt(pods, ask, position);
      }
    });
    return placed > 0 && this.#packing.remaining.some((left) => left > 0);
  }

  /** Places pods of a class under one ask: where there is room, else on new claims, until neither works. */
  #placeAt(pods: PodClass, ask: Ask, position: number): number {
    const before = this.#left(pods);
    while (this.#left(pods) > 0) {
      this.#placeOn(pods, ask, this.#packing.targets);
      if (this.#left(pods) === 0) break;
      const opened = this.#open(pods, ask, position);
      if (opened === undefined) break;
      this.#fill(opened, position);
      if (!this.#hasRules(opened)) this.#repeat(opened);
    }
    return before - this.#left(pods);
  }

  #left(pods: PodClass): number {
    return this.#packing.remaining[pods.index] ?? 0;
  }

  /** Goes over the targets until a round places nothing; a round may free what the one before it could not place. */
  #placeOn(pods: PodClass, ask: Ask | undefined, targets: readonly Target[]): void {
    if (ask === undefined || this.#left(pods) === 0) return;
    let candidates = targets.filter((target) => this.#packing.mayHost(pods, ask, target));
    let placed = 1;
    while (placed > 0 && candidates.length > 0 && this.#left(pods) > 0) {
      placed = 0;
      for (const target of candidates) placed += this.#packing.putAllThatFit(pods, ask, target);
      if (this.#packing.isFree(pods, ask)) break;
      candidates = candidates.filter((target) => this.#packing.mayHost(pods, ask, target));
    }
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

  /** Lets the later, smaller classes into a new claim. */
  #fill(target: Target, position: number): void {
    for (let index = position + 1; index < this.#order.length; index++) {
      const pods = this.#order[index];
      const ask = pods?.asks[0];
      if (pods !== undefined && ask !== undefined && this.#left(pods) > 0)
        this.#packing.putAllThatFit(pods, ask, target);
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
    const capacity = launchables.rowType[row]?.capacity ?? NO_RESOURCES;
    let copies = this.#packing.usage.room(launchables.rowPool[row] ?? 0, capacity);
    for (const [index, n] of content)
      copies = Math.min(copies, Math.floor((this.#packing.remaining[index] ?? 0) / n));
    return copies;
  }
}

function count(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += byte;
  return sum;
}

/** Highest priority first; then pods, or bundles that must share a node, by what they are worth; then by content. */
function packingOrder({ classes, bundleOf, worth, admission }: Problem): readonly PodClass[] {
  const bundleWorth = new Map<number, number>();
  const own = classes.map(({ requests }) => valueOf(requests, worth));
  classes.forEach(({ pods }, index) => {
    const bundle = bundleOf[index] ?? -1;
    if (bundle >= 0)
      bundleWorth.set(bundle, (bundleWorth.get(bundle) ?? 0) + pods.length * (own[index] ?? 0));
  });
  const openTo = classes.map(({ asks: [ask] }) =>
    ask === undefined ? 0 : count(admission.columns(ask.constraint)),
  );
  const size = (index: number): number => bundleWorth.get(bundleOf[index] ?? -1) ?? own[index] ?? 0;
  return [...classes]
    .filter(({ blocked }) => blocked === undefined)
    .sort((left, right) => {
      const byPriority = right.priority - left.priority;
      const bySize = size(right.index) - size(left.index);
      const byBundle = (bundleOf[left.index] ?? -1) - (bundleOf[right.index] ?? -1);
      return (
        byPriority ||
        bySize ||
        byBundle ||
        (own[right.index] ?? 0) - (own[left.index] ?? 0) ||
        (openTo[left.index] ?? 0) - (openTo[right.index] ?? 0) ||
        left.index - right.index
      );
    });
}
