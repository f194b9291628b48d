/** The shape of the generated data: a row per family, in it a row per size. */

export interface FamilyRow {
  readonly family: string;
  /** Manufacturer of the CPU: intel, amd, or aws, whose Graviton is arm64. */
  readonly cpu: string;
  /** Of the sizes that are not bare metal. */
  readonly hypervisor: string;
  readonly encryptionInTransit: boolean;
  /** Estimated share of the on-demand price; 0 when EC2 does not sell the family on spot. */
  readonly spotRatio: number;
  /** vCPUs from which its sizes that are not bare metal have Nitro Enclaves; absent where none has. */
  readonly enclavesFrom?: number;
  readonly device?: DeviceRow;
  readonly sizes: readonly SizeRow[];
}

export interface DeviceRow {
  readonly name: string;
  readonly manufacturer: string;
  /** NeuronCores of one device; a GPU has none. */
  readonly cores?: number;
}

export type SizeRow = readonly [
  size: string,
  vcpu: number,
  memoryMiB: number,
  interfaces: number,
  addressesPerInterface: number,
  /** USD/h for Linux, on demand, in us-east-1. */
  price: number,
  networkMbps: number,
  ebsMbps: number,
  branchInterfaces: number,
  localStorageGB: number,
  clockMHz: number,
  efaInterfaces: number,
  devices?: number,
  deviceMiB?: number,
];
