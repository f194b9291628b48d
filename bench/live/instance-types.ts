/** The embedded catalogue as a file of instance types for KWOK: both systems read the same file. */
import { writeFileSync } from 'node:fs';
import { catalogueFor } from '../../src/clouds/aws/catalogue/index.js';
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import { CAPACITY_TYPE, INSTANCE_PREFIX, ZONE } from '../../src/domain/values/labels.js';
import { CPU, formatAmount, MEMORY } from '../../src/domain/values/resources.js';

const REGION = 'us-east-1';
const CATEGORIES: ReadonlySet<string> = new Set(['c', 'm', 'r']);
const SIZES: ReadonlySet<string> = new Set(['large', 'xlarge', '2xlarge', '4xlarge']);
const ZONES = 3;
/** Of resources that every node of Karpenter's KWOK provider reserves, and of ours unless a KWOKNodeClass says otherwise. */
const RESERVED: ReadonlyMap<string, number> = new Map([
  [CPU, 100],
  [MEMORY, 10 * 2 ** 20],
]);
/** Labels that NodePools may ask for. */
const LABELS = ['category', 'family', 'generation', 'size'].map((name) => `${INSTANCE_PREFIX}${name}`);

/** USD/h by instance type, zone and capacity type, as `priceKey` joins them. */
export type Prices = ReadonlyMap<string, number>;

export function priceKey(instanceType = '', zone = '', capacityType = ''): string {
  return `${instanceType} ${zone} ${capacityType}`;
}

/** Writes general, compute and memory optimized types of up to 16 vCPU, in three zones, on demand. */
export function writeInstanceTypes(path: string): Prices {
  const types = catalogueFor(REGION).instanceTypes.filter(({ labels }) => {
    const [category, , , size] = LABELS.map((key) => labels.get(key) ?? '');
    return CATEGORIES.has(category ?? '') && SIZES.has(size ?? '');
  });
  const zones = [...new Set(types.flatMap(({ offerings }) => offerings.map(({ zone }) => zone)))]
    .sort()
    .slice(0, ZONES);
  const prices = new Map<string, number>();
  const file = types.map((type) => {
    const offerings = type.offerings.filter(
      ({ zone, capacityType }) => zones.includes(zone) && capacityType === 'on-demand',
    );
    for (const { zone, capacityType, price } of offerings)
      prices.set(priceKey(type.name, zone, capacityType), price);
    return {
      name: type.name,
      architecture: type.arch,
      operatingSystems: ['linux'],
      resources: resources(type),
      offerings: offerings.map(({ zone, capacityType, price }) => ({
        Price: price,
        Available: true,
        Requirements: [
          one(ZONE, zone),
          one(CAPACITY_TYPE, capacityType),
          ...LABELS.map((key) => one(key, type.labels.get(key) ?? '')),
        ],
      })),
    };
  });
  writeFileSync(path, JSON.stringify(file));
  return prices;
}

/** What the nodes leave to pods is what the catalogue says. */
function resources({ allocatable }: InstanceType): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...allocatable].map(([name, amount]) => [name, formatAmount(name, amount + (RESERVED.get(name) ?? 0))]),
  );
}

function one(key: string, value: string): unknown {
  return { key, operator: 'In', values: [value] };
}
