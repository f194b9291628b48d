/**
 * The cluster that consolidation is measured on: the half-full one of `bench/run disruptor`, here in two NodePools. A neutral
 * workload, so that the planner can be asked about the same cluster.
 */
import type { Catalogue } from '../../../src/clouds/aws/catalogue/index.js';
import type { DisruptionBudget } from '../../../src/domain/policies/budget.js';
import { halfFullNodes } from '../../workloads/half-full.js';
import { zonesOf } from '../../workloads/instance-types.js';
import { OWN_SEED } from '../../workloads/named-workloads.js';
import { AGENTS, defaultPool } from '../../workloads/pools.js';
import type { NeutralPool, Workload } from '../../workloads/workload.js';

export interface HalfFullPool {
  readonly name: string;
  /** Of five nodes in a row, how many are of the pool. */
  readonly ofFive: number;
  /** As a NodePool has it; undefined: the default, a tenth of its nodes. */
  readonly budgets: readonly { readonly nodes: string }[] | undefined;
  /** The same as a judge counts it. */
  readonly budget: DisruptionBudget['nodes'];
}

export const HALF_FULL_POOLS: readonly HalfFullPool[] = [
  { name: 'general', ofFive: 4, budgets: undefined, budget: { percent: 10 } },
  { name: 'counted', ofFive: 1, budgets: [{ nodes: '20' }], budget: { count: 20 } },
];

export function halfFullCluster(
  { instanceTypes }: Catalogue,
  { nodes, podsPerNode }: { readonly nodes: number; readonly podsPerNode: number },
): Workload {
  const made = halfFullNodes({ nodes, podsPerNode, zones: zonesOf(instanceTypes), seed: OWN_SEED });
  const turns = HALF_FULL_POOLS.flatMap(({ name, ofFive }) => Array.from({ length: ofFive }, () => name));
  return {
    name: 'half-full',
    seed: OWN_SEED,
    nodePools: HALF_FULL_POOLS.map(neutral),
    daemonsets: AGENTS,
    pods: [],
    nodes: made.map((node, index) => ({ ...node, nodePool: turns[index % turns.length] ?? '' })),
  };
}

/** Of the instance types that the workload's own pool has. */
function neutral({ name }: HalfFullPool): NeutralPool {
  return { ...defaultPool('on-demand'), name };
}
