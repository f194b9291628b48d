/**
 * The instance types of KWOK nodes: a file as Karpenter's KWOK provider takes it, or a generated list like the one that
 * provider comes with (12 sizes, 3 ratios of memory, 2 architectures, 4 zones).
 */
import type { CapacityType, InstanceType, Offering } from '../../domain/nodes/instance-type.js';
import type { NodeClass } from '../../domain/policies/node-class.js';
import { ARCH, CAPACITY_TYPE, INSTANCE_TYPE, OS, ZONE, type Labels } from '../../domain/values/labels.js';
import { QuantityError } from '../../domain/values/quantity.js';
import { CPU, MEMORY, parseAmount, PODS, type ResourceList } from '../../domain/values/resources.js';
import { JsonFields } from '../../catalogue/json-fields.js';
import { roundPrice } from '../../catalogue/price.js';
import type { InstanceCatalogue } from '../../ports/cloud.js';
import { isKwokNodeClass, type KwokSettings } from './kwok-node-class.js';

/** What offerings of a type differ in. */
const PLACE: ReadonlySet<string> = new Set([ZONE, CAPACITY_TYPE]);
/** Nodes of KWOK have no reserved capacity. */
const CAPACITY_TYPES: readonly CapacityType[] = ['spot', 'on-demand'];
const PREFIX = 'karpenter.kwok.sh/instance-';

export interface KwokOffering {
  readonly zone: string;
  readonly capacityType: CapacityType;
  /** USD/h. */
  readonly price: number;
  /** Instances that can exist at once; undefined: any number. */
  readonly count: number | undefined;
}

export interface KwokType {
  readonly name: string;
  readonly architecture: string;
  readonly operatingSystem: string;
  /** Further labels of its nodes, which NodePools may require. */
  readonly labels: Labels;
  readonly resources: ResourceList;
  readonly offerings: readonly KwokOffering[];
}

/** What nodes of a type have, and what they leave to pods under a node class. */
export function nodeResources(
  { resources }: Pick<KwokType, 'resources'>,
  { maxPods, reserved }: KwokSettings,
): Pick<InstanceType, 'capacity' | 'allocatable'> {
  const capacity = new Map(resources);
  if (maxPods !== undefined) capacity.set(PODS, maxPods);
  const left = [...capacity].map(([name, amount]) => [name, amount - (reserved.get(name) ?? 0)] as const);
  return { capacity, allocatable: new Map(left.filter(([, amount]) => amount > 0)) };
}

export class KwokCatalogue implements InstanceCatalogue {
  readonly types: readonly KwokType[];
  readonly #made = new Map<string, readonly InstanceType[]>();

  constructor(types: readonly KwokType[]) {
    this.types = types;
  }

  get instanceTypes(): readonly InstanceType[] {
    return this.#under({ maxPods: undefined, reserved: new Map() });
  }

  /** None for a node class of another cloud. */
  forNodeClass(nodeClass: NodeClass): readonly InstanceType[] {
    return isKwokNodeClass(nodeClass) ? this.#under(nodeClass.settings) : [];
  }

  #under(settings: KwokSettings): readonly InstanceType[] {
    const key = JSON.stringify([settings.maxPods, [...settings.reserved].sort()]);
    const known = this.#made.get(key) ?? this.types.map((type) => instanceType(type, settings));
    this.#made.set(key, known);
    return known;
  }
}

function instanceType(type: KwokType, settings: KwokSettings): InstanceType {
  const { name, architecture, offerings } = type;
  return {
    name,
    arch: architecture,
    labels: typeLabels(type),
    ...nodeResources(type, settings),
    offerings: offerings.map(({ zone, capacityType, price }): Offering => ({
      zone,
      capacityType,
      price,
      estimated: false,
      available: true,
    })),
  };
}

/** Those that Karpenter's KWOK provider sets. */
export function typeLabels(type: KwokType): Labels {
  const { name, architecture, operatingSystem, resources, labels } = type;
  const cpu = String((resources.get(CPU) ?? 0) / 1000);
  return new Map([
    ...labels,
    [ARCH, architecture],
    [OS, operatingSystem],
    [INSTANCE_TYPE, name],
    [`${PREFIX}family`, name.split(/[.-]/)[0] ?? name],
    [`${PREFIX}size`, /^\w+\.(\w+)$/.exec(name)?.[1] ?? cpu],
    [`${PREFIX}cpu`, cpu],
    [`${PREFIX}memory`, String(Math.floor((resources.get(MEMORY) ?? 0) / 2 ** 20))],
  ]);
}

const SIZES = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256];
/** GiB per core, with the first letter of the name. */
const RATIOS = [
  ['c', 2],
  ['s', 4],
  ['m', 8],
] as const;
const ZONES = ['test-zone-a', 'test-zone-b', 'test-zone-c', 'test-zone-d'];
const USD_PER_CORE = 0.025;
const USD_PER_GB = 0.001;
const SPOT_SHARE = 0.7;
const GIB = 2 ** 30;

/** The list that is used without a file. */
export function generatedTypes(): readonly KwokType[] {
  return SIZES.flatMap((cpu) =>
    RATIOS.flatMap(([family, ratio]) =>
      ['amd64', 'arm64'].map((architecture) => generatedType({ family, cpu, ratio, architecture })),
    ),
  );
}

