/** DescribeInstanceTypes and DescribeInstanceTypeOfferings. */
import type { InstanceFacts } from '../../../../src/clouds/aws/catalogue/index.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';
import { applyFilters, type FilterFields } from '../query/filters.js';
import { instanceTypeXml } from './instance-type-xml.js';
import type { Offerings } from './offerings.js';
import { pageOf } from '../../protocol/paging.js';
import type { Zone } from '../network/zone.js';

const TYPE_LIMITS = { min: 5, max: 100, usual: 100 };
const MAX_NAMES = 100;
const OFFERING_LIMITS = { min: 5, max: 1000, usual: 1000 };

export function describeInstanceTypes(query: QueryNode, offerings: Offerings): XmlStructure {
  const names = query.texts('InstanceType');
  if (names.length > MAX_NAMES)
    throw new ServiceError('InvalidParameterValue', 'A request may name at most 100 instance types');
  const unknown = names.filter((name) => offerings.facts(name) === undefined);
  if (unknown.length > 0)
    throw new ServiceError(
      'InvalidInstanceType',
      `The following supplied instance types do not exist: [${unknown.join(', ')}]`,
    );
  const named = offerings.types.filter(({ name }) => names.length === 0 || names.includes(name));
  const found = applyFilters(query, named, { fields: typeFields(offerings) });
  const { items, nextToken } = pageOf(query, found, TYPE_LIMITS);
  return {
    instanceTypeSet: items.map((facts) => instanceTypeXml(facts, offerings.isSoldOnSpot(facts.name))),
    nextToken,
  };
}

function typeFields(offerings: Offerings): FilterFields<InstanceFacts> {
  return {
    'instance-type': ({ name }) => name,
    'processor-info.supported-architecture': ({ arch }) => (arch === 'arm64' ? 'arm64' : 'x86_64'),
    'supported-virtualization-type': () => 'hvm',
    'supported-root-device-type': () => 'ebs',
    'supported-usage-class': ({ name }) =>
      offerings.isSoldOnSpot(name) ? ['on-demand', 'spot'] : ['on-demand'],
    'bare-metal': ({ hypervisor }) => String(hypervisor === ''),
    hypervisor: ({ hypervisor }) => (hypervisor === '' ? undefined : hypervisor),
    'instance-storage-supported': ({ localStorageGB }) => String(localStorageGB !== undefined),
    'vcpu-info.default-vcpus': ({ vcpu }) => String(vcpu),
    'memory-info.size-in-mib': ({ memoryMiB }) => String(memoryMiB),
  };
}

interface OfferingRow {
  readonly instanceType: string;
  readonly location: string;
}

export function describeInstanceTypeOfferings(
  query: QueryNode,
  offerings: Offerings,
  { region, zones }: { readonly region: string; readonly zones: readonly Zone[] },
): XmlStructure {
  const locationType = query.text('LocationType') ?? 'region';
  const locate = locator(locationType, region, zones);
  const rows = offerings.types.flatMap(({ name }) =>
    locate(offerings.zones(name)).map((location): OfferingRow => ({ instanceType: name, location })),
  );
  const fields: FilterFields<OfferingRow> = {
    'instance-type': ({ instanceType }) => instanceType,
    location: ({ location }) => location,
  };
  const { items, nextToken } = pageOf(query, applyFilters(query, rows, { fields }), OFFERING_LIMITS);
  return {
    instanceTypeOfferingSet: items.map(({ instanceType, location }) => ({
      instanceType,
      locationType,
      location,
    })),
    nextToken,
  };
}

/** What a type's zones are called where the caller asks for this kind of location. */
function locator(
  locationType: string,
  region: string,
  zones: readonly Zone[],
): (names: readonly string[]) => readonly string[] {
  switch (locationType) {
    case 'region':
      return (names) => (names.length > 0 ? [region] : []);
    case 'availability-zone':
      return (names) => names;
    case 'availability-zone-id':
      return (names) => zones.filter(({ name }) => names.includes(name)).map(({ id }) => id);
    default:
      throw new ServiceError(
        'InvalidParameterValue',
        `Value (${locationType}) for parameter locationType is invalid. Allowed: region, availability-zone, availability-zone-id.`,
      );
  }
}
