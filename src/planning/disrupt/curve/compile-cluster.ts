/** Turns a running cluster into the question of a move curve: bin types to buy, existing nodes, items on them. */
import { MAX_ZONES, type BinProblem, type ItemClasses } from '../../optimize/problem/bin-problem.js';
import type { Node } from '../../../domain/nodes/node.js';
import type { Pod } from '../../../domain/pods/pod.js';
import {
  limitAccounts,
  binTypeRoom,
  binTypeTable,
  type BinTypeTable,
} from '../../pack/guided/bin-type-table.js';
import { BinTypeTiers } from '../../pack/guided/bin-type-sets.js';
import {
  projectMatrix,
  resourceAxis,
  type ResourceAxis,
  projectRows,
} from '../../pack/guided/resource-axis.js';
import { nodePrices } from '../../model/node-prices.js';
import type { Problem } from '../../model/problem.js';
import { clusterItems, type ClusterItem, type ClusterItems, type ItemKind } from './cluster-items.js';
import type { ClusterNodes } from './cluster-nodes.js';
import { NodeRequirements } from './node-requirements.js';
import type { PodHomes } from '../../snapshot/snapshot-view.js';
import { capGroups, type CapGroups, type HostCap } from '../../pack/guided/guided-rules.js';

/** What moving weighs, and what may not go. */
export interface MovingRules {
  readonly movingCost: (pod: Pod) => number;
  readonly stays: (node: Node) => boolean;
  readonly takesNone?: ((node: Node) => boolean) | undefined;
  /** USD/h. */
  readonly priceOf?: ((node: Node) => number | undefined) | undefined;
}

export interface CompiledCluster {
  readonly problem: BinProblem;
  readonly nodes: ClusterNodes;
  readonly table: BinTypeTable;
  /** Item → what it is. */
  readonly items: readonly ClusterItem[];
}

/** undefined when nothing can be bought, or there are more zones than a mask holds. */
export function compileCluster(
  problem: Problem,
  homes: PodHomes,
  rules: MovingRules,
): CompiledCluster | undefined {
  const table = binTypeTable(problem);
  if (table.count === 0 || table.zones > MAX_ZONES) return undefined;
  const found = clusterItems(problem, table, homes);
  const { packing, kinds, items } = found;
  const asked = kinds.map(({ requests }) => requests);
  const axis = resourceAxis(asked, problem.snapshot.resources.length);
  const room = binTypeRoom(packing, table);
  const requirements = new NodeRequirements(packing, new BinTypeTiers(packing, table, room), axis);
  const caps = clusterCaps(kinds);
  const classes = new ItemClassList(axis);
  kinds.forEach((kind, index) => {
    classes.add(kind, { requirementSet: requirements.of(kind), capGroup: caps.of[index] ?? -1 });
  });
  const { binTypeSignatures, nodeSignature, signatures, admits } = requirements.signatures();
  const { account, charge, accounts } = limitAccounts(packing, table);
  const bins: BinProblem = {
    ...{ resources: axis.of.length, zones: table.zones, zonesEqual: table.zonesEqual },
    binTypes: {
      count: table.count,
      capacity: projectMatrix(axis, room, problem.snapshot.resources.length),
      ...{ price: table.price, signature: binTypeSignatures, account, charge },
    },
    ...{ accounts, requirementSets: requirements.count, signatures, admits },
    classes: classes.classes(),
    ...{ cap: caps.cap, quota: new Int32Array(0) },
  };
  const nodes = nodesOf(problem, { homes, found, classes, axis, rules, nodeSignature });
  return { problem: bins, nodes, table, items };
}

interface NodeParts {
  readonly homes: PodHomes;
  readonly found: ClusterItems;
  readonly classes: ItemClassList;
  readonly axis: ResourceAxis;
  readonly rules: MovingRules;
  readonly nodeSignature: Int32Array;
}

