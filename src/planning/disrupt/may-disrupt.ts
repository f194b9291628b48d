/** Whether a pass could find anything, by what is known without a look at pods: so that none is made that finds nothing. */
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { PoolOffer } from '../snapshot/cluster-input.js';
import type { DisruptionInput, NodeLife } from './question/disruption.js';
import type { Method } from './method.js';
import { METHODS } from './methods.js';
import { consolidationRefusal } from './methods/consolidation-terms.js';
import { NodeBudgets } from './budgets/node-budgets.js';

/** As in DisruptionInput. */
export interface DisruptionOutlook extends Pick<
  DisruptionInput,
  'frozenPools' | 'resting' | 'now' | 'shiftedZones'
> {
  readonly nodes: readonly NodeLife[];
  readonly pools: readonly PoolOffer[];
}

interface OpenPool {
  readonly pool: NodePool;
  readonly methods: readonly Method[];
}

/** False only if `disrupt` would have no commands, whatever pods there are. */
export function mayDisrupt(outlook: DisruptionOutlook): boolean {
  const { nodes, pools, resting, now, shiftedZones } = outlook;
  const leaving = new Set(nodes.flatMap((node) => (node.leaving ? [node.name] : [])));
  for (const { due } of METHODS)
    for (const name of due?.({ cluster: { pools }, nodes, now }).keys() ?? [])
      if (!leaving.has(name)) return true;
  if (shiftedZones !== undefined && shiftedZones.size > 0) return false;
  const open = openPools(outlook);
  return nodes.some((node) => {
    const found = open.get(node.nodePool);
    if (found === undefined || node.leaving || !node.initialized || resting.has(node.name)) return false;
    const isQuiet = consolidationRefusal({ node }, found.pool, { now }) === undefined;
    return found.methods.some(({ consolidationType }) => consolidationType === undefined || isQuiet);
  });
}

/** Pools whose nodes budgets and windows let go, with the methods that search for such nodes. */
function openPools({ nodes, pools, frozenPools, now }: DisruptionOutlook): ReadonlyMap<string, OpenPool> {
  const budgets = new NodeBudgets({ cluster: { pools }, nodes, now });
  const searching = METHODS.filter(({ due }) => due === undefined);
  const open = new Map<string, OpenPool>();
  for (const { pool, frozen } of pools) {
    const { name: nodePool, replicas } = pool;
    if (frozen === true || frozenPools.has(nodePool) || replicas !== undefined) continue;
    const methods = searching.filter(
      (method) =>
        budgets.closed(method, { nodePool }) === undefined &&
        budgets.refusal(method, { nodePool }) === undefined,
    );
    if (methods.length > 0) open.set(nodePool, { pool, methods });
  }
  return open;
}
