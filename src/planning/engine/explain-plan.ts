/** What a plan is asked to tell besides: why claims are as they are, and the proof of its lower bound. */
import type { Plan } from '../plan.js';
import { bestProof } from '../bounds/best-proof.js';
import { explainClaims } from '../explain/explain-claims.js';
import { planDuals } from '../bounds/plan-duals.js';
import type { Problem } from '../model/problem.js';

/**
 * The plan with all that the problem's options ask for and that it does not say yet; where they ask for nothing, as it is.
 * With its proof the lower bound is what that proves.
 */
export function explainPlan(problem: Problem, plan: Plan): Plan {
  const { explainClaims: claims = false, duals = false } = problem.options;
  const explained = claims ? explainClaims(problem, plan) : plan;
  const { cost } = explained;
  if (!duals || cost.lowerBound === null || cost.duals !== undefined) return explained;
  const proof = bestProof(problem);
  return {
    ...explained,
    cost: {
      ...cost,
      lowerBound: Math.min(cost.hourly, proof.bound),
      duals: planDuals(problem, proof.duals),
    },
  };
}
