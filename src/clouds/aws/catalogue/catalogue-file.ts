/** The catalog file: instance types and their offerings as JSON, what `berth plan --catalog` reads and `berth catalog` prints. */

export interface CatalogueFile {
  readonly region: string;
  readonly instanceTypes: readonly InstanceTypeRecord[];
}

export interface InstanceTypeRecord {
  readonly name: string;
  readonly vcpu: number;
  readonly memoryMiB: number;
  /** `amd64` or `arm64`. */
  readonly arch: string;
  readonly gpu?: GpuRecord;
  readonly maxPods: number;
  readonly localStorageGB?: number;
  readonly networkMbps?: number;
  /** Kubernetes quantities; in place of what would be computed from the other fields. */
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly offerings: readonly OfferingRecord[];
}

interface GpuRecord {
  readonly name: string;
  /** `nvidia`, `amd` or `habana`. */
  readonly manufacturer: string;
  readonly count: number;
  /** Of one GPU; 0 when unknown. */
  readonly memoryMiB: number;
}

export interface OfferingRecord {
  readonly zone: string;
  /** `on-demand`, `spot` or `reserved`. */
  readonly capacityType: string;
  /** USD/h. */
  readonly price: number;
  /** Present when the price is an estimate. */
  readonly estimated?: true;
  /** Of `reserved`: the capacity reservation, and how many instances it still has; without it there is no limit. */
  readonly reservation?: { readonly id: string; readonly count: number };
}
