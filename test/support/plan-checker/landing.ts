/** What a claim may turn into: one landing per listed type, zone and capacity type that the catalogue offers. */
import type { InstanceType, Offering } from '../../../src/domain/nodes/instance-type.js';
import {
  ARCH,
  CAPACITY_TYPE,
  HOSTNAME,
  INSTANCE_TYPE,
  NODEPOOL,
  NO_LABELS,
  OS,
  REGION,
  WINDOWS_BUILD,
  ZONE,
  ZONE_ID,
  type LabelLookup,
  type Labels,
} from '../../../src/domain/values/labels.js';
import type { ResourceList } from '../../../src/domain/values/resources.js';
import { labelsSatisfy, requirementsOf } from '../../../src/domain/values/requirements.js';
import type { PlannedClaim } from '../../../src/planning/plan.js';
import type { PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';

const INSTANCE_LABELS: ReadonlySet<string> = new Set([
  ARCH,
  CAPACITY_TYPE,
  HOSTNAME,
  INSTANCE_TYPE,
  OS,
  REGION,
  WINDOWS_BUILD,
  ZONE,
  ZONE_ID,
]);

const TENANCY = 'karpenter.k8s.aws/instance-tenancy';

/** A node as it exists, or as it may come to be. */
export interface Landing {
  readonly labels: LabelLookup;
  readonly allocatable: ResourceList;
  /** undefined for existing nodes. */
  readonly launch: { readonly type: InstanceType; readonly offering: Offering } | undefined;
}

/** Every node that launching the claim may produce. */
export function claimLandings(offer: PoolOffer, claim: PlannedClaim): readonly Landing[] {
  return typeLandings(offer, claim).filter(
    ({ launch }) =>
      launch !== undefined &&
      claim.zones.includes(launch.offering.zone) &&
      claim.capacityTypes.includes(launch.offering.capacityType),
  );
}

/** What the names that a claim lists stand for: it is launched as dedicated instances if it says so, and else as usual. */
export function typesToLaunch(
  { instanceTypes = [], dedicatedTypes = [] }: PoolOffer,
  { chosenLabels }: Pick<PlannedClaim, 'chosenLabels'>,
): readonly InstanceType[] {
  return chosenLabels.get(TENANCY) === 'dedicated' ? dedicatedTypes : instanceTypes;
}

/** Every offering of the claim's types, listed or not. */
export function typeLandings(offer: PoolOffer, claim: PlannedClaim): readonly Landing[] {
  const listed = new Set(claim.instanceTypes);
  return landings(
    offer,
    claim,
    typesToLaunch(offer, claim).filter(({ name }) => listed.has(name)),
  );
}

/**
 * Every node that the pool can launch at all, however often, of any type, under the name given and with labels it leaves
 * open so chosen. What is left of capacity reservations is another question.
 */
export function poolLandings(offer: PoolOffer, name: string, chosenLabels = NO_LABELS): readonly Landing[] {
  const required = requirementsOf(offer.pool.template.requirements);
  const { instanceTypes = [], dedicatedTypes = [] } = offer;
  const isUsual = (offer.pool.template.labels.get(TENANCY) ?? 'dedicated') !== 'dedicated';
  const types = isUsual ? instanceTypes : [...instanceTypes, ...dedicatedTypes];
  return landings(offer, { name, chosenLabels }, types).filter(
    ({ labels, launch }) => launch?.offering.reservation === undefined && labelsSatisfy(required, labels),
  );
}

function landings(
  offer: PoolOffer,
  claim: Pick<PlannedClaim, 'name' | 'chosenLabels'>,
  types: readonly InstanceType[],
): readonly Landing[] {
  const poolLabels = new Map([
    ...decidedLabels(offer),
    ...claim.chosenLabels,
    ...offer.pool.template.labels,
    [NODEPOOL, offer.pool.name],
    [HOSTNAME, claim.name],
  ]);
  return types.flatMap((type) =>
    type.offerings
      .filter(({ available }) => available)
      .map((offering) => ({
        labels: nodeLabels(poolLabels, type, offering),
        allocatable: type.allocatable,
        launch: { type, offering },
      })),
  );
}

/** Keys of the user's own for which the pool's requirements leave exactly one value: the node is labelled with it. */
function decidedLabels({ pool }: PoolOffer): Labels {
  const decided = new Map<string, string>();
  for (const { key, complement, values, absent } of requirementsOf(pool.template.requirements).values()) {
    const [value] = values;
    if (complement || absent || values.size !== 1 || value === undefined) continue;
    if (!isDecidedByInstance(key)) decided.set(key, value);
  }
  return decided;
}

/** Labels that say what an instance is; no pool can give them to one that is not. */
export function isDecidedByInstance(key: string): boolean {
  return INSTANCE_LABELS.has(key) || key.startsWith('karpenter.k8s.aws/');
}

/** What the type and the offering say wins: that is what the kubelet will report. */
function nodeLabels(poolLabels: Labels, type: InstanceType, offering: Offering): LabelLookup {
  return {
    get(key: string): string | undefined {
      if (key === ZONE) return offering.zone;
      if (key === CAPACITY_TYPE) return offering.capacityType;
      if (key === ZONE_ID) return offering.zoneID;
      return type.labels.get(key) ?? poolLabels.get(key);
    },
  };
}
