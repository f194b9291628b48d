/** Reads a catalog file into a catalogue, with every issue at once. */
import {
  CAPACITY_TYPES,
  type Offering,
  type OfferingReservation,
} from '../../../../domain/nodes/instance-type.js';
import { QuantityError } from '../../../../domain/values/quantity.js';
import { parseAmount, type ResourceList } from '../../../../domain/values/resources.js';
import { isSameMap } from '../../../../domain/values/same.js';
import { allocatableFor } from '../allocatable.js';
import { Catalogue, type CatalogueEntry } from '../catalogue.js';
import { DEFAULT_NODE_CLASS } from '../default-node-class.js';
import { embeddedTypes } from '../embedded/embedded-types.js';
import type { Gpu, InstanceFacts } from '../instance-facts.js';
import { JsonFields, type CatalogueIssue } from '../../../../catalogue/json-fields.js';

export interface CatalogueReading {
  /** undefined when one of the issues is an error. */
  readonly catalogue: Catalogue | undefined;
  readonly issues: readonly CatalogueIssue[];
}

const TYPE_FIELDS = [
  ...[
    'name',
    'vcpu',
    'memoryMiB',
    'arch',
    'gpu',
    'maxPods',
    'localStorageGB',
    'networkMbps',
    'allocatable',
    'offerings',
  ],
];
const GPU_FIELDS = ['name', 'manufacturer', 'count', 'memoryMiB'];
const OFFERING_FIELDS = ['zone', 'zoneID', 'capacityType', 'price', 'estimated', 'reservation'];
const RESERVATION_FIELDS = ['id', 'count'];
/** What is unknown of a type that only the file knows. */
const UNKNOWN = {
  addressesPerInterface: undefined,
  branchInterfaces: 0,
  efaCards: [],
  nitroEnclaves: undefined,
  accelerator: undefined,
  ebsMbps: undefined,
  cpuManufacturer: undefined,
  clockMHz: undefined,
  hypervisor: undefined,
  encryptionInTransit: undefined,
  attachments: undefined,
};
const ARCHITECTURES = ['amd64', 'arm64'] as const;
const GPU_MANUFACTURERS = ['nvidia', 'amd', 'habana'] as const;

/**
 * Reads the parsed JSON of a catalog file. For types that the embedded catalogue knows by name, what the file does not say is known
 * from there; for others family, category, generation and size are read from the name. An `allocatable` equal to what would be
 * computed counts as not given, so that node classes still change it.
 */
export function readCatalogueFile(value: unknown): CatalogueReading {
  const document = new JsonFields(value, {
    path: [],
    subject: 'catalog',
    known: ['region', 'instanceTypes'],
  });
  const region = document.text('region');
  const entries = document.list('instanceTypes').map((type, index) => readType(document, type, index));
  for (const name of repeated(entries.map(({ facts }) => facts.name))) {
    document.error('instanceTypes', `must have distinct names, but ${name} is there more than once`);
  }
  const failed = document.issues.some(({ severity }) => severity === 'error');
  return { catalogue: failed ? undefined : new Catalogue({ region, entries }), issues: document.issues };
}

function readType(document: JsonFields, value: unknown, index: number): CatalogueEntry {
  const subject = `instance type ${nameIn(value) ?? `number ${String(index + 1)}`}`;
  const fields = document.child(value, { path: ['instanceTypes', index], subject, known: TYPE_FIELDS });
  const facts = readFacts(fields, subject);
  const given = fields.has('allocatable') ? readAllocatable(fields, subject) : undefined;
  const { allocatable } = allocatableFor(facts, DEFAULT_NODE_CLASS);
  return {
    facts,
    allocatable: given && !isSameMap(given, allocatable) ? given : undefined,
    offerings: readOfferings(fields, subject),
  };
}

