/** Whether what a claim lists can be bought, is what its pool allows, and costs what the claim says. */
import type { DaemonSet } from '../../../../src/domain/pods/daemon-set.js';
import type { InstanceType } from '../../../../src/domain/nodes/instance-type.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../../../src/domain/values/labels.js';
import type { PodSpec } from '../../../../src/domain/pods/pod.js';
import { allows, formatRequirement } from '../../../../src/domain/values/requirement.js';
import { firstUnsatisfied, requirementsOf } from '../../../../src/domain/values/requirements.js';
import type { PlannedClaim } from '../../../../src/planning/plan.js';
import type { PoolOffer } from '../../../../src/planning/snapshot/cluster-input.js';
import { sumOf } from './check-fit.js';
import { daemonSetsToCome, landingName, type FinalState, type Target } from '../final-state.js';
import { typeLandings, typesToLaunch, type Landing } from '../landing.js';
import type { Findings } from '../violation.js';

/** Prices are sums and products of decimal fractions; this much rounding is no error. */
const CENT_FRACTION = 1e-9;

export function checkOffer(target: Target, state: FinalState, maxTypes: number, findings: Findings): void {
  const { claim, offer } = target;
  if (claim === undefined) return;
  if (offer?.instanceTypes === undefined || offer.frozen === true || offer.pool.replicas !== undefined) {
    findings.add('offer', claim.name, `NodePool ${claim.nodePool} cannot launch anything`);
    return;
  }
  checkListed(claim, target.landings, maxTypes, findings);
  checkPool(target, offer, findings);
  checkMinValues(claim, offer, target.landings, findings);
  checkPrices(claim, target.landings, findings);
  checkAmounts(target, claim, state, findings);
}

/** At most `maxTypes` types, each once; every type, zone and capacity type in at least one offering. */
function checkListed(
  claim: PlannedClaim,
  landings: readonly Landing[],
  maxTypes: number,
  findings: Findings,
): void {
  if (claim.instanceTypes.length > maxTypes)
    findings.add('offer', claim.name, `lists ${String(claim.instanceTypes.length)} types`);
  const dimensions: readonly (readonly [readonly string[], string])[] = [
    [claim.instanceTypes, INSTANCE_TYPE],
    [claim.zones, ZONE],
    [claim.capacityTypes, CAPACITY_TYPE],
  ];
  for (const [listed, key] of dimensions) {
    const offered = new Set(landings.map((landing) => launchLabel(landing, key)));
    const never = listed.find((value) => !offered.has(value));
    if (never !== undefined) findings.add('offer', claim.name, `lists ${never}, which no offering has`);
    if (listed.length === 0) findings.add('offer', claim.name, `lists no ${key}`);
    if (new Set(listed).size !== listed.length) findings.add('offer', claim.name, `lists a ${key} twice`);
  }
}

function launchLabel({ launch }: Landing, key: string): string | undefined {
  if (key === INSTANCE_TYPE) return launch?.type.name;
  return key === ZONE ? launch?.offering.zone : launch?.offering.capacityType;
}

/** Every landing satisfies the pool's requirements, and carries the template's and the chosen labels unchanged. */
function checkPool(target: Target, { pool }: PoolOffer, findings: Findings): void {
  const required = requirementsOf(pool.template.requirements);
  const stated = [...pool.template.labels, ...(target.claim?.chosenLabels ?? [])];
  for (const landing of target.landings) {
    const failed = firstUnsatisfied(required, landing.labels);
    if (failed !== undefined) {
      const wanted = `${failed.key} ${formatRequirement(failed)}`;
      findings.add('pool-requirements', target.name, `${landingName(target, landing)} is not ${wanted}`);
    }
    const changed = stated.find(([key, value]) => landing.labels.get(key) !== value);
    if (changed !== undefined)
      findings.add('pool-requirements', target.name, `label ${changed.join('=')} cannot hold`);
  }
}

/** minValues of every requirement, over the values that the claim leaves open. */
function checkMinValues(
  claim: PlannedClaim,
  { pool }: PoolOffer,
  landings: readonly Landing[],
  findings: Findings,
): void {
  const short = shortOfMinValues(pool.template.requirements, landings);
  if (short !== undefined) findings.add('min-values', claim.name, short);
}

