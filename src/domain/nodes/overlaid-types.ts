/** Instance types as NodeOverlays make them for the nodes of a pool. */
import {
  placeLabels,
  reservationLabels,
  type InstanceType,
  type Offering,
  type UnpricedOffering,
} from './instance-type.js';
import {
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_INTERRUPTIBLE,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_TYPE,
  isDecidedByInstanceType,
  NODEPOOL,
  WINDOWS_BUILD,
  ZONE,
  ZONE_ID,
  type LabelLookup,
  type Labels,
} from '../values/labels.js';
import { adjustedPrice, type NodeOverlay } from '../policies/node-overlay.js';
import { allows, type Requirement } from '../values/requirement.js';
import { MEMORY, type ResourceList } from '../values/resources.js';
import { isSameList } from '../values/same.js';

/** The pool as overlays see it. */
export interface OverlaidPool {
  readonly name: string;
  /** Of its nodes, as the pool's template gives them. */
  readonly labels: Labels;
}

/** Labels that neither a pool nor an offering decides, though no instance type here has them. */
const OF_NO_TYPE: ReadonlySet<string> = new Set([WINDOWS_BUILD]);

const OFFERING_KEYS: ReadonlySet<string> = new Set([
  ZONE,
  ZONE_ID,
  CAPACITY_TYPE,
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_RESERVATION_INTERRUPTIBLE,
]);

type Decider = 'type' | 'offering' | 'pool';

function deciderOf(key: string): Decider {
  if (OFFERING_KEYS.has(key)) return 'offering';
  return isDecidedByInstanceType(key) || OF_NO_TYPE.has(key) ? 'type' : 'pool';
}

/** The overlays that may concern nodes of the pool, in the same order. */
export function overlaysOfPool(
  overlays: readonly NodeOverlay[],
  { name, labels }: OverlaidPool,
): readonly NodeOverlay[] {
  const view: LabelLookup = { get: (key) => (key === NODEPOOL ? name : labels.get(key)) };
  return overlays.filter((overlay) => satisfies(overlay, 'pool', view));
}

/**
 * The types with what the overlays change; these concern the pool and are in the order of precedence. An offering whose
 * price is another keeps the catalogue's as `listPrice`; what has no price becomes an offering with the one that an overlay
 * gives. Extended resources are a matter of the whole type: it has them as soon as one of its offerings is meant. A type, or
 * the list, in which nothing changes is the same object as before.
 */
export function overlaidTypes(
  types: readonly InstanceType[],
  overlays: readonly NodeOverlay[],
): readonly InstanceType[] {
  if (overlays.length === 0) return types;
  const result = types.map((type) => overlaidType(type, overlays));
  return isSameList(result, types) ? types : result;
}

function overlaidType(type: InstanceType, overlays: readonly NodeOverlay[]): InstanceType {
  const meant = overlays.filter((overlay) => concernsType(overlay, type));
  if (meant.length === 0) return type;
  const offerings = withPriced(withPrices(type.offerings, meant), type.unpriced ?? [], meant);
  const extended = extendedResources({ ...type, offerings }, meant);
  if (offerings === type.offerings && extended.size === 0) return type;
  return { ...type, offerings, ...(extended.size === 0 ? {} : withResources(type, extended)) };
}

/** Whether the overlay is about an instance type, whatever it says of offerings. */
export function concernsType(overlay: NodeOverlay, { labels }: InstanceType): boolean {
  return satisfies(overlay, 'type', labels);
}

/** Whether the overlay is about an offering, of a type that it is about. */
export function concernsOffering(
  overlay: NodeOverlay,
  offering: UnpricedOffering & Pick<Offering, 'reservation'>,
): boolean {
  const labels = new Map([
    ...placeLabels(offering),
    ...(offering.reservation === undefined ? [] : reservationLabels(offering.reservation)),
  ]);
  return satisfies(overlay, 'offering', labels);
}

function satisfies({ requirements }: NodeOverlay, decider: Decider, labels: LabelLookup): boolean {
  const own = (item: Requirement): boolean => deciderOf(item.key) === decider;
  return [...requirements.values()].every((item) => !own(item) || allows(item, labels.get(item.key)));
}

function withPrices(offerings: readonly Offering[], overlays: readonly NodeOverlay[]): readonly Offering[] {
  const priced = overlays.filter(({ price }) => price !== undefined);
  const result = offerings.map((offering) => {
    const change = priced.find((overlay) => concernsOffering(overlay, offering))?.price;
    const price = change === undefined ? offering.price : adjustedPrice(offering.price, change);
    return price === offering.price ? offering : { ...offering, price, listPrice: offering.price };
  });
  return result.every((offering, index) => offering === offerings[index]) ? offerings : result;
}

/** With those of the unpriced ones to which an overlay gives a whole price: a change to a price that is not known says nothing. */
function withPriced(
  offerings: readonly Offering[],
  unpriced: readonly UnpricedOffering[],
  overlays: readonly NodeOverlay[],
): readonly Offering[] {
  const priced = unpriced.flatMap((offering): Offering[] => {
    const change = overlays.find((overlay) => isPriceOf(overlay, offering))?.price;
    if (change === undefined) return [];
    return [{ ...offering, price: adjustedPrice(0, change), estimated: false, available: true }];
  });
  return priced.length === 0 ? offerings : [...offerings, ...priced];
}

function isPriceOf(overlay: NodeOverlay, offering: UnpricedOffering): boolean {
  return overlay.price?.kind === 'absolute' && concernsOffering(overlay, offering);
}

/** What differs from what the type has; of two overlays with one resource, the first counts. */
function extendedResources(type: InstanceType, overlays: readonly NodeOverlay[]): ResourceList {
  const result = new Map<string, number>();
  for (const overlay of overlays) {
    if (
      overlay.capacity.size === 0 ||
      !type.offerings.some((offering) => concernsOffering(overlay, offering))
    )
      continue;
    for (const [resource, amount] of overlay.capacity)
      if (!result.has(resource)) result.set(resource, amount);
  }
  return new Map([...result].filter(([resource, amount]) => amount !== (type.capacity.get(resource) ?? 0)));
}

/** Huge pages are taken from the memory that pods can use, as the kubelet does. */
function withResources(
  { capacity, allocatable }: InstanceType,
  extended: ResourceList,
): Pick<InstanceType, 'capacity' | 'allocatable'> {
  let hugePages = 0;
  for (const [resource, amount] of extended)
    if (resource.startsWith('hugepages-')) hugePages += amount - (capacity.get(resource) ?? 0);
  const memory = Math.max(0, (allocatable.get(MEMORY) ?? 0) - hugePages);
  return {
    capacity: withoutZeros([...capacity, ...extended]),
    allocatable: withoutZeros([...allocatable, ...extended, [MEMORY, memory]]),
  };
}

function withoutZeros(entries: readonly (readonly [string, number])[]): ResourceList {
  return new Map([...new Map(entries)].filter(([, amount]) => amount !== 0));
}
