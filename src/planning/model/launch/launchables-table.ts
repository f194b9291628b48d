/** Launchables that outlive a plan: compiled anew only when pools, types, DaemonSets or resources are others. */
import type { DaemonSet } from '../../../domain/daemon-set.js';
import type { InstanceType, Offering } from '../../../domain/instance-type.js';
import type { Labels } from '../../../domain/labels.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { ColumnAnswers } from '../constraints/column-answers.js';
import { compileLaunchables, type Launchables } from './launchables.js';
import { RowPrices } from './row-prices.js';
import { compileTemplates, type Template } from './template.js';
import { ViewLabels } from '../constraints/view-labels.js';

/** Launchables with what was found out about them. */
interface KnownLaunchables {
  readonly launchables: Launchables;
  readonly answers: ColumnAnswers;
  readonly labels: ViewLabels;
  readonly prices: RowPrices;
}

interface Entry extends KnownLaunchables {
  readonly resources: readonly string[];
  readonly daemonSets: readonly DaemonSet[];
}

/** Sets of pools that are remembered: those of plans, and of what is asked in between. */
const MOST_ENTRIES = 2;

export class LaunchablesTable {
  /** The one used last comes first. */
  #entries: readonly Entry[] = [];

  of(snapshot: Snapshot): KnownLaunchables {
    const templates = compileTemplates(snapshot);
    const known = this.#entries.find((entry) => isFor(entry, snapshot, templates));
    const entry = known === undefined ? made(snapshot, templates) : renewed(known, templates);
    this.#entries = [entry, ...this.#entries.filter((each) => each !== known)].slice(0, MOST_ENTRIES);
    entry.answers.trim();
    return entry;
  }
}

function made(snapshot: Snapshot, templates: readonly Template[]): Entry {
  const { resources, daemonSets } = snapshot;
  const launchables = compileLaunchables(snapshot, templates);
  return {
    launchables,
    answers: new ColumnAnswers(launchables.views, launchables.columnPlace),
    labels: new ViewLabels(launchables.views),
    prices: new RowPrices(launchables, resources.length),
    resources,
    daemonSets,
  };
}

/** The same with the offers as they are now: what is in flight for a pool is not compiled, but goes with it. */
function renewed(entry: Entry, templates: readonly Template[]): Entry {
  const { launchables } = entry;
  if (templates.every(({ offer }, index) => offer === launchables.templates[index]?.offer)) return entry;
  const rowTemplate = launchables.rowTemplate.map((template) => templates[template.index] ?? template);
  return { ...entry, launchables: { ...launchables, templates, rowTemplate } };
}

function isFor(
  { launchables, resources, daemonSets }: Entry,
  snapshot: Snapshot,
  templates: readonly Template[],
): boolean {
  return (
    areEqual(resources, snapshot.resources, Object.is) &&
    areEqual(daemonSets, snapshot.daemonSets, Object.is) &&
    areEqual(launchables.templates, templates, isSameTemplate)
  );
}

function isSameTemplate(left: Template, right: Template): boolean {
  const { offer, chosen } = left;
  return (
    left.pool === right.pool &&
    offer.pool === right.offer.pool &&
    areEqual([...chosen], [...right.chosen], isSameLabel) &&
    (left.types === right.types || areEqual(left.types, right.types, isSameType))
  );
}

function isSameLabel([key, value]: Label, [otherKey, otherValue]: Label): boolean {
  return key === otherKey && value === otherValue;
}

type Label = Labels extends ReadonlyMap<infer K, infer V> ? readonly [K, V] : never;

/** The same but perhaps for the object: prices and offerings are looked at, what AWS says of the type is not. */
function isSameType(left: InstanceType, right: InstanceType): boolean {
  if (left === right) return true;
  const isSame =
    left.labels === right.labels &&
    left.capacity === right.capacity &&
    left.allocatable === right.allocatable;
  return isSame && left.name === right.name && areEqual(left.offerings, right.offerings, isSameOffering);
}

function isSameOffering(left: Offering, right: Offering): boolean {
  return (
    left === right ||
    (left.zone === right.zone &&
      left.capacityType === right.capacityType &&
      left.price === right.price &&
      left.estimated === right.estimated &&
      left.available === right.available)
  );
}

function areEqual<T>(left: readonly T[], right: readonly T[], isSame: (a: T, b: T) => boolean): boolean {
  return left.length === right.length && left.every((item, index) => isSame(item, right[index] ?? item));
}
