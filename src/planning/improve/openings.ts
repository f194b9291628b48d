/** What could be launched for a pod, whatever is placed: the cheapest offering of each template, zone and capacity type. */
import type { Ask } from '../model/classes/ask.js';
import { tiersOf } from '../pack/choose-column.js';
import { launchTables } from '../offerings/launch-tables.js';
import type { PodClass } from '../model/classes/pod-class.js';
import type { Problem } from '../model/problem.js';
import { howManyFitRow } from '../model/launch/room.js';

/** Offerings of one template in one zone and capacity type, cheapest first; one where its pool has no limits. */
export interface Opening {
  readonly template: number;
  /** Differs from that of every other opening of the problem. */
  readonly site: number;
  readonly columns: readonly number[];
}

/** The openings of each tier of pools by weight, highest first. */
export class Openings {
  readonly #problem: Problem;
  readonly #tiers: readonly (readonly number[])[];
  readonly #places: number;
  readonly #known = new Map<PodClass, Map<Ask, readonly (readonly Opening[])[]>>();

  constructor(problem: Problem) {
    this.#problem = problem;
    this.#tiers = tiersOf(problem);
    this.#places = Math.max(-1, ...problem.launchables.columnPlace) + 1;
  }

  /** Sites are numbered from 0 up to this. */
  get sites(): number {
    return this.#places * this.#problem.launchables.templates.length;
  }

  /** Position of a template's pool among the weights, highest first; -1 where there is none. */
  tierOf(template: number): number {
    return this.#tiers.findIndex((tier) => tier.includes(template));
  }

  of(pods: PodClass, ask: Ask): readonly (readonly Opening[])[] {
    const ofClass = this.#known.get(pods) ?? new Map<Ask, readonly (readonly Opening[])[]>();
    this.#known.set(pods, ofClass);
    const known = ofClass.get(ask);
    if (known !== undefined) return known;
    const made = this.#tiers.map((tier) => tier.flatMap((template) => this.#find(template, pods, ask)));
    ofClass.set(ask, made);
    return made;
  }

  #find(template: number, { requests }: PodClass, { constraint }: Ask): readonly Opening[] {
    const { launchables, admission } = this.#problem;
    const { columnRow, columnPlace, net, templates } = launchables;
    const { byPrice, isUsable } = launchTables(launchables);
    const isLimited = (templates[template]?.offer.pool.limits.size ?? 0) > 0;
    const admitted = admission.columns(constraint);
    const byPlace = new Map<number, number[]>();
    for (const column of byPrice(template)) {
      const row = columnRow[column] ?? 0;
      if (admitted[column] !== 1 || isUsable[row] !== 1) continue;
      const place = columnPlace[column] ?? 0;
      const before = byPlace.get(place);
      if (before !== undefined && !isLimited) continue;
      if (howManyFitRow(requests, net, row, 1) === 0) continue;
      if (before === undefined) byPlace.set(place, [column]);
      else before.push(column);
    }
    return [...byPlace].map(([place, columns]) => ({
      template,
      site: template * this.#places + place,
      columns,
    }));
  }
}

const ofProblem = new WeakMap<Problem, Openings>();

export function openingsOf(problem: Problem): Openings {
  const known = ofProblem.get(problem) ?? new Openings(problem);
  ofProblem.set(problem, known);
  return known;
}
