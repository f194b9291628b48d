/** The input of planning for tests: an empty cluster with one pool over the small catalogue. */
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { poolOffer } from './node-pool.js';

export function clusterInput(overrides: Partial<ClusterInput> = {}): ClusterInput {
  return {
    pods: [],
    nodes: [],
    daemonSets: [],
    pools: [poolOffer()],
    persistentVolumeClaims: [],
    persistentVolumes: [],
    storageClasses: [],
    namespaces: new Map(),
    ...overrides,
  };
}
