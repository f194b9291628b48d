/** Checks plans with gangs: the gangs' own rule here, every other rule by the plan checker. */
import { podKey } from '../../../src/domain/pods/pod.js';
import type { Plan } from '../../../src/planning/plan.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';
import { formatViolations } from '../../support/plan-checker/violation.js';

/** The input without the pending pods of gangs that are out, and the plan without their refusals. */
export interface WithoutBroken {
  readonly input: ClusterInput;
  readonly plan: Plan;
  readonly out: ReadonlySet<string>;
}

/** Gangs are out of which some pod waits and fewer run or are placed than the minimum. */
export function withoutBroken(input: ClusterInput, plan: Plan): WithoutBroken {
  const placed = new Set(plan.placements.map(({ pod }) => pod));
  const nodes = new Set(input.nodes.map(({ name }) => name));
  const isThere = (pod: ClusterInput['pods'][number]): boolean =>
    pod.nodeName === undefined ? placed.has(podKey(pod)) : nodes.has(pod.nodeName) && !pod.terminating;
  const out = new Set(
    (input.gangs ?? [])
      .filter(
        ({ key, minMembers }) =>
          input.pods.filter((pod) => pod.gang?.key === key && isThere(pod)).length < minMembers,
      )
      .map(({ key }) => key),
  );
  const isOut = (pod: ClusterInput['pods'][number]): boolean =>
    pod.nodeName === undefined && out.has(pod.gang?.key ?? '');
  const names = new Set(input.pods.filter(isOut).map(podKey));
  return {
    input: { ...input, pods: input.pods.filter((pod) => !isOut(pod)) },
    plan: { ...plan, unschedulable: plan.unschedulable.filter(({ pod }) => !names.has(pod)) },
    out,
  };
}

/** What is wrong with a plan, '' where nothing is: a pod of a gang that is out has no place (the checker does not know it). */
export function gangViolations(input: ClusterInput, plan: Plan): string {
  const rest = withoutBroken(input, plan);
  return formatViolations(checkPlan(rest.input, rest.plan));
}
