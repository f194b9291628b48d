/** What nodes cost, bought as they were, at the prices of now. */
import { offeringIn, type InstanceType } from '../../domain/nodes/instance-type.js';
import type { NodePool } from '../../domain/policies/node-pool.js';
import { tenancyLabels, type LaunchedAs, type Tenancy } from '../../domain/nodes/tenancy.js';
import type { ObservationType } from '../../domain/records/observation.js';
import type { Bought } from './model-nodes.js';

export interface FleetCost {
  /** USD/h. */
  readonly hourly: number;
  readonly nodes: number;
  /** Nodes whose price is not known. */
  readonly unpriced: number;
  /** `type capacityType` → how many nodes, and USD/h of one. */
  readonly types: ReadonlyMap<string, { readonly nodes: number; readonly price: number }>;
}

/** What the prices of nodes are read from. */
export interface FleetPrices {
  readonly pools: ReadonlyMap<string, NodePool>;
  readonly typesOf: (claim: LaunchedAs) => readonly InstanceType[];
}

export function fleetCost(fleet: Iterable<Bought>, prices: FleetPrices): FleetCost {
  const priceOf = priceList(prices);
  const types = new Map<string, { nodes: number; price: number }>();
  let [hourly, nodes, unpriced] = [0, 0, 0];
  for (const bought of fleet) {
    nodes++;
    const price = priceOf(bought);
    if (price === undefined) unpriced++;
    hourly += price ?? 0;
    const key = `${bought.instanceType} ${bought.capacityType}`;
    const known = types.get(key) ?? { nodes: 0, price: price ?? 0 };
    types.set(key, { ...known, nodes: known.nodes + 1 });
  }
  return { hourly, nodes, unpriced, types };
}

/** USD/h of an offering; undefined where it is not known. */
function priceList({ pools, typesOf }: FleetPrices): (bought: Bought) => number | undefined {
  const byPool = new Map<string, ReadonlyMap<string, InstanceType>>();
  const typesIn = ({ nodePool, tenancy }: Bought): ReadonlyMap<string, InstanceType> => {
    const key = `${nodePool} ${tenancy}`;
    const pool = pools.get(nodePool);
    const known =
      byPool.get(key) ?? new Map(pool && typesOf(nodeOf(pool, tenancy)).map((type) => [type.name, type]));
    byPool.set(key, known);
    return known;
  };
  return (bought) => {
    const { instanceType, zone, capacityType } = bought;
    return offeringIn(typesIn(bought).get(instanceType), { zone, capacityType })?.price;
  };
}

function nodeOf({ name, template }: NodePool, tenancy: Tenancy): LaunchedAs {
  const spec = { nodePool: name, nodeClassRef: template.nodeClassRef, requirements: [] };
  return { spec, labels: tenancyLabels(tenancy) };
}

/** Types that one side has more nodes of than the other come first, by what the difference costs. */
export function compareTypes(current: FleetCost, berth: FleetCost): readonly ObservationType[] {
  const keys = [...new Set([...current.types.keys(), ...berth.types.keys()])];
  return keys
    .map((key) => {
      const [instanceType = '', capacityType = ''] = key.split(' ');
      const [here, there] = [current.types.get(key), berth.types.get(key)];
      const type = { instanceType, capacityType, current: here?.nodes ?? 0, berth: there?.nodes ?? 0 };
      return { type, price: here?.price ?? there?.price ?? 0 };
    })
    .sort(
      (left, right) =>
        weightOf(right) - weightOf(left) || (left.type.instanceType < right.type.instanceType ? -1 : 1),
    )
    .map(({ type }) => type);
}

function weightOf({ type, price }: { readonly type: ObservationType; readonly price: number }): number {
  return Math.abs(type.current - type.berth) * price;
}
