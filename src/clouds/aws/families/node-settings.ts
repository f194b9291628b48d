/** What of an EC2NodeClass decides what its nodes can hold. */
import type { NodeClass } from '../../../domain/policies/node-class.js';
import type { ResourceList } from '../../../domain/values/resources.js';
import type { AmiFamily } from './families.js';
import type { KubeletExpressions } from './kubelet-expressions.js';

/** Kubelet settings that change allocatable. */
export interface KubeletSettings {
  readonly maxPods: number | undefined;
  readonly podsPerCore: number | undefined;
  readonly systemReserved: ResourceList;
  /** undefined: EKS' own curve. */
  readonly kubeReserved: ResourceList | undefined;
  /** Signal (`memory.available`, `nodefs.available`) → quantity or percentage. */
  readonly evictionHard: ReadonlyMap<string, string>;
  /** What is given by an expression, and is in none of the above; undefined: nothing. */
  readonly expressions?: KubeletExpressions | undefined;
}

export interface NodeSettings {
  readonly amiFamily: AmiFamily;
  readonly kubelet: KubeletSettings;
  /** Bytes of the root volume, which bounds ephemeral-storage. */
  readonly rootVolumeBytes: number;
  /** Bytes that it may have where pods need more; undefined where it is always the same. */
  readonly maxRootVolumeBytes?: number | undefined;
  /** EBS volumes that an instance is launched with, the root volume among them; 1 unless given. */
  readonly volumes?: number | undefined;
  /** Nodes are launched with Nitro Enclaves: types without them are excluded. false unless given. */
  readonly nitroEnclaves?: boolean | undefined;
  /** Elastic Fabric Adapters of its own network interfaces; undefined where it names no interfaces. */
  readonly efaInterfaces?: number | undefined;
  /** Local NVMe disks are one RAID0 array for pods: they become the ephemeral storage. */
  readonly instanceStoreRaid0: boolean;
}

/** Whether a node class is one of this cloud's. */
export function hasNodeSettings(nodeClass: NodeClass | NodeSettings): nodeClass is NodeSettings {
  return 'amiFamily' in nodeClass;
}
