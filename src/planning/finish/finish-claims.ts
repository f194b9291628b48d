/** Turns opened claims into what is asked of the cloud: the cheapest type that holds the contents, and its alternatives. */
import { type ClaimChoice, ClaimChoices, SPOT_TYPES } from './claim-choice.js';
import { type Accepts, type ListedTypes, TypePicker } from './listed-types.js';
import type { Template } from '../model/launch/template.js';
import { LimitRoom } from '../offerings/limit-room.js';
import { type CountedLabel, SeenValues } from '../offerings/min-values-count.js';
import type { ReliedSpread } from '../offerings/usable-columns.js';
import type { Packing } from '../rules/packing.js';
import type { Target } from '../rules/targets.js';
import type { SpreadRule } from '../model/classes/ask.js';
import { NO_DOMAIN } from '../model/constraints/domains.js';
import type { Problem } from '../model/problem.js';

/** A claim with its choices, before names are given. Equal lists are one object. */
export interface FinishedClaim extends ListedTypes {
  readonly target: Target;
  readonly template: Template;
  /** The cheapest offering listed, and its row. */
  readonly column: number;
  readonly row: number;
}

/** A claim while it is being finished. */
interface Draft {
  readonly target: Target;
  readonly template: Template;
  readonly choice: ClaimChoice;
  /** Undefined where the pool has no limits that types differ in. */
  readonly limits: LimitRoom | undefined;
  /** What is kept of the limits for the largest type that may be listed. */
  readonly charge: Float64Array;
}

/**
 * Re-types every claim to the cheapest that fits, then lists alternatives within limits, in the order of the claims. What
 * limits leave goes first to claims that may be spot and have too few types otherwise.
 */
export function finishClaims(packing: Packing): readonly FinishedClaim[] {
  const finishing = new Finishing(packing);
  const drafts = packing.targets.flatMap((target) => finishing.draft(target) ?? []);
  for (const draft of drafts) finishing.reserve(draft);
  const finished = drafts.map((draft) => finishing.list(draft));
  finishing.settle();
  return finished;
}

class Finishing {
  readonly #packing: Packing;
  readonly #choices: ClaimChoices;
  readonly #limits: readonly (LimitRoom | undefined)[];
  readonly #picker: TypePicker;
  /** Most types that a claim lists. */
  readonly #most: number;

  constructor(packing: Packing) {
    const { problem, usage, flexibility } = packing;
    this.#packing = packing;
    this.#choices = new ClaimChoices(
      packing,
      (template) => flexibility.counted(template),
      packing.isAnyRelied ? reliedSpreads(packing) : NONE_RELIED,
    );
    this.#limits = problem.snapshot.pools.map((_, pool) => LimitRoom.of(usage, problem.launchables, pool));
    this.#picker = new TypePicker(problem.launchables);
    this.#most = problem.options.maxInstanceTypes;
  }

  draft(target: Target): Draft | undefined {
    const { columnRow, rowTemplate } = this.#packing.problem.launchables;
    const row = columnRow[target.column] ?? -1;
    const template = rowTemplate[row];
    if (template === undefined || target.content.size === 0) return undefined;
    const limits = this.#limits[template.pool];
    const charge = limits?.chargeOf(row) ?? NO_CHARGE;
    return { target, template, limits, charge, choice: this.#choices.of(target, limits) };
  }

  /** Keeps room for as many types as a claim that may be spot should list, where those it may list anyway are fewer. */
  reserve({ target, limits, charge, choice }: Draft): void {
    if (limits === undefined || !choice.sets.capacityTypes.includes('spot')) return;
    const { types } = choice.listing;
    const need = this.#choices.needOf(target);
    const opened = charge.slice();
    const hasDevices = this.#hasDevices(target, choice);
    const isFree = (at: number): boolean =>
      limits.isWithin(types[at] ?? 0, opened) && hasDevices?.(at) !== false;
    const wanted = Math.min(SPOT_TYPES, this.#most);
    const missing = wanted - this.#picker.pick({ choice, need, most: wanted, accepts: isFree }).length;
    if (missing <= 0) return;
    limits.release(charge);
    const accepts = (at: number): boolean =>
      !isFree(at) && limits.hasRoom(types[at] ?? 0) && hasDevices?.(at) !== false;
    for (const at of this.#picker.pick({ choice, need, most: missing, accepts }))
      limits.include(types[at] ?? 0, charge);
    limits.take(charge);
  }

  list(draft: Draft): FinishedClaim {
    const { target, template, choice, limits } = draft;
    const { listing, own } = choice;
    const positions = limits === undefined ? this.#pick(draft, undefined) : this.#pickWithin(draft, limits);
    const listed = this.#picker.list(choice, positions);
    const first = positions[0] ?? own;
    const column = first === own ? choice.column : (listing.column[first] ?? 0);
    return {
      target,
      template,
      column,
      row: this.#packing.problem.launchables.columnRow[column] ?? 0,
      ...listed,
    };
  }

  /** Positions in the listing of the types to list. */
  #pick({ target, template, choice }: Draft, within: Accepts | undefined): Int32Array {
    const hasDevices = this.#hasDevices(target, choice);
    const accepts: Accepts | undefined =
      hasDevices === undefined ? within : (at) => within?.(at) !== false && hasDevices(at);
    const labels = this.#packing.flexibility.counted(template.index);
    const need = this.#choices.needOf(target);
    if (labels.length === 0) return this.#picker.pick({ choice, need, most: this.#most, accepts });
    const choices = this.#picker.pick({ choice, need, most: Infinity, accepts });
    const columnsOf = (at: number): readonly number[] => this.#choices.columnsAt(choice, at);
    return keepMinValues({ choices, labels, columnsOf, most: this.#most });
  }

  /** Whether the type at a position has devices for all pods of the claim; undefined where none of them asks for any. */
  #hasDevices(target: Target, { listing }: ClaimChoice): Accepts | undefined {
    const { devices } = this.#packing;
    if (devices?.concerns(target) !== true) return undefined;
    return (at) => devices.suits(target, listing.types[at] ?? 0);
  }

  /** The same, within what the limits leave; from now on they leave no more than the largest of them does. */
  #pickWithin(draft: Draft, limits: LimitRoom): Int32Array {
    const { charge, choice } = draft;
    const { types } = choice.listing;
    limits.release(charge);
    const positions = this.#pick(draft, (at) => {
      const row = types[at] ?? 0;
      return limits.isWithin(row, charge) || limits.hasRoom(row);
    });
    charge.fill(0);
    for (const at of positions) limits.include(types[at] ?? 0, charge);
    limits.take(charge);
    return positions;
  }

  /** Tells the packing's usage what the lists may take of the limits. */
  settle(): void {
    for (const limits of this.#limits) limits?.settle(this.#packing.usage);
  }
}

