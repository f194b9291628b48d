/** Turns what is left to place into a problem for the optimizer, and remembers which pods its items are. */
import { MAX_ZONES, type BinProblem, type ItemClasses } from '../../optimize/problem/bin-problem.js';
import { leastAsked } from '../../model/lower-bound.js';
import type { Packing } from '../../rules/packing.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import type { Problem } from '../../model/problem.js';
import { capGroups } from './guided-rules.js';
import { CountedRules } from './counted-rules.js';
import { EligibleZones } from './eligible-zones.js';
import { draftItems, type ItemDraft, type ItemSource } from './draft-items.js';
import { limitAccounts, binTypeRoom, binTypeTable, type BinTypeTable } from './bin-type-table.js';
import { BinTypeSets, BinTypeTiers, Reaches } from './bin-type-sets.js';
import { project, projectMatrix, RequestKinds, resourceAxis, type ResourceAxis } from './resource-axis.js';
import { RequirementSets } from './requirement-sets.js';
import { shareOutZones, type Share } from './zone-shares.js';

/** Pods of an item class: `items` items of these, in this order. */
export interface ItemOrigin {
  /** One source, of which every item is a pod; or, of a bundle, `n` pods of each source in every item. */
  readonly sources: readonly ItemSource[];
  readonly isBundle: boolean;
  readonly items: number;
}

export interface CompiledBins {
  readonly problem: BinProblem;
  readonly table: BinTypeTable;
  /** The problem's resource axis → the snapshot's. */
  readonly axis: readonly number[];
  /** Item class → its pods. */
  readonly origins: readonly (readonly ItemOrigin[])[];
  readonly eligible: EligibleZones;
  /** Whether every pod that can be placed at all is in, free to go wherever its rules let it. */
  readonly isWhole: boolean;
}

/** Item class → the classes of its pods. */
export function classesOfItems({ origins }: Pick<CompiledBins, 'origins'>): readonly (readonly PodClass[])[] {
  return origins.map((list) => list.flatMap(({ sources }) => sources.map(({ pods }) => pods)));
}

interface Item {
  readonly draft: ItemDraft;
  readonly requirementSet: number;
  readonly zoneMask: number;
  readonly capGroup: number;
  readonly quotaGroup: number;
  readonly origins: ItemOrigin[];
}

/** What every packing of a problem is compiled with. */
export interface BinTables {
  readonly table: BinTypeTable;
  /** bin types × R: what an empty one may be filled with. */
  readonly room: Float64Array;
  readonly sets: BinTypeSets;
  readonly kinds: RequestKinds;
}

export function binTables(packing: Packing): BinTables {
  const { problem } = packing;
  const table = binTypeTable(problem);
  const sets = new BinTypeSets(problem, table);
  return { table, room: binTypeRoom(packing, table), sets, kinds: new RequestKinds(problem.classes) };
}

/** undefined when there is nothing to pack, nothing to buy, or more zones than a mask holds. */
export function compileBins(packing: Packing, tables: BinTables): CompiledBins | undefined {
  const { table, room, sets, kinds } = tables;
  if (table.count === 0 || table.zones > MAX_ZONES) return undefined;
  const tiers = new BinTypeTiers(packing, table, room);
  const reaches = new Reaches(tiers, table.zones);
  const found = draftItems(packing, { sets, kinds, reaches });
  const drafts = narrowed(found, new CountedRules(sets, tiers, reaches));
  const asked = found.map(({ reach }) => reach.requests);
  const axis = resourceAxis(asked, packing.problem.snapshot.resources.length);
  const requirements = new RequirementSets(tiers, axis);
  const caps = capGroups(drafts.map(({ hostCaps }) => hostCaps));
  const eligible = new EligibleZones(packing, table);
  const { shares, quota } = shareOutZones({ packing, table, eligible }, drafts);
  const items = new Items(requirements, kinds.count);
  for (const share of shares) {
    const draft = drafts[share.draft];
    if (draft !== undefined) items.add(draft, share, caps.of[share.draft] ?? -1);
  }
  const classes = items.list;
  if (classes.length === 0) return undefined;
  return {
    problem: {
      ...{ resources: axis.of.length, zones: table.zones, zonesEqual: table.zonesEqual },
      ...binTypesOf(packing, tables, { axis, requirements }),
      classes: itemClasses(classes, axis),
      ...{ cap: caps.cap, quota },
    },
    table,
    axis: axis.of,
    eligible,
    origins: classes.map(({ origins }) => origins),
    isWhole: isWhole(packing, drafts),
  };
}

/** Drafts with the rules that count them; without those that a rule cannot be split for. */
function narrowed(found: readonly ItemDraft[], counted: CountedRules): readonly ItemDraft[] {
  const drafts: ItemDraft[] = [];
  for (const draft of found) {
    const each = counted.narrow(draft);
    if (each !== undefined) drafts.push(each);
  }
  return drafts;
}

