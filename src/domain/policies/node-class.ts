/** The part of an EC2NodeClass that decides what its nodes can hold; the rest stays a document for the launch. */
import type { ResourceList } from '../values/resources.js';

export const AMI_FAMILIES = [
  'AL2',
  'AL2023',
  'Bottlerocket',
  'Windows2019',
  'Windows2022',
  'Windows2025',
  'Custom',
] as const;
export type AmiFamily = (typeof AMI_FAMILIES)[number];

/** Kubelet settings that change allocatable. */
export interface KubeletSettings {
  readonly maxPods: number | undefined;
  readonly podsPerCore: number | undefined;
  readonly systemReserved: ResourceList;
  /** undefined: EKS' own curve. */
  readonly kubeReserved: ResourceList | undefined;
  /** Signal (`memory.available`, `nodefs.available`) → quantity or percentage. */
  readonly evictionHard: ReadonlyMap<string, string>;
}

export interface NodeClass {
  readonly name: string;
  readonly amiFamily: AmiFamily;
  readonly kubelet: KubeletSettings;
  /** Bytes of the root volume, which bounds ephemeral-storage. */
  readonly rootVolumeBytes: number;
  /** Bytes that it may have where pods need more; undefined where it is always the same. */
  readonly maxRootVolumeBytes?: number | undefined;
  /** Local NVMe disks are one RAID0 array for pods: they become the ephemeral storage. */
  readonly instanceStoreRaid0: boolean;
  /** Zones in which it has subnets; undefined while they are not known. */
  readonly zones: ReadonlySet<string> | undefined;
}
