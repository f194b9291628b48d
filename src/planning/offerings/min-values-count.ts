/** The labels of which a template wants several values (minValues), with a number for every value a column has. */
import { allows, type Requirement } from '../../domain/values/requirement.js';
import type { Reason } from '../reason.js';
import type { Launchables } from '../model/launch/launchables.js';
import type { Template } from '../model/launch/template.js';

export interface CountedLabel {
  readonly requirement: Requirement;
  /** Column → number of its value, or -1 where it has none that the requirement allows; read for the template's only. */
  readonly valueOf: Int32Array;
  /** How many values there are. */
  readonly values: number;
}

/** In the order of the template's requirements; empty for one that sets no minValues. */
export function countedLabels(launchables: Launchables, template: Template): readonly CountedLabel[] {
  return [...template.requirements.values()]
    .filter(({ minValues }) => minValues > 0)
    .map((requirement) => numberValues(launchables, template, requirement));
}

function numberValues(launchables: Launchables, template: Template, requirement: Requirement): CountedLabel {
  const { views, templateRows, rowColumns } = launchables;
  const numbers = new Map<string, number>();
  const valueOf = new Int32Array(views.length).fill(-1);
  for (const row of templateRows[template.index] ?? []) {
    for (const column of rowColumns[row] ?? []) {
      const value = views[column]?.labels.get(requirement.key);
      if (value === undefined || !allows(requirement, value)) continue;
      const number = numbers.get(value) ?? numbers.size;
      numbers.set(value, number);
      valueOf[column] = number;
    }
  }
  return { requirement, valueOf, values: numbers.size };
}

/** Values seen so far of one label. */
export class SeenValues {
  readonly #label: CountedLabel;
  readonly #seen: Uint8Array;
  #count = 0;

  constructor(label: CountedLabel) {
    this.#label = label;
    this.#seen = new Uint8Array(label.values);
  }

  get isEnough(): boolean {
    return this.#count >= this.#label.requirement.minValues;
  }

  /** What to say where there are too few. */
  get reason(): Reason {
    const { key, minValues } = this.#label.requirement;
    return { code: 'MinValues', key, wanted: minValues, available: this.#count };
  }

  /** Whether one of the columns has a value that none before had. */
  hasNew(columns: readonly number[]): boolean {
    return columns.some((column) => this.#seen[this.#label.valueOf[column] ?? -1] === 0);
  }

  add(columns: readonly number[]): void {
    for (const column of columns) {
      const value = this.#label.valueOf[column] ?? -1;
      if (this.#seen[value] !== 0) continue;
      this.#seen[value] = 1;
      this.#count++;
    }
  }
}

/** Values seen so far of all labels that a template's minValues count. */
export class SeenLabels {
  readonly #labels: readonly SeenValues[];

  constructor(labels: readonly CountedLabel[]) {
    this.#labels = labels.map((label) => new SeenValues(label));
  }

  get areEnough(): boolean {
    return this.#labels.every(({ isEnough }) => isEnough);
  }

  /** What to say of the first of which there are too few; undefined when there are enough of all. */
  get reason(): Reason | undefined {
    return this.#labels.find(({ isEnough }) => !isEnough)?.reason;
  }

  /** Whether the columns bring a value of a label of which there are too few. */
  misses(columns: readonly number[] = []): boolean {
    return this.#labels.some((values) => !values.isEnough && values.hasNew(columns));
  }

  add(columns: readonly number[] = []): void {
    for (const values of this.#labels) values.add(columns);
  }
}