/** Which minValues the landings do not reach, in words; undefined when they reach all. */
export function shortOfMinValues(
  requirements: PoolOffer['pool']['template']['requirements'],
  landings: readonly Landing[],
): string | undefined {
  for (const item of requirements) {
    const values = new Set(landings.map(({ labels }) => labels.get(item.key)));
    const count = [...values].filter((value) => value !== undefined && allows(item, value)).length;
    if (count < item.minValues)
      return `${item.key} has ${String(count)} values, minValues is ${String(item.minValues)}`;
  }
  return undefined;
}

function checkPrices(claim: PlannedClaim, landings: readonly Landing[], findings: Findings): void {
  const cheapest = Math.min(...landings.map(priceOf));
  const highest = Math.max(...landings.map(priceOf));
  if (!samePrice(claim.hourlyPrice, cheapest))
    findings.add(
      'price',
      claim.name,
      `hourlyPrice ${String(claim.hourlyPrice)}, cheapest ${String(cheapest)}`,
    );
  if (!samePrice(claim.hourlyPriceMax, highest))
    findings.add(
      'price',
      claim.name,
      `hourlyPriceMax ${String(claim.hourlyPriceMax)}, highest ${String(highest)}`,
    );
  const cheapestOf = new Map<string, number>();
  for (const landing of landings) {
    const name = landing.launch?.type.name ?? '';
    cheapestOf.set(name, Math.min(cheapestOf.get(name) ?? Infinity, priceOf(landing)));
  }
  const prices = claim.instanceTypes.map((name) => cheapestOf.get(name) ?? Infinity);
  const unordered = prices.findIndex(
    (value, index) => index > 0 && value < (prices[index - 1] ?? 0) - CENT_FRACTION,
  );
  if (unordered > 0)
    findings.add(
      'order',
      claim.name,
      `${claim.instanceTypes[unordered] ?? ''} is cheaper than the type before it`,
    );
}

/** USD/h of launching the landing. */
export function priceOf({ launch }: Landing): number {
  return launch?.offering.price ?? Infinity;
}

function samePrice(left: number, right: number): boolean {
  return Math.abs(left - right) <= CENT_FRACTION * Math.max(1, Math.abs(right));
}

/**
 * requests: the pods and the DaemonSets. Where some nodes of the listed types draw more DaemonSets than others, anything
 * from the least that a landing draws to all that the types can draw is right. allocatable: what the first type has.
 */
function checkAmounts(target: Target, claim: PlannedClaim, state: FinalState, findings: Findings): void {
  const { daemonSets } = state.input;
  const drawn = (landings: readonly Landing[]): readonly (readonly DaemonSet[])[] =>
    landings.map(({ labels }) => daemonSetsToCome(daemonSets, target, labels));
  const surely = drawn(target.landings);
  const possibly = drawn(target.offer === undefined ? [] : typeLandings(target.offer, claim));
  const always = daemonSets.filter((item) => surely.every((list) => list.includes(item)));
  const ever = daemonSets.filter((item) => possibly.some((list) => list.includes(item)));
  const pods = target.residents.map(({ pod }) => pod.spec);
  const least = sumOf([...pods, ...always.map(specOf)]);
  const most = sumOf([...pods, ...ever.map(specOf)]);
  for (const name of new Set([...claim.requests.keys(), ...most.keys()])) {
    const amount = claim.requests.get(name) ?? 0;
    const [from, to] = [least.get(name) ?? 0, most.get(name) ?? 0];
    if (amount < from || amount > to)
      findings.add(
        'amounts',
        claim.name,
        `requests ${name} ${String(amount)}, not ${String(from)} to ${String(to)}`,
      );
  }
  const types = target.offer === undefined ? [] : typesToLaunch(target.offer, claim);
  const first = types.find(({ name }) => name === claim.instanceTypes[0]);
  if (first !== undefined && !sameAllocatable(claim, first))
    findings.add('amounts', claim.name, `allocatable is not that of ${first.name}`);
}

function specOf({ spec }: { readonly spec: PodSpec }): PodSpec {
  return spec;
}

/** Resources of the type that nobody asked about may be left out. */
function sameAllocatable(claim: PlannedClaim, type: InstanceType): boolean {
  return (
    [...claim.allocatable].every(([name, amount]) => amount === (type.allocatable.get(name) ?? 0)) &&
    [...claim.requests.keys()].every((name) => claim.allocatable.get(name) === type.allocatable.get(name))
  );
}
