/** Turns a running cluster into the question of a move curve: bin types to buy, existing nodes, items on them. */
import { MAX_ZONES, type BinProblem } from '../../optimize/problem/bin-problem.js';
import type { Node } from '../../../domain/nodes/node.js';
import type { Pod } from '../../../domain/pods/pod.js';
import {
  limitAccounts,
  binTypeRoom,
  binTypeTable,
  type BinTypeTable,
} from '../../pack/guided/bin-type-table.js';
import { BinTypeTiers } from '../../pack/guided/bin-type-sets.js';
import { projectMatrix, resourceAxis, type ResourceAxis } from '../../pack/guided/resource-axis.js';
import { nodePrices } from '../../model/node-prices.js';
import type { Problem } from '../../model/problem.js';
import { clusterItems, type ClusterItem, type ClusterItems } from './cluster-items.js';
import type { ClusterNodes } from './cluster-nodes.js';
import { clusterCaps } from './host-caps.js';
import { ItemClassList } from './item-class-list.js';
import { NodeRequirements } from './node-requirements.js';
import type { PodHomes } from '../../snapshot/snapshot-view.js';

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
