/** Whether the plan passes over a place that was there: pods left out without need, pools of lower weight without need. */
import type { PodAffinityTerm } from '../../../src/domain/affinity.js';
import { podKey, type Pod, type PodSpec } from '../../../src/domain/pod.js';
import { tolerates } from '../../../src/domain/taint.js';
import type { PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { checkFit, type FitContext } from './check-fit.js';
import { capacityOf, mostUsed } from './check-limits.js';
import { shortOfMinValues } from './check-offer.js';
import { termKey, termMatchesPod } from './check-pod-affinity.js';
import type { FinalState, Target } from './final-state.js';
import { poolLandings, type Landing } from './landing.js';
import { nodeRulesKey } from './node-rules.js';
import { Findings } from './violation.js';

/** Answers what a pool could launch for a pod alone; equal questions are asked once. */
export class LoneClaims {
  readonly #context: Omit<FitContext, 'findings'>;
  readonly #landings = new Map<string, readonly Landing[]>();
  readonly #answers = new Map<string, readonly Landing[]>();

  constructor(context: Omit<FitContext, 'findings'>) {
    this.#context = context;
  }

  /** Landings of the pool that hold the pod by itself; none when minValues are not reached by them. */
  holding(pod: Pod, offer: PoolOffer): readonly Landing[] {
    if (offer.pool.replicas !== undefined) return [];
    const { requests, volumes, hostPorts, hasResourceClaims } = pod.spec;
    const asked = JSON.stringify([[...requests].sort(), volumes, hostPorts, hasResourceClaims]);
    const key = `${offer.pool.name} ${nodeRulesKey(pod.spec)} ${asked}`;
    const answer = this.#answers.get(key) ?? this.#ask(pod, offer);
    this.#answers.set(key, answer);
    return answer;
  }

  #ask(pod: Pod, offer: PoolOffer): readonly Landing[] {
    const { name, template } = offer.pool;
    const all = this.#landings.get(name) ?? poolLandings(offer, 'lone');
    this.#landings.set(name, all);
    const target: Target = {
      kind: 'NodeClaim',
      name: 'lone',
      landings: [],
      taints: template.taints,
      residents: [{ key: podKey(pod), pod, placed: true }],
      node: undefined,
      claim: undefined,
      offer,
    };
    const holding = all.filter((landing) => fits({ ...target, landings: [landing] }, this.#context));
    return shortOfMinValues(template.requirements, holding) === undefined ? holding : [];
  }
}

function fits(target: Target, context: Omit<FitContext, 'findings'>): boolean {
  const findings = new Findings();
  checkFit(target, { ...context, findings });
  return findings.all.length === 0;
}

/**
 * A pod left out although a pool without limits could launch a machine for it, or a node has room for it after all.
 * Pods whose place depends on other pods, or that have volumes, are not judged.
 */
export function checkLeftOut(state: FinalState, context: FitContext, lone: LoneClaims): void {
  const repelling = termsThatRepel(state);
  const nodes = state.targets.filter(({ kind }) => kind === 'Node');
  for (const { pod: key } of state.plan.unschedulable) {
    const pod = state.pending.get(key);
    if (pod === undefined || pod.spec.volumes.length > 0 || !standsAlone(pod, repelling, state)) continue;
    const unlimited = state.input.pools.filter(({ pool }) => pool.limits.size === 0);
    const offer = unlimited.find((item) => lone.holding(pod, item).length > 0);
    if (offer !== undefined)
      context.findings.add('left-out', key, `NodePool ${offer.pool.name} could launch for it`);
    const node = nodes.find((target) =>
      fits({ ...target, residents: [...target.residents, { key, pod, placed: true }] }, context),
    );
    if (node !== undefined) context.findings.add('left-out', key, `node ${node.name} has room for it`);
  }
}

/**
 * A claim all of whose pods a pool of higher weight could have held, each alone. Pods whose place depends on other
 * pods or on a preference are not judged, nor are pools whose limits may bind.
 */
export function checkWeights(state: FinalState, findings: Findings, lone: LoneClaims): void {
  const repelling = termsThatRepel(state);
  for (const { claim, offer, residents } of state.targets) {
    if (claim === undefined || offer === undefined) continue;
    const heavier = state.input.pools.filter(({ pool }) => pool.weight > offer.pool.weight);
    if (heavier.length === 0) continue;
    const pods = residents.map(({ pod }) => pod);
    if (!pods.every((pod) => standsAlone(pod, repelling, state) && !prefers(pod.spec))) continue;
    const better = heavier.find((other) => pods.every((pod) => couldHold(state, other, pod, lone)));
    if (better !== undefined)
      findings.add('weight', claim.name, `NodePool ${better.pool.name} could have held all its pods`);
  }
}

function couldHold(state: FinalState, offer: PoolOffer, pod: Pod, lone: LoneClaims): boolean {
  const { limits, template } = offer.pool;
  if (template.taints.some((taint) => !pod.spec.tolerations.some((item) => tolerates(item, taint))))
    return false;
  const holding = lone.holding(pod, offer);
  const withinLimits = [...limits].every(([resource, limit]) => {
    const largest = Math.max(0, ...holding.map((landing) => capacityOf(landing, resource)));
    return mostUsed(state, offer, resource) + largest <= limit;
  });
  return holding.length > 0 && withinLimits;
}

/** Required anti-affinity terms of all pods that will run; they keep other pods away. */
function termsThatRepel({ targets }: FinalState): readonly PodAffinityTerm[] {
  const terms = targets.flatMap(({ residents }) =>
    residents.flatMap(({ pod }) => pod.spec.podAntiAffinity.required),
  );
  return [...new Map(terms.map((term) => [termKey(term), term])).values()];
}

/** Whether no rule ties the pod's place to other pods. */
function standsAlone(
  { spec, ...pod }: Pod,
  repelling: readonly PodAffinityTerm[],
  state: FinalState,
): boolean {
  const hard = spec.spread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  const ties = hard.length + spec.podAffinity.required.length + spec.podAntiAffinity.required.length;
  return (
    ties === 0 && !repelling.some((term) => termMatchesPod(term, { ...pod, spec }, state.input.namespaces))
  );
}

function prefers({ nodeAffinity, podAffinity, podAntiAffinity, spread }: PodSpec): boolean {
  const preferences =
    nodeAffinity.preferred.length + podAffinity.preferred.length + podAntiAffinity.preferred.length;
  return preferences + spread.length > 0;
}
