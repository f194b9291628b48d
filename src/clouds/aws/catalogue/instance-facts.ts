/** What is known about an instance type, whether embedded or read from a catalog file. */

export interface InstanceFacts {
  readonly name: string;
  /** `amd64` or `arm64`. */
  readonly arch: string;
  readonly vcpu: number;
  /** Before the hypervisor takes its part. */
  readonly memoryMiB: number;
  /** Pods that the default network card has addresses for: interfaces × (addresses − 1) + 2, as EKS counts. */
  readonly maxPods: number;
  /** IPv4 addresses of one interface; Windows gives all but one of the first to pods. */
  readonly addressesPerInterface: number | undefined;
  /** Branch interfaces for pods with their own security groups; 0 when the type has none. */
  readonly branchInterfaces: number;
  /** Network cards, counted from 0, that take an Elastic Fabric Adapter, one each; empty when the type has none. */
  readonly efaCards: readonly number[];
  /** Whether instances can be launched with Nitro Enclaves; undefined when it is not known. */
  readonly nitroEnclaves: boolean | undefined;
  readonly gpu: Gpu | undefined;
  readonly accelerator: Accelerator | undefined;
  /** Local NVMe disks together; undefined when it has none. */
  readonly localStorageGB: number | undefined;
  /** Baseline of the network; undefined when AWS gives no figure. */
  readonly networkMbps: number | undefined;
  readonly ebsMbps: number | undefined;
  /** intel, amd or aws. */
  readonly cpuManufacturer: string | undefined;
  readonly clockMHz: number | undefined;
  /** nitro, xen, or empty on bare metal, as EC2 says. */
  readonly hypervisor: string | undefined;
  readonly encryptionInTransit: boolean | undefined;
  /** undefined when it is not known. */
  readonly attachments: Attachments | undefined;
}

/** What EC2 can attach. */
export interface Attachments {
  /** EBS volumes, the root volume among them. */
  readonly most: number;
  /** Whether the network interfaces after the first take of the same number. */
  readonly areShared: boolean;
}

export interface Gpu {
  /** Lower case with hyphens: `a10g`, `radeon-pro-v520`. */
  readonly name: string;
  /** nvidia, amd or habana. */
  readonly manufacturer: string;
  /** 0: a share of one. */
  readonly count: number;
  /** Of one GPU; 0 when unknown. */
  readonly memoryMiB: number;
}

/** AWS' own accelerators, Inferentia and Trainium. */
export interface Accelerator {
  readonly name: string;
  readonly manufacturer: string;
  readonly count: number;
  readonly coresPerDevice: number;
}
