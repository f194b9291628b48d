/**
 * Judges a plan by Kubernetes' and Karpenter's own rules, object by object and without any code of planning: the
 * cluster is put together as it will be once the plan is carried out, in every form that claims may take, and every rule
 * is asked of it.
 */
import type { Plan } from '../../../src/planning/plan.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { checkLeftOut, checkWeights, LoneClaims } from './checks/check-alternatives.js';
import { checkAnswers } from './checks/check-answers.js';
import { checkFit } from './checks/check-fit.js';
import { checkLimits } from './checks/check-limits.js';
import { checkOffer } from './checks/check-offer.js';
import { checkPodAffinity } from './checks/check-pod-affinity.js';
import { checkReservations } from './checks/check-reservations.js';
import { checkSpread } from './checks/check-spread.js';
import { Devices } from './devices.js';
import type { SpreadOptions } from './spread-groups.js';
import { finalState } from './final-state.js';
import { Findings, type Violation } from './violation.js';
import { checkAttachLimits, checkReadWriteOncePod, Volumes } from './volumes.js';

export interface CheckOptions {
  readonly maxInstanceTypes: number;
  readonly spread: SpreadOptions;
}

const DEFAULTS: CheckOptions = {
  maxInstanceTypes: 60,
  spread: { domains: 'existing' },
};

/**
 * Everything that is wrong with the plan as an answer to the input; an empty list when nothing is. Offerings that are
 * not available are taken as not offered.
 */
export function checkPlan(
  input: ClusterInput,
  plan: Plan,
  options: Partial<CheckOptions> = {},
): readonly Violation[] {
  const { maxInstanceTypes, spread } = { ...DEFAULTS, ...options };
  const findings = new Findings();
  const state = finalState(input, plan);
  const volumes = new Volumes(input);
  const devices = new Devices(input);
  const context = { daemonSets: input.daemonSets, volumes, devices, findings };
  checkAnswers(state, findings);
  for (const target of state.targets) {
    checkOffer(target, state, maxInstanceTypes, findings);
    checkFit(target, context);
    checkAttachLimits(target, volumes, findings);
  }
  checkReadWriteOncePod(state.targets, volumes, findings);
  checkLimits(state, findings);
  checkReservations(state, findings);
  checkSpread(state, spread, findings);
  checkPodAffinity(state, findings);
  const lone = new LoneClaims(context);
  checkLeftOut(state, context, lone);
  checkWeights(state, findings, lone);
  checkCost(plan, findings);
  return findings.all;
}

/** Prices are sums of decimal fractions, so compared with some slack, in USD/h. */
const SLACK = 1e-6;

function checkCost({ claims, cost }: Plan, findings: Findings): void {
  const sum = claims.reduce((total, { hourlyPrice }) => total + hourlyPrice, 0);
  if (Math.abs(sum - cost.hourly) > SLACK)
    findings.add('cost', 'hourly', `is ${String(cost.hourly)}, the claims cost ${String(sum)}`);
  if (cost.lowerBound !== null && !(cost.lowerBound >= 0 && cost.lowerBound <= cost.hourly + SLACK))
    findings.add('cost', 'lowerBound', `is ${String(cost.lowerBound)}, hourly ${String(cost.hourly)}`);
  if (!(cost.existingHourly >= 0 && cost.existingHourly < Infinity))
    findings.add('cost', 'existingHourly', `is ${String(cost.existingHourly)}`);
}
