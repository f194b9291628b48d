/** What a plan is worth, found out from its placements alone and by none of the planner's code. */
import type { Plan } from '../../src/planning/plan.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { checkPlan } from '../../test/support/plan-checker/check-plan.js';
import { claimLandings, type Landing } from '../../test/support/plan-checker/landing.js';
import { formatViolations } from '../../test/support/plan-checker/violation.js';

export interface Verdict {
  /** Whether the plan keeps every rule and places every pod. */
  readonly valid: boolean;
  /** What is wrong, a line each; empty when it is valid. */
  readonly complaints: string;
  /** Things that can be carried out but are not what the user asked for. */
  readonly warnings: number;
  readonly claims: number;
  readonly unplaced: number;
  /** USD/h with each claim at its cheapest listed offering, and at its most expensive. */
  readonly hourly: number;
  readonly highest: number;
  /** Claims that would be bought on spot, and those among them that list enough types for EC2 to choose from. */
  readonly spotClaims: number;
  readonly diverseSpotClaims: number;
}

/** Karpenter asks for as many before it replaces spot by spot, so that the cheapest is not also the next to be taken away. */
const DIVERSE_TYPES = 15;

/** Zones that a pool could launch into count as domains of spread, as they do for Karpenter. */
export function judgePlan(input: ClusterInput, plan: Plan): Verdict {
  const found = checkPlan(input, plan, { spread: { domains: 'launchable' } });
  const errors = found.filter(({ level }) => level === 'error');
  const offers = new Map(input.pools.map((offer) => [offer.pool.name, offer]));
  const prices = plan.claims.map((claim) => {
    const offer = offers.get(claim.nodePool);
    return priceClaim(offer === undefined ? [] : claimLandings(offer, claim));
  });
  const onSpot = prices.filter(({ spot }) => spot);
  const unplaced = plan.unschedulable.length;
  return {
    valid: errors.length === 0 && unplaced === 0,
    complaints: formatViolations(errors),
    warnings: found.length - errors.length,
    claims: plan.claims.length,
    unplaced,
    hourly: prices.reduce((sum, { cheapest }) => sum + cheapest, 0),
    highest: prices.reduce((sum, { highest }) => sum + highest, 0),
    spotClaims: onSpot.length,
    diverseSpotClaims: onSpot.filter(({ spotTypes }) => spotTypes >= DIVERSE_TYPES).length,
  };
}

interface ClaimPrice {
  readonly cheapest: number;
  readonly highest: number;
  /** Whether the cheapest offering is a spot one. */
  readonly spot: boolean;
  /** Types that the claim may become on spot. */
  readonly spotTypes: number;
}

function priceClaim(landings: readonly Landing[]): ClaimPrice {
  let [cheapest, highest, spot] = [Infinity, 0, false];
  const spotTypes = new Set<string>();
  for (const { launch } of landings) {
    if (launch === undefined) continue;
    const { price, capacityType } = launch.offering;
    if (price < cheapest) [cheapest, spot] = [price, capacityType === 'spot'];
    highest = Math.max(highest, price);
    if (capacityType === 'spot') spotTypes.add(launch.type.name);
  }
  return { cheapest, highest, spot, spotTypes: spotTypes.size };
}
