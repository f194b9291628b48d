/** A catalogue as the contents of a catalog file. */
import type { InstanceType, Offering } from '../../../domain/nodes/instance-type.js';
import { formatAmount } from '../../../domain/values/resources.js';
import type { CatalogueFile, InstanceTypeRecord, OfferingRecord } from './catalogue-file.js';
import type { Catalogue } from './catalogue.js';
import type { InstanceFacts } from './instance-facts.js';

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
  const { zone, capacityType, price, estimated, reservation } = offering;
  return { zone, capacityType, price, ...(estimated && { estimated }), ...(reservation && { reservation }) };
}
