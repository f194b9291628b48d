/** Whether removing some nodes pays: what is saved, what moving costs, and what replacements may be launched as. */
import { PRICE_ERROR } from '../../../domain/values/price.js';
import type { PlannedClaim } from '../../plan.js';
import type { PoolOffer } from '../../snapshot/cluster-input.js';
import type { Candidate, Candidates } from './candidates.js';
import type { Component } from './components.js';
import type { DisruptionOptions } from '../question/disruption.js';
import { narrowClaim, type Narrowing } from './narrow-claim.js';
import type { ConsolidationRefusal } from './consolidation-refusals.js';

/** Karpenter: fewer cheaper types, and a spot node would be replaced again and again. */
const SPOT_TYPES = 15;
/** Karpenter: Balanced approves a score of 1/2. */
const LEAST_SCORE = 0.5;
const HOUR_MILLIS = 3_600_000;

/** Nodes that go and what comes instead, worth it. */
export interface Settled {
  readonly candidates: readonly Candidate[];
  readonly claims: readonly PlannedClaim[];
  /** USD/h. */
  readonly saving: number;
  /** USD. */
  readonly movingCost: number;
}

export interface SettleContext {
  readonly options: DisruptionOptions;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly candidates: Candidates;
  readonly offers: ReadonlyMap<string, PoolOffer>;
}

/**
 * Hours that a saving is expected to last: as long again as no pod came to any of the nodes or left it, within the limits of the
 * options. Where pods come and go, new ones soon need the room that is given up.
 */
export function horizonOf(
  candidates: readonly Candidate[],
  { options, now, candidates: { economicsOf } }: Pick<SettleContext, 'options' | 'now' | 'candidates'>,
): number {
  const since = Math.max(...candidates.map(({ node }) => node.quietSince));
  const quiet = (now - since) / HOUR_MILLIS;
  const most = Math.min(...candidates.map((candidate) => economicsOf(candidate).horizonHours));
  return Math.min(most, Math.max(options.leastHorizonHours, quiet));
}

export function settle(component: Component, context: SettleContext): Settled | ConsolidationRefusal {
  const { candidates } = component;
  const claims = affordable(component, context);
  if ('code' in claims) return claims;
  const saving = priceOf(candidates) - hourlyOf(claims);
  const least = sum(candidates, (candidate) => context.candidates.economicsOf(candidate).leastSavingUsd);
  if (saving < least - PRICE_ERROR) return { code: 'SmallSaving', saving, least, nodes: candidates.length };
  const movingCost = movingCostOf(candidates, claims, context);
  const horizonHours = horizonOf(candidates, context);
  if (saving * horizonHours <= movingCost + PRICE_ERROR)
    return { code: 'MovingCost', saving, movingCost, horizonHours };
  return unbalanced(candidates, saving, context) ?? { candidates, claims, saving, movingCost };
}

/** USD/h. */
export function priceOf(candidates: readonly Candidate[]): number {
  return sum(candidates, ({ price }) => price);
}

/** USD/h of claims at their cheapest. */
export function hourlyOf(claims: readonly PlannedClaim[]): number {
  return claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
}

/** USD, once. */
export function movingCostOf(
  candidates: readonly Candidate[],
  claims: readonly PlannedClaim[],
  { options, candidates: { economicsOf } }: Pick<SettleContext, 'options' | 'candidates'>,
): number {
  const evicting = sum(
    candidates,
    (candidate) => candidate.evictions * candidate.life * economicsOf(candidate).evictionCostUsd,
  );
  return evicting + hourlyOf(claims) * options.bootHours;
}

function sum(candidates: readonly Candidate[], figure: (candidate: Candidate) => number): number {
  return candidates.reduce((total, candidate) => total + figure(candidate), 0);
}

/** The claims with what they may cost at most, so that whichever is launched, the least saving is kept. */
function affordable(
  { candidates, claims }: Component,
  { options, offers, candidates: { economicsOf } }: SettleContext,
): readonly PlannedClaim[] | ConsolidationRefusal {
  const [price, replacement] = [priceOf(candidates), hourlyOf(claims)];
  const least = sum(candidates, (candidate) => candidate.price * economicsOf(candidate).leastSavingShare);
  const most = price - least - PRICE_ERROR;
  const notCheaper: ConsolidationRefusal = { code: 'NotCheaper', price, replacement };
  if (claims.length > 0 && replacement > most) return notCheaper;
  const isSpot = candidates.every((candidate) => candidate.isSpot);
  const isShrinking = claims.length < candidates.length;
  const result: PlannedClaim[] = [];
  for (const claim of claims) {
    const share = replacement > 0 ? (claim.hourlyPrice * most) / replacement : most / claims.length;
    const narrowed = narrow(claim, offers, { most: share, types: Infinity });
    if (narrowed === undefined) return notCheaper;
    const isSpotToSpot = isSpot && narrowed.capacityTypes.includes('spot');
    const refusal = isSpotToSpot ? spotRefusal(narrowed, isShrinking, options) : undefined;
    if (refusal !== undefined) return refusal;
    const isListed = isSpotToSpot && !isShrinking;
    const listed = isListed ? narrow(narrowed, offers, { most: share, types: SPOT_TYPES }) : undefined;
    result.push(listed ?? narrowed);
  }
  return result;
}

function narrow(
  claim: PlannedClaim,
  offers: ReadonlyMap<string, PoolOffer>,
  narrowing: Narrowing,
): PlannedClaim | undefined {
  const offer = offers.get(claim.nodePool);
  return offer && narrowClaim(claim, offer, narrowing);
}

/** Several nodes that become fewer need no choice of types: they cannot be replaced again and again. */
function spotRefusal(
  { instanceTypes: { length: cheaper } }: PlannedClaim,
  isShrinking: boolean,
  { spotToSpot }: DisruptionOptions,
): ConsolidationRefusal | undefined {
  if (!spotToSpot) return { code: 'SpotToSpotDisabled' };
  if (isShrinking || cheaper >= SPOT_TYPES) return undefined;
  return { code: 'SpotFlexibility', cheaper, wanted: SPOT_TYPES };
}

/** The first Balanced pool whose share of the saving is too small for its share of the disruption. */
function unbalanced(
  candidates: readonly Candidate[],
  saving: number,
  context: SettleContext,
): ConsolidationRefusal | undefined {
  const price = priceOf(candidates);
  for (const nodePool of new Set(candidates.map(({ node }) => node.nodePool))) {
    const policy = context.candidates.pool(nodePool)?.disruption.consolidationPolicy;
    if (policy !== 'Balanced') continue;
    const members = candidates.filter(({ node }) => node.nodePool === nodePool);
    const { cost, weight } = context.candidates.totals(nodePool);
    const disrupted = members.reduce((sum, { evictions }) => sum + 1 + evictions, 0) / weight;
    const saved = (saving * priceOf(members)) / price / cost;
    const score = saved / disrupted;
    if (score < LEAST_SCORE) return { code: 'Unbalanced', nodePool, score };
  }
  return undefined;
}
