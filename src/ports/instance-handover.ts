/** Instances that change hands between Karpenter and Berth, as a port. Its calls are made with the operator's credentials. */
import type { Labels } from '../domain/values/labels.js';
import { CLUSTER_TAG, LAUNCH_GROUP_TAG, NODECLAIM_TAG, NODEPOOL_TAG, ownerTags } from './cloud.js';
import type { CloudInstance, ClusterIdentity } from './cloud.js';

/** What Karpenter's tags on an instance say. */
export interface KarpenterInstance {
  readonly nodeClaim: string;
  readonly nodePool: string;
  readonly nodeClass: string;
}

/** Every call may be repeated, has a time-out and fails with a PortError. */
export interface InstanceHandover {
  /** Keys of the tags by which Karpenter finds its instances; empty in a cloud where it has none. */
  readonly karpenterTagKeys: readonly string[];
  /** The tags that Karpenter has on an instance: a value for each key. */
  karpenterTags(instance: KarpenterInstance): Labels;
  /** What else would replace or terminate the instance, and what to do about it, in words; undefined when nothing would. */
  manager(instance: CloudInstance | undefined): string | undefined;
  /** Those of these provider IDs that the cloud knows, of all controllers. */
  instances(providerIDs: readonly string[], signal?: AbortSignal): Promise<readonly CloudInstance[]>;
  /** @throws PortError NotFound, when there is no such instance. */
  addTags(id: string, tags: Labels, signal?: AbortSignal): Promise<void>;
  /** Whatever their values are; one that is not there is no error. */
  removeTags(id: string, keys: readonly string[], signal?: AbortSignal): Promise<void>;
}

/** Keys of Berth's own tags. `kubernetes.io/cluster/<name>` is Karpenter's, too, and stays. */
export const BERTH_TAG_KEYS: readonly string[] = [CLUSTER_TAG, NODEPOOL_TAG, LAUNCH_GROUP_TAG, NODECLAIM_TAG];

/** What Berth needs on an instance that it did not launch. Its Name stays. */
export function adoptedTags(
  cluster: ClusterIdentity,
  { nodePool, nodeClaim }: { readonly nodePool: string; readonly nodeClaim: string },
): Labels {
  return new Map([...ownerTags(cluster), [NODEPOOL_TAG, nodePool], [NODECLAIM_TAG, nodeClaim]]);
}
