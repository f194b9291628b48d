import { bestProof } from './bounds/best-proof.js';
import { planDuals } from './bounds/proven-bound.js';
import { explainClaims } from '../explain/claims.js';
import { compileProblem, type Problem } from '../model/problem.js';
import type { Plan } from '../plan.js';
import type { PlanOptions } from '../plan-options.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { hasReservations } from './plan-reserved.js';

/**
 * A plan of the snapshot with all that the options ask for and that it does not have yet: the alternatives of its claims
 * (`explainClaims`) and the proof of its lower bound (`duals`; none where pools may launch into reservations, since proofs
 * know no capacity that is paid). Where they ask for nothing, the plan as it is.
 */
export function explainPlan(snapshot: Snapshot, options: PlanOptions, plan: Plan): Plan {
  const { explainClaims: claims = false, duals = false } = options;
  const wanted = { ...options, duals: duals && !hasReservations(snapshot) };
  if (!claims && !wanted.duals) return plan;
  return annotated(compileProblem(snapshot, wanted), plan);
}

/** The plan with all that the problem's options ask for. With its proof the lower bound is what that proves. */
export function annotated(problem: Problem, plan: Plan): Plan {
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
