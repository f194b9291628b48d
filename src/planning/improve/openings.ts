/** What could be launched for a pod, whatever is placed: the cheapest offering of each template, zone and capacity type. */
import type { Ask } from '../model/classes/ask.js';
import type { PodClass } from '../model/classes/pod-class.js';
import { howManyFitRow } from '../model/launch/room.js';
import type { Problem } from '../model/problem.js';
import { launchTables } from '../offerings/launch-tables.js';
import { tiersOf } from '../pack/choose-column.js';
import { mayOpen } from '../rules/may-open.js';
import type { Packing } from '../rules/packing.js';

/** Offerings of one template in one zone and capacity type, cheapest first; one where its pool has no limits. */
export interface Opening {
  readonly template: number;
  /** Differs from that of every other opening of the problem. */
  readonly site: number;
  readonly columns: readonly number[];
}

/** The openings of each tier of pools by weight, highest first. */
class Openings {
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

/** What is on a claim, and under which asks it came there. */
interface Claimed {
  readonly column: number;
  readonly content: ReadonlyMap<number, number>;
  readonly asks: ReadonlySet<Ask>;
}

/**
 * Karpenter tries pools in the order of their weights (NodePool `spec.weight`). Pods whose place depends on other pods may
 * need a pool that each of them alone does not.
 */
export function skipsHeavierPool(packing: Packing, { column, content, asks }: Claimed): boolean {
  if (column < 0 || content.size === 0) return false;
  const { launchables, classes } = packing.problem;
  const openings = openingsOf(packing.problem);
  const template = launchables.rowTemplate[launchables.columnRow[column] ?? 0]?.index ?? -1;
  const tier = openings.tierOf(template);
  if (tier <= 0) return false;
  return [...content.keys()].every((index) => {
    const pods = classes[index];
    const own = pods?.asks.filter((ask) => asks.has(ask)) ?? [];
    return pods !== undefined && own.every((ask) => mayGoHigher(packing, pods, ask, tier));
  });
}

function mayGoHigher(packing: Packing, pods: PodClass, ask: Ask, tier: number): boolean {
  const { spread, affinity, antiAffinity } = ask;
  if (spread.length + affinity.length + antiAffinity.length + pods.repelledBy.length > 0) return false;
  const { columnRow } = packing.problem.launchables;
  const higher = openingsOf(packing.problem).of(pods, ask).slice(0, tier).flat();
  return higher.some(({ template, columns }) => {
    const allows = mayOpen(packing, pods, ask, template);
    return columns.some((column) => packing.isWithinLimits(columnRow[column] ?? 0) && allows(column));
  });
}
