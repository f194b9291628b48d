/** Launchables that outlive a plan: compiled again only when pools, types, DaemonSets or resources are others. */
import type { DaemonSet } from '../../../domain/pods/daemon-set.js';
import type { InstanceType, Offering } from '../../../domain/nodes/instance-type.js';
import type { Labels } from '../../../domain/values/labels.js';
import { isSameList } from '../../../domain/values/same.js';
import { ColumnAnswers } from '../constraints/column-answers.js';
import { ViewLabels } from '../constraints/domains.js';
import { compileLaunchables, type Launchables } from './launchables.js';
import { LEAST_PRICE, type PricedCapacity } from './resource-prices.js';
import { howManyFit, rowOf } from './room.js';
import { compileTemplates, type Template } from './template.js';
import type { Snapshot } from '../../snapshot/snapshot.js';

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
    isSameList(resources, snapshot.resources) &&
    isSameList(daemonSets, snapshot.daemonSets) &&
    isSameList(launchables.templates, templates, isSameTemplate)
  );
}

function isSameTemplate(left: Template, right: Template): boolean {
  const { offer, chosen } = left;
  return (
    left.pool === right.pool &&
    offer.pool === right.offer.pool &&
    isSameList([...chosen], [...right.chosen], isSameLabel) &&
    isSameList(left.types, right.types, isSameType)
  );
}

function isSameLabel([key, value]: Label, [otherKey, otherValue]: Label): boolean {
  return key === otherKey && value === otherValue;
}

type Label = Labels extends ReadonlyMap<infer K, infer V> ? readonly [K, V] : never;

/** The same but perhaps for the object: prices and offerings are looked at, what the cloud says of the type is not. */
function isSameType(left: InstanceType, right: InstanceType): boolean {
  if (left === right) return true;
  const isSame =
    left.labels === right.labels &&
    left.capacity === right.capacity &&
    left.allocatable === right.allocatable &&
    left.volumeLimits === right.volumeLimits &&
    left.devices === right.devices;
  return isSame && left.name === right.name && isSameList(left.offerings, right.offerings, isSameOffering);
}

function isSameOffering(left: Offering, right: Offering): boolean {
  return (
    left === right ||
    (left.zone === right.zone &&
      left.zoneID === right.zoneID &&
      left.capacityType === right.capacityType &&
      left.price === right.price &&
      left.estimated === right.estimated &&
      left.available === right.available)
  );
}

/** Rows of launchables with their cheapest prices, and the roomiest of those that a constraint admits. */
export class RowPrices {
  readonly #launchables: Launchables;
  readonly #width: number;
  /** Row → USD/h of its cheapest offering, at least LEAST_PRICE. */
  readonly #price: Float64Array;
  readonly #byTemplates = new Map<string, PricedCapacity>();
  readonly #roomiest = new WeakMap<Uint8Array, readonly (readonly Float64Array[])[]>();
  /** Whether some offering costs nothing (reserved capacity does). */
  readonly hasFree: boolean;

  constructor(launchables: Launchables, width: number) {
    this.#launchables = launchables;
    this.#width = width;
    const { price, rowColumns } = launchables;
    this.hasFree = price.some((each) => each < LEAST_PRICE);
    this.#price = Float64Array.from(rowColumns, (columns) => {
      let cheapest = Infinity;
      for (const column of columns) cheapest = Math.min(cheapest, price[column] ?? Infinity);
      return Math.max(LEAST_PRICE, cheapest);
    });
  }

  /** The rows of these templates. */
  of(templates: readonly number[]): PricedCapacity {
    const key = templates.join();
    const known = this.#byTemplates.get(key);
    if (known !== undefined) return known;
    const { templateRows, net } = this.#launchables;
    const rows = templates.flatMap((template) => templateRows[template] ?? []);
    const capacity = new Float64Array(rows.length * this.#width);
    rows.forEach((row, index) => {
      capacity.set(rowOf(net, this.#width, row), index * this.#width);
    });
    const made = { capacity, price: Float64Array.from(rows, (row) => this.#price[row] ?? Infinity) };
    this.#byTemplates.set(key, made);
    return made;
  }

  /** All rows. */
  get all(): PricedCapacity {
    return this.of([...this.#launchables.templates.keys()]);
  }

  /** Whether some row of the template that has one of the admitted columns holds one pod with these requests. */
  holds(template: number, admitted: Uint8Array, requests: Float64Array): boolean {
    const known = this.#roomiest.get(admitted);
    const roomiest = known ?? this.#findRoomiest(admitted);
    if (known === undefined) this.#roomiest.set(admitted, roomiest);
    return roomiest[template]?.some((net) => howManyFit(requests, net, 1) === 1) ?? false;
  }

  /** Template → rooms of its admitted rows, but for those that have no more of anything than another. */
  #findRoomiest(admitted: Uint8Array): readonly (readonly Float64Array[])[] {
    const { templateRows, rowColumns, net } = this.#launchables;
    return templateRows.map((rows) => {
      const kept: Float64Array[] = [];
      if (!hasAny(admitted, rowColumns[rows[0] ?? -1]?.[0], rowColumns[rows.at(-1) ?? -1]?.at(-1)))
        return kept;
      // Types are named by size: the last ones of a family, which are the largest, come first this way.
      for (const row of [...rows].reverse()) {
        if (!(rowColumns[row] ?? []).some((column) => admitted[column] === 1)) continue;
        const room = rowOf(net, this.#width, row);
        if (room.some((amount) => amount < 0) || kept.some((other) => covers(other, room))) continue;
        kept.push(room);
      }
      return kept.filter((room, index) => !kept.slice(index + 1).some((later) => covers(later, room)));
    });
  }
}

/** Whether one of the columns from `first` to `last` is admitted. */
function hasAny(admitted: Uint8Array, first: number | undefined, last: number | undefined): boolean {
  return first !== undefined && last !== undefined && admitted.subarray(first, last + 1).includes(1);
}

function covers(larger: Float64Array, room: Float64Array): boolean {
  for (let resource = 0; resource < room.length; resource++)
    if ((larger[resource] ?? 0) < (room[resource] ?? 0)) return false;
  return true;
}
