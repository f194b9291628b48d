/** Whether a pass could find anything, by what is known without a look at pods: so that none is made that finds nothing. */
import type { NodePool } from '../../domain/policies/node-pool.js';
import type { PoolOffer } from '../snapshot/cluster-input.js';
import type { DisruptionInput, NodeLife } from './disruption.js';
import type { Method } from './method.js';
import { METHODS } from './methods.js';
import { consolidationRefusal } from './methods/consolidation-terms.js';
import { NodeBudgets } from './node-budgets.js';

/** As in DisruptionInput. */
export interface DisruptionOutlook extends Pick<DisruptionInput, 'frozenPools' | 'resting' | 'now'> {
  readonly nodes: readonly NodeLife[];
  readonly pools: readonly PoolOffer[];
}

/** False only if `disrupt` would have no commands, whatever pods there are. */
export function mayDisrupt(outlook: DisruptionOutlook): boolean {
  const { nodes, pools, frozenPools, resting, now } = outlook;
  const leaving = new Set(nodes.flatMap((node) => (node.leaving ? [node.name] : [])));
  for (const { due } of METHODS)
    for (const name of due?.({ nodes, now }).keys() ?? []) if (!leaving.has(name)) return true;
  const terms = new Map(
    pools.flatMap(({ pool, frozen }) =>
      frozen === true || frozenPools.has(pool.name) ? [] : [[pool.name, pool]],
    ),
  );
  const budgets = new NodeBudgets({ cluster: { pools }, nodes, now });
  const mayGo = (node: NodeLife, pool: NodePool, method: Method): boolean =>
    budgets.closed(method, node) === undefined &&
    budgets.refusal(method, node, () => 0) === undefined &&
    (method.consolidationType === undefined || consolidationRefusal({ node }, pool, { now }) === undefined);
  const searching = METHODS.filter(({ due }) => due === undefined);
  return nodes.some((node) => {
    const pool = terms.get(node.nodePool);
    if (pool === undefined || pool.replicas !== undefined) return false;
    if (node.leaving || !node.initialized || resting.has(node.name)) return false;
    return searching.some((method) => mayGo(node, pool, method));
  });
}
