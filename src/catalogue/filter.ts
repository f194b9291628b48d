/** Choosing instance types by what they have, and putting them in order: what `berth catalog` does with its options. */
import type { InstanceType, Offering } from '../domain/nodes/instance-type.js';
import { INSTANCE_PREFIX } from '../domain/values/labels.js';
import { isWithin, type NumberRange } from './range.js';

/** Every part that is given must hold; what is undefined does not matter. */
export interface CatalogueFilter {
  /** vCPUs. */
  readonly cpu?: NumberRange | undefined;
  readonly memoryGiB?: NumberRange | undefined;
  /** GPUs; a type without any has 0. */
  readonly gpu?: NumberRange | undefined;
  readonly generation?: NumberRange | undefined;
  readonly arch?: string | undefined;
  readonly families?: ReadonlySet<string> | undefined;
  readonly categories?: ReadonlySet<string> | undefined;
  readonly capacityType?: string | undefined;
  readonly zone?: string | undefined;
}

/** Types that the filter lets through, in their order, with those of their offerings that it lets through: at least one. */
export function filterCatalogue(
  types: readonly InstanceType[],
  filter: CatalogueFilter,
): readonly InstanceType[] {
  return types.flatMap((type) => {
    if (!isChosen(type, filter)) return [];
    const offerings = type.offerings.filter((offering) => isOffered(offering, filter));
    if (offerings.length === type.offerings.length) return offerings.length > 0 ? [type] : [];
    return offerings.length > 0 ? [{ ...type, offerings }] : [];
  });
}

function isChosen(type: InstanceType, filter: CatalogueFilter): boolean {
  const { arch, families, categories } = filter;
  const ranges: readonly (readonly [NumberRange | undefined, number])[] = [
    [filter.cpu, vcpuOf(type)],
    [filter.memoryGiB, memoryGiBOf(type)],
    [filter.gpu, numberOf(type, 'gpu-count')],
    [filter.generation, numberOf(type, 'generation')],
  ];
  return (
    ranges.every(([range, value]) => range === undefined || isWithin(range, value)) &&
    (arch === undefined || arch === type.arch) &&
    (families === undefined || families.has(labelOf(type, 'family'))) &&
    (categories === undefined || categories.has(labelOf(type, 'category')))
  );
}

function isOffered(offering: Offering, { capacityType, zone }: CatalogueFilter): boolean {
  return (
    (capacityType === undefined || capacityType === offering.capacityType) &&
    (zone === undefined || zone === offering.zone)
  );
}

export const CATALOGUE_SORT_KEYS = ['name', 'price', 'cpu', 'memory', 'price-per-cpu'] as const;
export type CatalogueSortKey = (typeof CATALOGUE_SORT_KEYS)[number];

/**
 * The types from the least to the most, equal ones by price and then by name; `name` sorts by family and within it by size.
 * The price is that of the cheapest offering.
 */
export function sortCatalogue(
  types: readonly InstanceType[],
  key: CatalogueSortKey,
): readonly InstanceType[] {
  const measures = key === 'name' ? [] : [MEASURES[key], cheapestPrice];
  return [...types].sort((left, right) => {
    for (const measure of measures) {
      const [less, more] = [measure(left), measure(right)];
      if (less !== more) return less < more ? -1 : 1;
    }
    return compareNames(left, right);
  });
}

const MEASURES = {
  price: cheapestPrice,
  cpu: vcpuOf,
  memory: memoryGiBOf,
  'price-per-cpu': (type: InstanceType) => cheapestPrice(type) / vcpuOf(type),
} as const;

/** USD/h of the cheapest offering; Infinity without any. */
export function cheapestPrice(type: InstanceType): number {
  return type.offerings.reduce((least, { price }) => Math.min(least, price), Infinity);
}

function compareNames(left: InstanceType, right: InstanceType): number {
  const [first, second] = [labelOf(left, 'family'), labelOf(right, 'family')];
  if (first !== second) return first < second ? -1 : 1;
  return (
    vcpuOf(left) - vcpuOf(right) ||
    memoryGiBOf(left) - memoryGiBOf(right) ||
    (left.name < right.name ? -1 : 1)
  );
}

function vcpuOf(type: InstanceType): number {
  return numberOf(type, 'cpu');
}

function memoryGiBOf(type: InstanceType): number {
  return numberOf(type, 'memory') / 1024;
}

function numberOf(type: InstanceType, label: string): number {
  return Number(labelOf(type, label) || 0);
}

function labelOf(type: InstanceType, label: string): string {
  return type.labels.get(INSTANCE_PREFIX + label) ?? '';
}