function nodesOf(problem: Problem, parts: NodeParts): ClusterNodes {
  const { snapshot, nodeFree } = problem;
  const { homes, found, classes, axis, rules, nodeSignature } = parts;
  const { nodes } = snapshot;
  const firstItem = new Int32Array(nodes.length + 1);
  for (const { node } of found.items) firstItem[node + 1] = (firstItem[node + 1] ?? 0) + 1;
  const known = nodePrices(snapshot);
  const prices = nodes.map((node, index) =>
    rules.priceOf === undefined ? known[index] : rules.priceOf(node),
  );
  nodes.forEach((_, node) => {
    firstItem[node + 1] = (firstItem[node + 1] ?? 0) + (firstItem[node] ?? 0);
  });
  const costOf = ({ kind, pods }: ClusterItem): number =>
    !classes.moves(classes.of(kind))
      ? Infinity
      : pods.reduce((sum, row) => sum + costOfPod(homes.pod[row], rules), 0);
  return {
    count: nodes.length,
    room: projectMatrix(axis, nodeFree, snapshot.resources.length),
    price: Float64Array.from(prices, (price) => price ?? 0),
    zone: found.zone.map((each) => Math.max(0, each)),
    signature: nodeSignature,
    stays: Uint8Array.from(nodes, (node, index) => Number(prices[index] === undefined || rules.stays(node))),
    // Where no zone is known, no rule of zones can be kept.
    closed: Uint8Array.from(nodes, (node, index) =>
      Number(node.unschedulable || rules.takesNone?.(node) === true || (found.zone[index] ?? -1) < 0),
    ),
    firstItem,
    itemClass: Int32Array.from(found.items, ({ kind }) => classes.of(kind)),
    movingCost: Float64Array.from(found.items, costOf),
  };
}

function costOfPod(pod: Pod | undefined, { movingCost }: MovingRules): number {
  return pod === undefined ? Infinity : movingCost(pod);
}

/** One list per kind. Items that stay count against the caps of those that would come to them. */
function clusterCaps(kinds: readonly ItemKind[]): CapGroups {
  const capped = new Map<number, HostCap>();
  for (const { hostCaps } of kinds) for (const cap of hostCaps) capped.set(cap.group.index, cap);
  return capGroups(
    kinds.map(({ mobility, hostCaps, memberOf }) =>
      mobility === undefined ? memberOf.flatMap((group) => capped.get(group) ?? []) : hostCaps,
    ),
  );
}

interface Entry {
  readonly kind: ItemKind;
  readonly requirementSet: number;
  readonly capGroup: number;
  readonly zoneMask: number;
}

/** Item classes of a running cluster: kinds of items that packing cannot tell apart are one. */
class ItemClassList {
  readonly #axis: ResourceAxis;
  readonly #entries: Entry[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #ofKind = new Map<ItemKind, number>();

  constructor(axis: ResourceAxis) {
    this.#axis = axis;
  }

  /** @param requirementSet -1 for a kind that stays where it is: no zone takes it. */
  add(kind: ItemKind, rules: { readonly requirementSet: number; readonly capGroup: number }): void {
    const { requirementSet, capGroup } = rules;
    const zoneMask = requirementSet < 0 ? 0 : kind.zoneMask;
    const key = [requirementSet, zoneMask, capGroup, ...kind.requests].join();
    const known = this.#numbers.get(key);
    this.#ofKind.set(kind, known ?? this.#entries.length);
    if (known !== undefined) return;
    this.#numbers.set(key, this.#entries.length);
    this.#entries.push({ kind, requirementSet: Math.max(0, requirementSet), capGroup, zoneMask });
  }

  /** Class of a kind that was added. */
  of(kind: ItemKind): number {
    return this.#ofKind.get(kind) ?? -1;
  }

  /** Whether items of the class may move at all. */
  moves(number: number): boolean {
    return this.#entries[number]?.zoneMask !== 0;
  }

  /** The classes; how many items they have is not said. */
  classes(): ItemClasses {
    const count = this.#entries.length;
    return {
      count,
      requests: projectRows(
        this.#axis,
        this.#entries.map(({ kind }) => kind.requests),
      ),
      items: new Int32Array(count),
      requirementSet: Int32Array.from(this.#entries, ({ requirementSet }) => requirementSet),
      zoneMask: Int32Array.from(this.#entries, ({ zoneMask }) => zoneMask),
      capGroup: Int32Array.from(this.#entries, ({ capGroup }) => capGroup),
      quotaGroup: new Int32Array(count).fill(-1),
    };
  }
}