/** The name, where there is one, for messages. */
function nameIn(value: unknown): string | undefined {
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function readFacts(fields: JsonFields, subject: string): InstanceFacts {
  const name = fields.text('name');
  const known = embeddedTypes().get(name)?.facts;
  const unlessSilent = (field: 'localStorageGB' | 'networkMbps') =>
    fields.has(field) ? unlessZero(fields.number(field, 0)) : known?.[field];
  return {
    ...(known ?? UNKNOWN),
    name,
    vcpu: fields.integer('vcpu', 1),
    memoryMiB: fields.integer('memoryMiB', 1),
    arch: fields.oneOf('arch', ARCHITECTURES),
    maxPods: fields.integer('maxPods', 0),
    gpu: fields.has('gpu') ? readGpu(fields, subject, known?.gpu) : known?.gpu,
    localStorageGB: unlessSilent('localStorageGB'),
    networkMbps: unlessSilent('networkMbps'),
  };
}

function unlessZero(value: number): number | undefined {
  return value === 0 ? undefined : value;
}

/** A memory of 0 says that it is unknown: the embedded figure stands if it is the same GPU. */
function readGpu(fields: JsonFields, subject: string, known: Gpu | undefined): Gpu {
  const place = { path: ['gpu'], subject: `${subject}, gpu`, known: GPU_FIELDS };
  const gpu = fields.child(fields.raw('gpu'), place);
  const name = gpu.text('name');
  const memoryMiB = gpu.has('memoryMiB') ? gpu.number('memoryMiB', 0) : 0;
  return {
    name,
    manufacturer: gpu.oneOf('manufacturer', GPU_MANUFACTURERS),
    count: gpu.integer('count', 0),
    memoryMiB: memoryMiB === 0 && known?.name === name ? known.memoryMiB : memoryMiB,
  };
}

function readAllocatable(fields: JsonFields, subject: string): ResourceList {
  const value = fields.raw('allocatable');
  const resources = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const place = { path: ['allocatable'], subject: `${subject}, allocatable`, known: resources };
  const amounts = fields.child(value, place);
  return new Map(resources.map((resource) => [resource, readAmount(amounts, resource)]));
}

function readAmount(amounts: JsonFields, resource: string): number {
  try {
    return parseAmount(resource, amounts.text(resource));
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    amounts.error(resource, `must be a Kubernetes quantity: ${error.message}`);
    return 0;
  }
}

function readOfferings(fields: JsonFields, subject: string): readonly Offering[] {
  const offerings = fields.list('offerings').map((value, index) => {
    const place = {
      path: ['offerings', index],
      subject: `${subject}, offering ${String(index + 1)}`,
      known: OFFERING_FIELDS,
    };
    return readOffering(fields.child(value, place), place.subject);
  });
  for (const twice of repeated(offerings.map(offeringName))) {
    fields.error('offerings', `must be distinct, but ${twice} is there more than once`);
  }
  return offerings;
}

function readOffering(fields: JsonFields, subject: string): Offering {
  return {
    zone: fields.text('zone'),
    ...(fields.has('zoneID') && { zoneID: fields.text('zoneID') }),
    capacityType: fields.oneOf('capacityType', CAPACITY_TYPES),
    price: fields.number('price', 0),
    estimated: fields.raw('estimated') === true,
    available: true,
    ...(fields.has('reservation') && { reservation: readReservation(fields, subject) }),
  };
}

function readReservation(fields: JsonFields, subject: string): OfferingReservation {
  const place = { path: ['reservation'], subject: `${subject}, reservation`, known: RESERVATION_FIELDS };
  const reservation = fields.child(fields.raw('reservation'), place);
  if (fields.raw('capacityType') !== 'reserved')
    fields.error('reservation', 'belongs to offerings of capacityType reserved only');
  return { id: reservation.text('id'), count: reservation.integer('count', 0) };
}

/** What an offering must not have in common with another of its type. */
function offeringName({ zone, capacityType, reservation }: Offering): string {
  return `${capacityType} in ${zone}${reservation === undefined ? '' : ` by ${reservation.id}`}`;
}

/** What occurs more than once, each once. */
function repeated(values: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(values.filter((value) => seen.size === seen.add(value).size));
}
