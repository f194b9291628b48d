/** Which columns a constraint admits: type by type, and zone by zone only where the constraint looks at zones. */
import { CAPACITY_TYPE, NO_LABELS, ZONE, ZONE_ID, type Labels } from '../../../domain/values/labels.js';
import { allows, type Requirement } from '../../../domain/values/requirement.js';
import { labelsSatisfy, type Requirements } from '../../../domain/values/requirements.js';
import type { NodeSelectorTerm } from '../../../domain/pods/affinity.js';
import { isOpen, type NodeConstraint, type NodeView } from './node-constraint.js';

/** Consecutive columns that differ in zone and capacity type only. */
interface Run {
  readonly view: NodeView;
  readonly first: number;
  readonly end: number;
}

/** Consecutive runs of one template: they have one list of taints, and the labels that were chosen for it. */
interface TemplateRuns {
  readonly view: NodeView;
  readonly runs: Run[];
}

/** Requirements on what all columns of a run share, and those on zone and capacity type. */
interface Split {
  readonly shared: Requirements;
  readonly placed: Requirements;
}

interface SplitTerm extends Split {
  readonly fields: Requirements;
  /** Place → whether it satisfies `placed`. */
  readonly places: Uint8Array;
}

/** Zones and capacity types that a selector admits, and the terms of which one of each group must admit them too. */
interface AdmittedPlaces {
  readonly places: Uint8Array;
  readonly left: readonly (readonly SplitTerm[])[];
}

/** Bytes of answers after which all are forgotten, between two plans. */
const MOST_BYTES = 2 ** 26;

/** Answers for columns that do not change; they outlive the plan in which they were asked for. */
export class ColumnAnswers {
  readonly #views: readonly NodeView[];
  readonly #templates: readonly TemplateRuns[];
  /** Column → number of its zone and capacity type. */
  readonly #placeOf: Int32Array;
  /** Place → a column that has it. */
  readonly #places: readonly NodeView[];
  readonly #byKey = new Map<string, Uint8Array>();
  /** The same by identity, which is quicker to look up than a long key. */
  #byConstraint = new WeakMap<NodeConstraint, Uint8Array>();
  /** Answers → how many of them are 1. */
  readonly #counts = new WeakMap<Uint8Array, number>();

  /** `placeOf`: column → number of its zone and capacity type, where that is known. */
  constructor(views: readonly NodeView[], placeOf?: Int32Array) {
    this.#views = views;
    this.#templates = byTemplate(runsOf(views));
    this.#placeOf = placeOf ?? placesOf(views);
    this.#places = firstOf(this.#placeOf, views);
  }

  get count(): number {
    return this.#views.length;
  }