function generatedType(parts: {
  readonly family: string;
  readonly cpu: number;
  readonly ratio: number;
  readonly architecture: string;
}): KwokType {
  const { family, cpu, ratio, architecture } = parts;
  const memory = cpu * ratio * GIB;
  const price = roundPrice(cpu * USD_PER_CORE + (memory / 1e9) * USD_PER_GB);
  return {
    name: `${family}-${String(cpu)}x-${architecture}-linux`,
    architecture,
    operatingSystem: 'linux',
    labels: new Map(),
    resources: new Map([
      [CPU, cpu * 1000],
      [MEMORY, memory],
      [PODS, Math.min(cpu * 16, 1024)],
      ['ephemeral-storage', 20 * GIB],
    ]),
    offerings: ZONES.flatMap((zone) => [
      { zone, capacityType: 'spot' as const, price: roundPrice(price * SPOT_SHARE), count: undefined },
      { zone, capacityType: 'on-demand' as const, price, count: undefined },
    ]),
  };
}

const TYPE_FIELDS = ['name', 'architecture', 'operatingSystems', 'resources', 'offerings'];
const OFFERING_FIELDS = ['Price', 'Available', 'Requirements', 'price', 'available', 'requirements', 'count'];

/**
 * Reads the parsed JSON of a file: an array of types, each with name, architecture, operatingSystems, resources (Kubernetes
 * quantities) and offerings (price in USD/h, requirements on zone and capacity type; `count` bounds how many instances exist
 * at once). Field names of offerings may begin with a capital letter, as Go writes them.
 * @throws RangeError with everything that is wrong.
 */
export function readInstanceTypes(value: unknown): readonly KwokType[] {
  const file = new JsonFields(
    { instanceTypes: value },
    { path: [], subject: 'file', known: ['instanceTypes'] },
  );
  const types = file.list('instanceTypes').map((item, index) => {
    const subject = `instance type number ${String(index + 1)}`;
    return readType(file.child(item, { path: [index], subject, known: TYPE_FIELDS }), subject);
  });
  const errors = file.issues.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const names = types.map(({ name }) => name);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) < index));
  for (const name of repeated) errors.push(`instance type ${name} is there more than once`);
  if (errors.length > 0) throw new RangeError(errors.join('\n'));
  return types;
}

function readType(fields: JsonFields, subject: string): KwokType {
  const systems = fields.has('operatingSystems') ? fields.list('operatingSystems') : ['linux'];
  const given = readResources(fields, subject);
  const offerings = fields.list('offerings').flatMap((item, index) => {
    const place = `${subject}, offering ${String(index + 1)}`;
    const child = fields.child(item, { path: ['offerings', index], subject: place, known: OFFERING_FIELDS });
    return readOffering(child) ?? [];
  });
  return {
    name: fields.text('name'),
    architecture: fields.oneOf('architecture', ['amd64', 'arm64']),
    operatingSystem: typeof systems[0] === 'string' ? systems[0] : 'linux',
    labels: sharedLabels(offerings),
    resources: new Map([[PODS, 110], ...given]),
    offerings: offerings.filter(({ isAvailable }) => isAvailable),
  };
}

/** Requirements on other labels, where all offerings have the same: as Karpenter's provider, which knows none of types. */
function sharedLabels(offerings: readonly ReadOffering[]): Labels {
  const [first, ...others] = offerings.map(({ labels }) => labels);
  const shared = [...(first ?? [])].filter(([key, value]) =>
    others.every((labels) => labels.get(key) === value),
  );
  return new Map(shared);
}

interface ReadOffering extends KwokOffering {
  readonly isAvailable: boolean;
  readonly labels: Labels;
}

function readResources(fields: JsonFields, subject: string): ResourceList {
  const value = fields.raw('resources');
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const amounts = fields.child(value, {
    path: ['resources'],
    subject: `${subject}, resources`,
    known: names,
  });
  return new Map(
    names.map((name): [string, number] => {
      try {
        return [name, parseAmount(name, amounts.text(name))];
      } catch (error) {
        if (!(error instanceof QuantityError)) throw error;
        amounts.error(name, `must be a Kubernetes quantity: ${error.message}`);
        return [name, 0];
      }
    }),
  );
}

function readOffering(fields: JsonFields): ReadOffering | undefined {
  const either = (name: string): string =>
    fields.has(name) ? name : name.charAt(0).toUpperCase() + name.slice(1);
  const required = new Map(
    fields.list(either('requirements')).map((item): [unknown, unknown] => {
      const { key, values } = item as { readonly key?: unknown; readonly values?: readonly unknown[] };
      return [key, values?.[0]];
    }),
  );
  const zone = required.get(ZONE);
  const capacityType = CAPACITY_TYPES.find((each) => each === required.get(CAPACITY_TYPE));
  const price = fields.number(either('price'), 0);
  if (typeof zone !== 'string' || capacityType === undefined) {
    fields.error(
      either('requirements'),
      `must name a ${ZONE} and a ${CAPACITY_TYPE} of ${CAPACITY_TYPES.join(', ')}`,
    );
    return undefined;
  }
  const labels = [...required].filter(
    (each): each is [string, string] =>
      typeof each[0] === 'string' && typeof each[1] === 'string' && !PLACE.has(each[0]),
  );
  return {
    ...{ zone, capacityType, price, labels: new Map(labels) },
    count: fields.has('count') ? fields.integer('count', 0) : undefined,
    isAvailable: fields.raw(either('available')) !== false,
  };
}
