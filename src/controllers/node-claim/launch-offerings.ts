/** What a claim may be launched as: the offerings that its spec allows and that may be there, in the order of preference. */
import { CAPACITY_TYPES, type CapacityType, type InstanceType } from '../../domain/instance-type.js';
import {
  ARCH,
  CAPACITY_TYPE,
  INSTANCE_PREFIX,
  INSTANCE_TYPE,
  OS,
  REGION,
  ZONE,
} from '../../domain/labels.js';
import type { NodeClaimSpec } from '../../domain/node-claim.js';
import { allows } from '../../domain/requirement.js';
import { requirementsOf, type Requirements } from '../../domain/requirements.js';
import type { ResourceList } from '../../domain/resources.js';
import type { LaunchIntent } from '../../ports/cloud.js';

export interface OfferingQuestion {
  readonly spec: NodeClaimSpec;
  /** The most that any claim of the group asks for. */
  readonly requests: ResourceList;
  /** As the node class makes them. */
  readonly types: readonly InstanceType[];
  /** Zones with a subnet. */
  readonly zones: ReadonlySet<string>;
  readonly isUnavailable: (instanceType: string, zone: string, capacityType: CapacityType) => boolean;
}

export interface LaunchOfferings {
  readonly capacityType: CapacityType;
  readonly offerings: LaunchIntent['offerings'];
}

/** EC2 documents 300 overrides for other kinds of fleets; what is left out here comes with the next attempt. */
const MOST_OVERRIDES = 200;
/** The keys whose values the instance type decides; what a pool's own labels say is no question here. */
const TYPE_KEYS: ReadonlySet<string> = new Set([ARCH, OS, INSTANCE_TYPE, REGION]);

/**
 * One capacity type, since a call asks for one: reserved, then spot, then on-demand, whichever has something left. Cheapest
 * first, equal prices in the claim's own ranking. undefined when there is nothing left at all.
 */
export function launchOfferings(question: OfferingQuestion): LaunchOfferings | undefined {
  const required = requirementsOf(question.spec.requirements);
  const types = ranked(question.spec, question.types).filter(
    (type) => suits(type, required) && fits(question.requests, type),
  );
  for (const capacityType of CAPACITY_TYPES) {
    const offerings = types.flatMap((type) => offeringsOf(type, capacityType, required, question));
    offerings.sort((left, right) => left.price - right.price);
    if (offerings.length > 0) return { capacityType, offerings: offerings.slice(0, MOST_OVERRIDES) };
  }
  return undefined;
}

/** In the order in which the claim lists them, where it lists any. */
function ranked(spec: NodeClaimSpec, types: readonly InstanceType[]): readonly InstanceType[] {
  const listed = spec.requirements.find(({ key, complement }) => key === INSTANCE_TYPE && !complement);
  if (listed === undefined) return types;
  const byName = new Map(types.map((type) => [type.name, type]));
  return [...listed.values].flatMap((name) => byName.get(name) ?? []);
}

function suits(type: InstanceType, required: Requirements): boolean {
  for (const item of required.values()) {
    const isOfType = TYPE_KEYS.has(item.key) || item.key.startsWith(INSTANCE_PREFIX);
    if (isOfType && !allows(item, type.labels.get(item.key))) return false;
  }
  return true;
}

function fits(requests: ResourceList, { allocatable }: InstanceType): boolean {
  for (const [resource, amount] of requests) if (amount > (allocatable.get(resource) ?? 0)) return false;
  return true;
}

function offeringsOf(
  type: InstanceType,
  capacityType: CapacityType,
  required: Requirements,
  { zones, isUnavailable }: OfferingQuestion,
): LaunchIntent['offerings'][number][] {
  const zoneRule = required.get(ZONE);
  const capacityRule = required.get(CAPACITY_TYPE);
  if (capacityRule && !allows(capacityRule, capacityType)) return [];
  return type.offerings
    .filter(
      (offering) =>
        offering.capacityType === capacityType &&
        offering.available &&
        zones.has(offering.zone) &&
        (zoneRule === undefined || allows(zoneRule, offering.zone)) &&
        !isUnavailable(type.name, offering.zone, capacityType),
    )
    .map(({ zone, price }) => ({ instanceType: type.name, zone, price }));
}