  /** Makes room where too much is remembered; to be called between plans. */
  trim(): void {
    if (this.#byKey.size * this.#views.length <= MOST_BYTES) return;
    this.#byKey.clear();
    this.#byConstraint = new WeakMap();
  }

  /** One byte per column: 1 where the constraint admits it. */
  of(constraint: NodeConstraint): Uint8Array {
    const known = this.#byConstraint.get(constraint);
    if (known !== undefined) return known;
    const answers = this.#byKey.get(constraint.key) ?? this.#ask(constraint);
    this.#byKey.set(constraint.key, answers);
    this.#byConstraint.set(constraint, answers);
    return answers;
  }

  /** How many columns the constraint admits. */
  countOf(constraint: NodeConstraint): number {
    return this.#counts.get(this.of(constraint)) ?? 0;
  }

  #ask(constraint: NodeConstraint): Uint8Array {
    const answers = new Uint8Array(this.#views.length);
    const selector = split(constraint.selector);
    const places = this.#satisfying(selector.placed);
    const anyOf = constraint.anyOf.map((terms) => this.#splitTerms(terms));
    let count = 0;
    for (const { view: template, runs } of this.#templates) {
      if (!isOpen(constraint, template) || !allowsChosen(constraint, template.chosen)) continue;
      for (const run of runs) {
        if (!labelsSatisfy(selector.shared, run.view.labels)) continue;
        const left = sharedTerms(anyOf, run.view);
        if (left !== undefined) count += this.#admitRun(run, { places, left }, answers);
      }
    }
    this.#counts.set(answers, count);
    return answers;
  }

  /** Marks the columns of a run whose zone and capacity type are admitted; returns how many. */
  #admitRun({ first, end }: Run, { places, left }: AdmittedPlaces, answers: Uint8Array): number {
    let count = 0;
    for (let column = first; column < end; column++) {
      const place = this.#placeOf[column] ?? 0;
      if (places[place] !== 1) continue;
      if (!left.every((terms) => terms.some((term) => term.places[place] === 1))) continue;
      answers[column] = 1;
      count++;
    }
    return count;
  }

  /** A term without requirements matches nothing (NodeSelectorTerm, core/v1). */
  #splitTerms(terms: readonly NodeSelectorTerm[]): readonly SplitTerm[] {
    return terms
      .filter(({ labels, fields }) => labels.size + fields.size > 0)
      .map(({ labels, fields }) => {
        const parts = split(labels);
        return { ...parts, fields, places: this.#satisfying(parts.placed) };
      });
  }

  #satisfying(placed: Requirements): Uint8Array {
    return Uint8Array.from(this.#places, ({ labels }) => (labelsSatisfy(placed, labels) ? 1 : 0));
  }
}

/** Whether taints, features and chosen labels are the very same. */
function areAlike(left: NodeView, { taints, features, chosen }: NodeView): boolean {
  return left.taints === taints && left.features === features && left.chosen === chosen;
}

/** Whether the constraint leaves nodes with these labels, as far as these labels go. */
function allowsChosen({ selector, anyOf }: NodeConstraint, chosen: Labels = NO_LABELS): boolean {
  if (chosen.size === 0) return true;
  const isAllowed = (requirements: Requirements): boolean => {
    for (const [key, value] of chosen) {
      const stated = requirements.get(key);
      if (stated !== undefined && !allows(stated, value)) return false;
    }
    return true;
  };
  return isAllowed(selector) && anyOf.every((terms) => terms.some(({ labels }) => isAllowed(labels)));
}

/** Of each group the terms that hold but perhaps for the place; undefined where a group has none. */
function sharedTerms(
  anyOf: readonly (readonly SplitTerm[])[],
  view: NodeView,
): readonly (readonly SplitTerm[])[] | undefined {
  const left: (readonly SplitTerm[])[] = [];
  for (const terms of anyOf) {
    const shared = terms.filter((term) => isShared(term, view));
    if (shared.length === 0) return undefined;
    left.push(shared);
  }
  return left;
}

function isShared({ shared, fields }: SplitTerm, { labels, fields: known }: NodeView): boolean {
  return labelsSatisfy(shared, labels) && labelsSatisfy(fields, known);
}

function split(requirements: Requirements): Split {
  const shared = new Map(requirements);
  const placed = new Map<string, Requirement>();
  for (const key of [ZONE, ZONE_ID, CAPACITY_TYPE]) {
    const item = requirements.get(key);
    if (item === undefined) continue;
    shared.delete(key);
    placed.set(key, item);
  }
  return { shared, placed };
}

function runsOf(views: readonly NodeView[]): readonly Run[] {
  const runs: { view: NodeView; first: number; end: number }[] = [];
  views.forEach((view, column) => {
    const last = runs.at(-1);
    if (last !== undefined && view.kind !== undefined && view.kind === last.view.kind) last.end = column + 1;
    else runs.push({ view, first: column, end: column + 1 });
  });
  return runs;
}

function byTemplate(runs: readonly Run[]): readonly TemplateRuns[] {
  const templates: TemplateRuns[] = [];
  for (const run of runs) {
    const last = templates.at(-1);
    if (last !== undefined && areAlike(last.view, run.view)) last.runs.push(run);
    else templates.push({ view: run.view, runs: [run] });
  }
  return templates;
}

function placesOf(views: readonly NodeView[]): Int32Array {
  const numbers = new Map<string, number>();
  return Int32Array.from(views, ({ labels }) => {
    const key = JSON.stringify([labels.get(ZONE), labels.get(CAPACITY_TYPE)]);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
}

/** Place → the first column that has it. */
function firstOf(placeOf: Int32Array, views: readonly NodeView[]): readonly NodeView[] {
  const places: NodeView[] = [];
  placeOf.forEach((place, column) => {
    const view = places[place] === undefined ? views[column] : undefined;
    if (view !== undefined) places[place] = view;
  });
  return places;
}
