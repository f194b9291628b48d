/** What a claim may be launched as: the offerings that its spec allows and that may be there, in the order of preference. */
import {
  CAPACITY_TYPES,
  paidPrice,
  type CapacityType,
  type InstanceType,
  type Offering,
} from '../../../domain/nodes/instance-type.js';
import {
  CAPACITY_RESERVATION_ID,
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  isDecidedByInstanceType,
  ZONE,
  ZONE_ID,
} from '../../../domain/values/labels.js';
import type { NodeClaimSpec } from '../../../domain/nodes/node-claim.js';
import { allows } from '../../../domain/values/requirement.js';
import { requirementsOf, type Requirements } from '../../../domain/values/requirements.js';
import { isWithin, type ResourceList } from '../../../domain/values/resources.js';
import type { LaunchIntent } from '../../../ports/cloud.js';

export interface OfferingQuestion {
  readonly spec: NodeClaimSpec;
  /** The most that any claim of the group asks for. */
  readonly requests: ResourceList;
  /** As the node class and NodeOverlays make them. */
  readonly types: readonly InstanceType[];
  /** Zones in which instances can start, the preferred first. */
  readonly zones: ReadonlySet<string>;
  readonly isUnavailable: (instanceType: string, zone: string, capacityType: CapacityType) => boolean;
  /** By the id of the capacity reservation. */
  readonly isReservationUnavailable: (id: string) => boolean;
}

export interface LaunchOfferings {
  readonly capacityType: CapacityType;
  readonly offerings: LaunchIntent['offerings'];
}

/** Clouds limit the size of a launch request; what is left out here comes with the next attempt. */
const MOST_OVERRIDES = 200;

/**
 * One capacity type, since a call asks for one: reserved, then spot, then on-demand, whichever has something left; but
 * on-demand before spot where a NodeOverlay makes it the cheaper one. Cheapest first by the price that planning counts with,
 * equal prices in the claim's own ranking, then in the preferred zone first. undefined when there is nothing left at all.
 */
export function launchOfferings(question: OfferingQuestion): LaunchOfferings | undefined {
  const required = requirementsOf(question.spec.requirements);
  const types = ranked(question.spec, question.types).filter(
    (type) => suits(type, required) && isWithin(question.requests, type.allocatable),
  );
  const choices = CAPACITY_TYPES.flatMap((capacityType): Choice[] => {
    const offerings = types.flatMap((type) => offeringsOf(type, capacityType, required, question));
    offerings.sort((left, right) => left.price - right.price);
    const [cheapest] = offerings;
    return cheapest === undefined ? [] : [{ capacityType, cheapest, offerings }];
  });
  const chosen = choices.reduce<Choice | undefined>(
    (best, choice) => (best === undefined || isOverlaidBelow(choice, best) ? choice : best),
    undefined,
  );
  return (
    chosen && {
      capacityType: chosen.capacityType,
      offerings: shortened(chosen, required).map(asPaid),
    }
  );
}

/** An offering of a type. */
interface TypeOffering extends Pick<Offering, 'zone' | 'zoneID' | 'price' | 'listPrice'> {
  readonly type: InstanceType;
}

interface Choice {
  readonly capacityType: CapacityType;
  readonly cheapest: TypeOffering;
  readonly offerings: readonly TypeOffering[];
}

/** As many of the cheapest as a call may carry, but first those that the claim's minValues need. */
function shortened({ capacityType, offerings }: Choice, required: Requirements): readonly TypeOffering[] {
  if (offerings.length <= MOST_OVERRIDES) return offerings;
  const kept = new Set<TypeOffering>();
  for (const item of required.values()) {
    const seen = new Set<string>();
    for (const offering of offerings) {
      if (seen.size >= item.minValues) break;
      const value = valueOf(item.key, offering, capacityType);
      if (value === undefined || seen.has(value)) continue;
      seen.add(value);
      kept.add(offering);
    }
  }
  for (const offering of offerings) {
    if (kept.size >= MOST_OVERRIDES) break;
    kept.add(offering);
  }
  return offerings.filter((offering) => kept.has(offering));
}

/** The label that nodes of the offering have under the key. */
function valueOf(
  key: string,
  { type, zone, zoneID }: TypeOffering,
  capacityType: CapacityType,
): string | undefined {
  switch (key) {
    case ZONE:
      return zone;
    case ZONE_ID:
      return zoneID;
    case CAPACITY_TYPE:
      return capacityType;
    default:
      return type.labels.get(key);
  }
}

/** What is reserved is paid for in any case. */
function isOverlaidBelow({ cheapest }: Choice, { capacityType, cheapest: best }: Choice): boolean {
  if (capacityType === 'reserved' || cheapest.price >= best.price) return false;
  return cheapest.listPrice !== undefined || best.listPrice !== undefined;
}

function asPaid(offering: TypeOffering): LaunchIntent['offerings'][number] {
  const { type, zone } = offering;
  return { instanceType: type.name, zone, price: paidPrice(offering) };
}

/** In the order in which the claim lists them, where it lists any. */
function ranked(spec: NodeClaimSpec, types: readonly InstanceType[]): readonly InstanceType[] {
  const listed = spec.requirements.find(({ key, complement }) => key === INSTANCE_TYPE && !complement);
  if (listed === undefined) return types;
  const byName = new Map(types.map((type) => [type.name, type]));
  return [...listed.values].flatMap((name) => byName.get(name) ?? []);
}

/** What a pool's own labels say is no question here. */
function suits(type: InstanceType, required: Requirements): boolean {
  for (const item of required.values()) {
    if (isDecidedByInstanceType(item.key) && !allows(item, type.labels.get(item.key))) return false;
  }
  return true;
}

function offeringsOf(
  type: InstanceType,
  capacityType: CapacityType,
  required: Requirements,
  { zones, isUnavailable, isReservationUnavailable }: OfferingQuestion,
): TypeOffering[] {
  const order = [...zones];
  const zoneRule = required.get(ZONE);
  const zoneIDRule = required.get(ZONE_ID);
  const capacityRule = required.get(CAPACITY_TYPE);
  const reservationRule = required.get(CAPACITY_RESERVATION_ID);
  if (capacityRule && !allows(capacityRule, capacityType)) return [];
  return (
    type.offerings
      .filter(
        (offering) =>
          offering.capacityType === capacityType &&
          offering.available &&
          zones.has(offering.zone) &&
          (zoneRule === undefined || allows(zoneRule, offering.zone)) &&
          (zoneIDRule === undefined || allows(zoneIDRule, offering.zoneID)) &&
          (reservationRule === undefined || allows(reservationRule, offering.reservation?.id)) &&
          !isUnavailable(type.name, offering.zone, capacityType),
      )
      .filter(({ reservation }) => reservation === undefined || !isReservationUnavailable(reservation.id))
      // Of several reservations in a zone the launch takes the one that the claim names, or any.
      .filter(({ zone }, index, all) => all.findIndex((other) => other.zone === zone) === index)
      .sort((left, right) => order.indexOf(left.zone) - order.indexOf(right.zone))
      .map(({ zone, zoneID, price, listPrice }) => ({ type, zone, zoneID, price, listPrice }))
  );
}
