/** A fault planted in a plan by hand, its faultless twin, and the plainest ways to make both. */
import type { Plan } from '../../../../src/planning/plan.js';
import type { ClusterInput } from '../../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../builders/cluster-input.js';
import { handMadePlan, type HandMadePlan } from '../../builders/plan.js';
import { pod, replicas } from '../../builders/pod.js';
import { type CheckOptions } from '../check-plan.js';
import { type ViolationKind } from '../violation.js';

/** An input and two plans for it, of which one is wrong; or two inputs for one plan. */
export interface Case {
  readonly kind: ViolationKind;
  readonly fault: string;
  readonly bad: readonly [ClusterInput, Plan];
  readonly good: readonly [ClusterInput, Plan];
  readonly options?: Partial<CheckOptions>;
}

export const ONE_POD: HandMadePlan = { claims: [{}] };

/** Two plans for one input. */
export function plans(
  input: ClusterInput,
  bad: HandMadePlan,
  good: HandMadePlan = ONE_POD,
): Pick<Case, 'bad' | 'good'> {
  return { bad: [input, handMadePlan(input, bad)], good: [input, handMadePlan(input, good)] };
}

/** One plan for two inputs. */
export function inputs(
  bad: Partial<ClusterInput>,
  good: Partial<ClusterInput>,
  plan: HandMadePlan = ONE_POD,
): Pick<Case, 'bad' | 'good'> {
  const [wrong, right] = [clusterInput({ pods: [pod()], ...bad }), clusterInput({ pods: [pod()], ...good })];
  return { bad: [wrong, handMadePlan(wrong, plan)], good: [right, handMadePlan(right, plan)] };
}

/** A faultless plan, and the same with something replaced. */
export function changed(
  change: (plan: Plan) => Partial<Plan>,
  input = clusterInput({ pods: [pod()] }),
): Pick<Case, 'bad' | 'good'> {
  const plan = handMadePlan(input, ONE_POD);
  return { bad: [input, { ...plan, ...change(plan) }], good: [input, plan] };
}

/** The same with something replaced in its only claim. */
export function changedClaim(
  change: Partial<Plan['claims'][number]>,
  input?: ClusterInput,
): Pick<Case, 'bad' | 'good'> {
  return changed(({ claims }) => ({ claims: claims.map((claim) => ({ ...claim, ...change })) }), input);
}

export const onePod = clusterInput({ pods: [pod()] });
export const noPool = {
  pod: 'default/pod',
  reasons: [{ nodePool: '', reason: { code: 'NoNodePools' } as const }],
};
export const TWO = ['default/web-0', 'default/web-1'];
export const web = { labels: { app: 'web' } };
export const onNode: HandMadePlan = { nodes: { node: ['default/pod'] } };

export function twoOf(overrides: Parameters<typeof pod>[0]): ClusterInput {
  return clusterInput({ pods: replicas(2, { name: 'web', ...web, ...overrides }) });
}
