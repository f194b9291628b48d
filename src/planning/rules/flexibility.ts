/** Whether a pool's minValues are kept: enough of the types, zones and capacity types that a claim could still become. */
import type { Reason } from '../reason.js';
import type { Ask } from '../model/classes/ask.js';
import { LimitRoom } from '../offerings/limit-room.js';
import { countedLabels, SeenLabels, type CountedLabel } from '../offerings/min-values-count.js';
import { minValuesSets, type MinValuesQuestion } from '../offerings/min-values-sets.js';
import { Need } from '../offerings/need.js';
import { usableOfferings } from '../offerings/usable-columns.js';
import type { UsableColumns } from '../offerings/launch-tables.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { PoolUsage } from '../model/pool-usage.js';
import type { Problem } from '../model/problem.js';
import type { Target } from './targets.js';

/** A claim as it is, or would be with one more pod. */
export interface Holding {
  readonly column: number;
  /** R amounts that a type must have free of DaemonSets. */
  readonly requests: Float64Array;
  readonly asks: ReadonlySet<Ask>;
  /** Classes inside: they pin the domains of the topology keys that concern them. */
  readonly classes: readonly PodClass[];
  /** Label → minValues to count instead of the pool's. */
  readonly lowered?: ReadonlyMap<string, number> | undefined;
}

/** Steps, as `Packing.steps` counts them, of beginning to count values, and of each type that is counted. */
const COUNT_STEPS = 2;
const TYPE_STEPS = 0.1;

export class Flexibility {
  /** Steps of work so far. */
  steps = 0;
  readonly #problem: Problem;
  readonly #usage: PoolUsage;
  /** Template → the labels that its pool's minValues count. */
  readonly #labels: readonly (readonly CountedLabel[])[];
  readonly #isAnySet: boolean;
  readonly #limits = new Map<number, LimitRoom | undefined>();
  readonly #need: Need;

  constructor(problem: Problem, usage: PoolUsage) {
    const { launchables, snapshot } = problem;
    this.#problem = problem;
    this.#usage = usage;
    this.#labels = launchables.templates.map((template) => countedLabels(launchables, template));
    this.#isAnySet = this.#labels.some((labels) => labels.length > 0);
    this.#need = new Need(snapshot.resources.length);
  }

  /** Whether the template's pool sets minValues. */
  setsMinValues(template: number): boolean {
    return this.#isAnySet && this.counted(template).length > 0;
  }

  /** The labels that the minValues of the template's pool count. */
  counted(template: number): readonly CountedLabel[] {
    return this.#labels[template] ?? NO_LABELS;
  }

  /** Whether the target's pool sets no minValues. */
  isIrrelevant({ column }: Target): boolean {
    return !this.#isAnySet || column < 0 || !this.setsMinValues(this.#templateOf(column));
  }

  #templateOf(column: number): number {
    const { rowTemplate, columnRow } = this.#problem.launchables;
    return rowTemplate[columnRow[column] ?? -1]?.index ?? -1;
  }

  /** The minValues that `n` more pods of the class would break. */
  lost(pods: PodClass, ask: Ask, target: Target, n = 1): Reason | undefined {
    if (this.isIrrelevant(target)) return undefined;
    const { launchables, classes } = this.#problem;
    const { column, free } = target;
    const first = (launchables.columnRow[column] ?? 0) * free.length;
    const requests = free.map(
      (left, axis) => (launchables.net[first + axis] ?? 0) - left + n * (pods.requests[axis] ?? 0),
    );
    return this.tooFew({
      column,
      requests,
      asks: new Set([...target.asks, ask]),
      classes: [...[...target.content.keys()].flatMap((index) => classes[index] ?? []), pods],
    });
  }

  /**
   * The first minValues of the pool that the claim's possible types, zones and capacity types do not reach. Types that
   * would take more of the pool's limits than the one chosen do not count: their listing cannot be promised.
   */
  tooFew(holding: Holding): Reason | undefined {
    const { launchables } = this.#problem;
    const template = this.#templateOf(holding.column);
    if (!this.setsMinValues(template)) return undefined;
    const labels = lowered(this.counted(template), holding.lowered);
    const seen = new SeenLabels(labels);
    const usable = this.#usable(holding);
    const { rows, room, allowed } = usable;
    const isWithin = this.countsBeside(launchables.columnRow[holding.column] ?? 0);
    this.#need.set(holding.requests, 0);
    this.steps += COUNT_STEPS + TYPE_STEPS * rows.length;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] ?? 0;
      if (!this.#need.fits(room, at) || !isWithin(row)) continue;
      const columns = (launchables.rowColumns[row] ?? []).filter((column) => allowed[column] === 1);
      seen.add(columns);
      if (seen.areEnough) return this.#tooFewTogether({ usable, need: this.#need, labels, isWithin });
    }
    return seen.reason;
  }

  /** A claim lists zones and capacity types for all of its types: what single offerings have may not be listed together. */
  #tooFewTogether(question: MinValuesQuestion): Reason | undefined {
    const { launchables, snapshot } = this.#problem;
    const sets = minValuesSets(launchables, snapshot.resources.length);
    if (sets.isWhole(question.usable)) return undefined;
    const [first] = sets.of(question.usable);
    if (first === undefined || sets.areKept(question)) return undefined;
    return sets.tooFew(question, first);
  }

  #usable({ column, asks, classes }: Holding): UsableColumns {
    const indexes = classes.map(({ index }) => index);
    return usableOfferings(this.#problem).of(column, indexes, asks);
  }

  /** Whether a node of a row takes no more of the pool's limits than one of the row that was opened. */
  countsBeside(opened: number): (row: number) => boolean {
    const { launchables } = this.#problem;
    const pool = launchables.rowPool[opened] ?? 0;
    if (!this.#limits.has(pool)) this.#limits.set(pool, LimitRoom.of(this.#usage, launchables, pool));
    const limits = this.#limits.get(pool);
    if (limits === undefined) return () => true;
    const allowance = limits.chargeOf(opened);
    return (row) => limits.isWithin(row, allowance);
  }
}

const NO_LABELS: readonly CountedLabel[] = [];

function lowered(
  labels: readonly CountedLabel[],
  to: ReadonlyMap<string, number> | undefined,
): readonly CountedLabel[] {
  if (to === undefined || to.size === 0) return labels;
  return labels.map((label) => {
    const { requirement } = label;
    return {
      ...label,
      requirement: { ...requirement, minValues: to.get(requirement.key) ?? requirement.minValues },
    };
  });
}
