/** Requests as lists of objects, and back: what is in no list of theirs goes along as an object of one of its own. */
import type { InstanceType } from '../../domain/instance-type.js';
import type { DisruptionInput } from '../../planning/disrupt/disruption.js';
import type { ClusterInput, PoolOffer } from '../../planning/snapshot/cluster-input.js';
import type { ListName, PlannerTask } from './message.js';

/** What is left of a pool's offer without its pool, which is in the list of pools at the same index. */
export interface ToldOffer {
  /** Of the pool. */
  readonly name: string;
  /** Index of the list of its types. */
  readonly types: number | undefined;
  readonly rest: Omit<PoolOffer, 'pool' | 'instanceTypes'>;
}

/** What of the cluster is in no list. */
export type ClusterRest = Omit<
  ClusterInput,
  | 'pods'
  | 'nodes'
  | 'daemonSets'
  | 'pools'
  | 'persistentVolumeClaims'
  | 'persistentVolumes'
  | 'storageClasses'
  | 'namespaces'
>;

/** What changes with every request about disruption. */
export type Moment = Pick<DisruptionInput, 'now' | 'cursor'>;

/** What else of a disruption's input is in no list. */
export type DisruptionRest = Omit<
  DisruptionInput,
  'cluster' | 'nodes' | 'pods' | 'podDisruptionBudgets' | 'workloads' | keyof Moment
>;

export interface ToldTask {
  readonly lists: readonly (readonly [ListName, readonly object[]])[];
  /** Each list once: pools of one node class share theirs. */
  readonly types: readonly (readonly InstanceType[])[];
  /** undefined for a plan. */
  readonly moment: Moment | undefined;
}

export function toldTask(task: PlannerTask): ToldTask {
  if (task.kind === 'plan') {
    const { input, options } = task.request;
    const { lists, types } = toldCluster(input);
    return { lists: [...lists, ['planOptions', [options]]], types, moment: undefined };
  }
  const { input, options } = task.request;
  const { cluster, nodes, pods, podDisruptionBudgets, workloads, now, cursor, ...rest } = input;
  const { lists, types } = toldCluster(cluster);
  return {
    lists: [
      ...lists,
      ['managedNodes', nodes],
      ['observedPods', pods],
      ['podDisruptionBudgets', podDisruptionBudgets],
      ['workloads', workloads],
      ['disruptionOptions', [options]],
      ['disruptionRest', [rest]],
    ],
    types,
    moment: { now, cursor },
  };
}

function toldCluster(input: ClusterInput): Pick<ToldTask, 'lists' | 'types'> {
  const { pods, nodes, daemonSets, pools, namespaces, ...others } = input;
  const { persistentVolumeClaims, persistentVolumes, storageClasses, ...rest } = others;
  const types: (readonly InstanceType[])[] = [];
  const offers = pools.map(({ pool, instanceTypes, ...others }): ToldOffer => ({
    name: pool.name,
    types: instanceTypes && indexIn(types, instanceTypes),
    rest: others,
  }));
  return {
    lists: [
      ['daemonSets', daemonSets],
      ['pools', pools.map(({ pool }) => pool)],
      ['offers', offers],
      ['persistentVolumeClaims', persistentVolumeClaims],
      ['persistentVolumes', persistentVolumes],
      ['storageClasses', storageClasses],
      ['namespaces', [...namespaces].map(([name, labels]) => ({ name, labels }))],
      ['clusterRest', [rest]],
      ['nodes', nodes],
      ['pods', pods],
    ],
    types,
  };
}

/** Where it is in the list, to whose end it is put when it is not. */
function indexIn<T>(list: T[], element: T): number {
  const index = list.indexOf(element);
  return index >= 0 ? index : list.push(element) - 1;
}