/** Shares that are alike for the optimizer become one item class. */
class Items {
  readonly list: Item[] = [];
  readonly #requirements: RequirementSets;
  readonly #kinds: number;
  /** Zone mask → requirement set and kind → item. */
  readonly #plain = new Map<number, Map<number, Item>>();

  constructor(requirements: RequirementSets, kinds: number) {
    this.#requirements = requirements;
    this.#kinds = kinds;
  }

  add(draft: ItemDraft, { zoneMask, quotaGroup, items }: Share, capGroup: number): void {
    const requirementSet = this.#requirements.of(draft.reach);
    if (requirementSet < 0) return;
    const origin: ItemOrigin = { sources: draft.sources, isBundle: draft.isBundle, items };
    // Once its zone is settled, a pod is like any other of its size.
    const isPlain = quotaGroup < 0 && capGroup < 0;
    const ofMask = isPlain ? this.#ofMask(zoneMask) : undefined;
    const key = requirementSet * this.#kinds + draft.reach.kind;
    const known = ofMask?.get(key);
    if (known !== undefined) {
      known.origins.push(origin);
      return;
    }
    const made = { draft, requirementSet, zoneMask, capGroup, quotaGroup, origins: [origin] };
    this.list.push(made);
    ofMask?.set(key, made);
  }

  #ofMask(zoneMask: number): Map<number, Item> {
    const known = this.#plain.get(zoneMask);
    if (known !== undefined) return known;
    const made = new Map<number, Item>();
    this.#plain.set(zoneMask, made);
    return made;
  }
}

function binTypesOf(
  packing: Packing,
  { table, room }: BinTables,
  { axis, requirements }: { readonly axis: ResourceAxis; readonly requirements: RequirementSets },
): Pick<BinProblem, 'binTypes' | 'accounts' | 'requirementSets' | 'signatures' | 'admits'> {
  const { count, price } = table;
  const capacity = projectMatrix(axis, room, packing.problem.snapshot.resources.length);
  const { ofBinType: signature, count: signatures, admits } = requirements.signatures();
  const { account, charge, accounts } = limitAccounts(packing, table);
  return {
    binTypes: { count, capacity, price, signature, account, charge },
    accounts,
    requirementSets: requirements.count,
    signatures,
    admits,
  };
}

function itemClasses(items: readonly Item[], axis: ResourceAxis): ItemClasses {
  const count = items.length;
  const classes = {
    count,
    requests: new Float64Array(count * axis.of.length),
    items: new Int32Array(count),
    requirementSet: new Int32Array(count),
    zoneMask: new Int32Array(count),
    capGroup: new Int32Array(count),
    quotaGroup: new Int32Array(count),
  };
  for (const [index, item] of items.entries()) {
    project(axis, { amounts: item.draft.reach.requests, from: 0 }, classes.requests, index * axis.of.length);
    let n = 0;
    for (const origin of item.origins) n += origin.items;
    classes.items[index] = n;
    classes.requirementSet[index] = item.requirementSet;
    classes.zoneMask[index] = item.zoneMask;
    classes.capGroup[index] = item.capGroup;
    classes.quotaGroup[index] = item.quotaGroup;
  }
  return classes;
}

/**
 * Nodes that exist, pools that come before others or set minValues, pods left out, dealt to zones, divided among others that
 * they must be with, or capped more strictly than asked all make a bound that is not one of the whole problem.
 */
function isWhole(packing: Packing, drafts: readonly ItemDraft[]): boolean {
  const { problem, remaining } = packing;
  const { launchables, classes } = problem;
  const weights = new Set(launchables.templates.map(({ offer }) => offer.pool.weight));
  if (weights.size > 1 || someNodeIsOpen(packing)) return false;
  if (launchables.templates.some(({ index }) => packing.flexibility.setsMinValues(index))) return false;
  if (drafts.some((draft) => areCompanions(problem, draft))) return false;
  const pods = drafts.reduce((sum, { sources }) => sum + sources.reduce((n, source) => n + source.n, 0), 0);
  const left = classes.reduce((sum, { index }) => sum + (remaining[index] ?? 0), 0);
  const isFree = ({ zoneSpread, hostCaps }: ItemDraft): boolean => zoneSpread.length + hostCaps.length === 0;
  return pods === left && drafts.every(isFree);
}

/** Whether the items are units: pods of several kinds that were divided among each other. */
function areCompanions({ bundleOf }: Problem, { isBundle, sources: [first, ...others] }: ItemDraft): boolean {
  const bundle = bundleOf[first?.pods.index ?? -1] ?? -1;
  return isBundle && (bundle < 0 || others.some(({ pods }) => bundleOf[pods.index] !== bundle));
}

/** Whether some pod may go to a node that exists, were there room. */
function someNodeIsOpen({ problem: { snapshot, classes, admission } }: Packing): boolean {
  if (snapshot.nodes.length === 0) return false;
  return leastAsked(classes).some((constraint) =>
    snapshot.nodes.some((_, node) => admission.node(constraint, node)),
  );
}
