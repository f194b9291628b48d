/** The catalog file: instance types and their offerings as JSON, what `berth plan --catalog` reads and `berth catalog` prints. */
import type { InstanceType, Offering } from '../../../../domain/nodes/instance-type.js';
import { formatAmount } from '../../../../domain/values/resources.js';
import type { Catalogue } from '../catalogue.js';
import type { InstanceFacts } from '../instance-facts.js';

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
  /** `euw3-az1`; present when it is known. */
  readonly zoneID?: string;
  /** `on-demand`, `spot` or `reserved`. */
  readonly capacityType: string;
  /** USD/h. */
  readonly price: number;
  /** Present when the price is an estimate. */
  readonly estimated?: true;
  /** Of `reserved`: the capacity reservation, and how many instances it still has; without it there is no limit. */
  readonly reservation?: { readonly id: string; readonly count: number };
}

/**
 * The file of a catalogue, or of some of its types, filtered and sorted as they may be. Allocatable is always written, so
 * that the file says what was planned with; read back it is recognised as what would have been computed.
 * @throws RangeError when a type is not of this catalogue.
 */
export function writeCatalogueFile(
  catalogue: Catalogue,
  types: readonly InstanceType[] = catalogue.instanceTypes,
): CatalogueFile {
  const facts = new Map(catalogue.entries.map((entry) => [entry.facts.name, entry.facts]));
  const instanceTypes = types.map((type) => {
    const known = facts.get(type.name);
    if (!known)
      throw new RangeError(`instance type ${type.name}: not in the catalogue of ${catalogue.region}`);
    return typeRecord(known, type);
  });
  return { region: catalogue.region, instanceTypes };
}

function typeRecord(facts: InstanceFacts, { allocatable, offerings }: InstanceType): InstanceTypeRecord {
  const { name, vcpu, memoryMiB, arch, gpu, maxPods, localStorageGB, networkMbps } = facts;
  const amounts = [...allocatable].map(([resource, amount]) => [resource, formatAmount(resource, amount)]);
  return {
    ...{ name, vcpu, memoryMiB, arch },
    ...(gpu && { gpu: { ...gpu } }),
    maxPods,
    ...(localStorageGB !== undefined && { localStorageGB }),
    ...(networkMbps !== undefined && { networkMbps }),
    allocatable: Object.fromEntries(amounts) as Readonly<Record<string, string>>,
    offerings: offerings.map(offeringRecord),
  };
}

function offeringRecord(offering: Offering): OfferingRecord {
  const { zone, zoneID, capacityType, price, estimated, reservation } = offering;
  return {
    zone,
    ...(zoneID !== undefined && { zoneID }),
    capacityType,
    price,
    ...(estimated && { estimated }),
    ...(reservation && { reservation }),
  };
}