const NO_CHARGE = new Float64Array(0);
const NONE_RELIED: readonly ReliedSpread[] = [];

interface KeptInput {
  /** Cheapest first. */
  readonly choices: Int32Array;
  readonly labels: readonly CountedLabel[];
  /** The columns that a choice lists. */
  readonly columnsOf: (choice: number) => readonly number[];
  readonly most: number;
}

/** The cheapest choices, but first those that minValues need; in the order given. */
function keepMinValues({ choices, labels, columnsOf, most }: KeptInput): Int32Array {
  const kept = new Set(choices.slice(0, 1));
  for (const label of labels) {
    const seen = new SeenValues(label);
    for (const choice of kept) seen.add(columnsOf(choice));
    for (const choice of choices) {
      if (seen.isEnough) break;
      const columns = columnsOf(choice);
      if (!seen.hasNew(columns)) continue;
      kept.add(choice);
      seen.add(columns);
    }
  }
  for (const choice of choices) if (kept.size < most) kept.add(choice);
  return choices.filter((choice) => kept.has(choice));
}

/** Problem → group and domains → columns: packings of one problem share them. */
const KNOWN = new WeakMap<Problem, Map<string, Uint8Array>>();

/**
 * The spread that pods were placed under as a last resort, when only domains of nodes and claims that there are counted, and
 * that a claim would break which is launched in another domain, without a pod.
 */
function reliedSpreads(packing: Packing): readonly ReliedSpread[] {
  const asks = packing.targets.flatMap(({ content, asks: all }) => (content.size === 0 ? [] : [...all]));
  const rules = new Set(
    asks.flatMap(({ strictness, spread }) => (strictness === 'last resort' ? spread : [])),
  );
  return [...rules]
    .filter((rule) => packing.counts.isBrokenByEmpty(rule))
    .map((rule) => ({ group: rule.group, columns: columnsWithin(packing, rule) }));
}

/** One byte per column: 1 where a new node would be no further domain for the rule. */
function columnsWithin({ problem, counts }: Packing, rule: SpreadRule): Uint8Array {
  const known = KNOWN.get(problem) ?? new Map<string, Uint8Array>();
  KNOWN.set(problem, known);
  const domains = rule.group.isHostname ? [] : counts.eligibleDomains(rule);
  const name = [rule.group.index, rule.reach?.key ?? '', ...domains].join();
  const made = known.get(name) ?? new Uint8Array(problem.launchables.columnRow.length);
  if (known.has(name)) return made;
  known.set(name, made);
  for (let column = 0; column < made.length; column++) {
    const domain = counts.newDomain(rule, column);
    if (domain === NO_DOMAIN || domains.includes(domain)) made[column] = 1;
  }
  return made;
}
