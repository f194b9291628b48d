/** Turns what is left to place into a problem for the optimizer, and remembers which pods its items are. */
import { MAX_ZONES, type BinProblem, type ItemClasses } from '../../optimizer/bin-problem.js';
import { leastAsked } from '../lower-bound.js';
import type { Packing } from '../packing.js';
import type { PodClass } from '../pod-class.js';
import type { Problem } from '../problem.js';
import { rowOf } from '../room.js';
import { capGroups } from './cap-groups.js';
import { CountedRules } from './counted-rules.js';
import { draftItems } from './draft-items.js';
import type { ItemDraft, ItemSource } from './item-draft.js';
import { limitAccounts } from './limit-accounts.js';
import { MachineSets } from './machine-sets.js';
import { machineTable, type MachineTable } from './machine-table.js';
import { RequirementSets } from './requirement-sets.js';
import { project, resourceAxis, type ResourceAxis } from './resource-axis.js';
import { shareOutZones } from './zone-shares.js';

/** Pods of an item class: `items` items of these, in this order. */
export interface ItemOrigin {
  /** One source, of which every item is a pod; or, of a bundle, all pods of all sources in one item. */
  readonly sources: readonly ItemSource[];
  readonly isBundle: boolean;
  readonly items: number;
}

export interface CompiledBins {
  readonly problem: BinProblem;
  readonly table: MachineTable;
  /** The problem's resource axis → the snapshot's. */
  readonly axis: readonly number[];
  /** Item class → its pods. */
  readonly origins: readonly (readonly ItemOrigin[])[];
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
  readonly table: MachineTable;
  readonly sets: MachineSets;
}

export function binTables(problem: Problem): BinTables {
  const table = machineTable(problem);
  return { table, sets: new MachineSets(problem, table) };
}

/** undefined when there is nothing to pack, nothing to buy, or more zones than a mask holds. */
export function compileBins(packing: Packing, { table, sets }: BinTables): CompiledBins | undefined {
  if (table.count === 0 || table.zones > MAX_ZONES) return undefined;
  const found = draftItems(packing, sets);
  const axis = resourceAxis(found, packing.problem.snapshot.resources.length);
  const requirements = new RequirementSets(packing, table, axis);
  const counted = new CountedRules(sets, table, requirements);
  const drafts = found.flatMap((draft) => counted.narrow(draft) ?? []);
  const caps = capGroups(drafts);
  const { shares, quota } = shareOutZones(packing, drafts, table.zones);
  const items = new Map<string | number, Item>();
  for (const { draft: index, items: n, zoneMask, quotaGroup } of shares) {
    const draft = drafts[index];
    const requirementSet = draft === undefined ? -1 : requirements.of(draft);
    if (draft === undefined || requirementSet < 0) continue;
    const capGroup = caps.ofDraft[index] ?? -1;
    const origin: ItemOrigin = { sources: draft.sources, isBundle: draft.isBundle, items: n };
    const isPlain = quotaGroup < 0 && capGroup < 0;
    // Once its zone is settled, a pod is like any other of its size.
    const key = isPlain ? [requirementSet, zoneMask, ...draft.requests].join() : items.size;
    const known = items.get(key);
    if (known !== undefined) known.origins.push(origin);
    else items.set(key, { draft, requirementSet, zoneMask, capGroup, quotaGroup, origins: [origin] });
  }
  if (items.size === 0) return undefined;
  const classes = [...items.values()];
  return {
    problem: {
      ...{ resources: axis.of.length, zones: table.zones, zonesEqual: table.zonesEqual },
      ...machinesOf(packing, table, { axis, requirements }),
      classes: itemClasses(classes, axis),
      ...{ cap: caps.cap, quota },
    },
    table,
    axis: axis.of,
    origins: classes.map(({ origins }) => origins),
    isWhole: isWhole(packing, drafts),
  };
}

function machinesOf(
  packing: Packing,
  table: MachineTable,
  { axis, requirements }: { readonly axis: ResourceAxis; readonly requirements: RequirementSets },
): Pick<BinProblem, 'machines' | 'accounts' | 'requirementSets' | 'signatures' | 'admits'> {
  const { launchables, snapshot } = packing.problem;
  const width = snapshot.resources.length;
  const capacity = new Float64Array(table.count * axis.of.length);
  table.row.forEach((row, machine) => {
    project(axis, rowOf(launchables.net, width, row), capacity, machine * axis.of.length);
  });
  const { ofMachine: signature, count: signatures, admits } = requirements.signatures();
  const { account, charge, accounts } = limitAccounts(packing, table);
  const { count, price } = table;
  return {
    machines: { count, capacity, price, signature, account, charge },
    accounts,
    requirementSets: requirements.count,
    signatures,
    admits,
  };
}

function itemClasses(items: readonly Item[], axis: ResourceAxis): ItemClasses {
  const requests = new Float64Array(items.length * axis.of.length);
  items.forEach(({ draft }, index) => {
    project(axis, draft.requests, requests, index * axis.of.length);
  });
  return {
    count: items.length,
    requests,
    items: Int32Array.from(items, ({ origins }) => origins.reduce((sum, { items: n }) => sum + n, 0)),
    requirementSet: Int32Array.from(items, ({ requirementSet }) => requirementSet),
    zoneMask: Int32Array.from(items, ({ zoneMask }) => zoneMask),
    capGroup: Int32Array.from(items, ({ capGroup }) => capGroup),
    quotaGroup: Int32Array.from(items, ({ quotaGroup }) => quotaGroup),
  };
}

/**
 * Nodes that exist, pools that come before others, pods left out, dealt to zones or capped more strictly than asked all
 * make a bound that is not one of the whole problem.
 */
function isWhole(packing: Packing, drafts: readonly ItemDraft[]): boolean {
  const { problem, remaining } = packing;
  const { launchables, classes } = problem;
  const weights = new Set(launchables.templates.map(({ offer }) => offer.pool.weight));
  if (weights.size > 1 || someNodeIsOpen(packing)) return false;
  const pods = drafts.reduce((sum, { sources }) => sum + sources.reduce((n, source) => n + source.n, 0), 0);
  const left = classes.reduce((sum, { index }) => sum + (remaining[index] ?? 0), 0);
  const isFree = ({ zoneSpread, hostCaps }: ItemDraft): boolean => zoneSpread.length + hostCaps.length === 0;
  return pods === left && drafts.every(isFree);
}

/** Whether some pod may go to a node that exists, were there room. */
function someNodeIsOpen({ problem: { snapshot, classes, admission } }: Packing): boolean {
  if (snapshot.nodes.length === 0) return false;
  return leastAsked(classes).some((constraint) =>
    snapshot.nodes.some((_, node) => admission.node(constraint, node)),
  );
}
