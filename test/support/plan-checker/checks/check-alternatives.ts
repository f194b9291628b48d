/** Whether the plan passes over a place that was there: pods left out without need, pools of lower weight without need. */
import type { PodAffinityTerm } from '../../../../src/domain/pods/affinity.js';
import { podKey, type Pod, type PodSpec } from '../../../../src/domain/pods/pod.js';
import { tolerates } from '../../../../src/domain/values/taint.js';
import type { PoolOffer } from '../../../../src/planning/snapshot/cluster-input.js';
import { checkFit, type FitContext } from './check-fit.js';
import { capacityOf, mostUsed } from './check-limits.js';
import { priceOf, shortOfMinValues } from './check-offer.js';
import { termKey, termMatchesPod } from './check-pod-affinity.js';
import type { FinalState, Target } from '../final-state.js';
import { poolLandings, type Landing } from '../landing.js';
import { nodeRulesKey } from '../node-rules.js';
import { Findings } from '../violation.js';

/** Answers what a pool could launch for a pod alone; equal questions are asked once. */
export class LoneClaims {
  readonly #context: Omit<FitContext, 'findings'>;
  readonly #landings = new Map<string, readonly Landing[]>();
  readonly #cheapest = new Map<string, Landing | undefined>();

  constructor(context: Omit<FitContext, 'findings'>) {
    this.#context = context;
  }

  /** The cheapest landing of the pool that holds the pod by itself; undefined when none does, or too few for minValues. */
  cheapest(pod: Pod, offer: PoolOffer): Landing | undefined {
    const key = `${offer.pool.name} ${questionOf(pod)}`;
    if (!this.#cheapest.has(key)) this.#cheapest.set(key, this.#findCheapest(pod, offer));
    return this.#cheapest.get(key);
  }

  /** All landings of the pool that hold the pod by itself, cheapest first. */
  holding(pod: Pod, offer: PoolOffer): readonly Landing[] {
    return this.#byPrice(offer).filter((landing) => this.#holds(pod, offer, landing));
  }

  #findCheapest(pod: Pod, offer: PoolOffer): Landing | undefined {
    const { requirements } = offer.pool.template;
    const first = this.#byPrice(offer).find((landing) => this.#holds(pod, offer, landing));
    if (requirements.every(({ minValues }) => minValues <= 1)) return first;
    return this.#cheapestListed(offer, this.holding(pod, offer));
  }

  /** A claim lists zones and capacity types for all of its types: it needs some in which enough types always hold the pod. */
  #cheapestListed(offer: PoolOffer, holding: readonly Landing[]): Landing | undefined {
    const isHolding = new Set(holding);
    const placeOf = ({ launch }: Landing): string =>
      `${launch?.offering.zone ?? ''} ${launch?.offering.capacityType ?? ''} ${tenancyOf({ launch })}`;
    const zones = subsetsOf([...new Set(holding.map(({ launch }) => launch?.offering.zone ?? ''))]);
    const types = subsetsOf([...new Set(holding.map(({ launch }) => launch?.offering.capacityType ?? ''))]);
    const tenancies = [...new Set(this.#byPrice(offer).map(tenancyOf))];
    const sets = tenancies.flatMap((tenancy) => zones.map((zoneSet) => ({ tenancy, zoneSet })));
    const found = sets.flatMap(({ tenancy, zoneSet }) =>
      types.flatMap((typeSet) => {
        const places = new Set(
          zoneSet.flatMap((zone) => typeSet.map((type) => `${zone} ${type} ${tenancy}`)),
        );
        const there = this.#byPrice(offer).filter((landing) => places.has(placeOf(landing)));
        const unsafe = new Set(there.filter((each) => !isHolding.has(each)).map(typeNameOf));
        const listed = there.filter((landing) => !unsafe.has(typeNameOf(landing)));
        const short = shortOfMinValues(offer.pool.template.requirements, listed);
        return short === undefined ? listed.slice(0, 1) : [];
      }),
    );
    return found.sort((left, right) => priceOf(left) - priceOf(right))[0];
  }

  /** A static pool launches nothing for pods. */
  #byPrice(offer: PoolOffer): readonly Landing[] {
    const { name, replicas } = offer.pool;
    const known = this.#landings.get(name);
    if (known !== undefined) return known;
    const all = replicas === undefined && offer.frozen !== true ? poolLandings(offer, 'lone') : [];
    const sorted = [...all].sort((left, right) => priceOf(left) - priceOf(right));
    this.#landings.set(name, sorted);
    return sorted;
  }

  #holds(pod: Pod, offer: PoolOffer, landing: Landing): boolean {
    const target: Target = {
      kind: 'NodeClaim',
      name: 'lone',
      landings: [landing],
      taints: offer.pool.template.taints,
      residents: [{ key: podKey(pod), pod, placed: true }],
      node: undefined,
      claim: undefined,
      offer,
    };
    return fits(target, this.#context);
  }
}

/** The same text for pods that fit the same instances when they are alone. */
function questionOf({ spec }: Pod): string {
  const { requests, volumes, hostPorts, resourceClaims } = spec;
  return `${nodeRulesKey(spec)} ${JSON.stringify([[...requests].sort(), volumes, hostPorts, resourceClaims])}`;
}

function fits(target: Target, context: Omit<FitContext, 'findings'>): boolean {
  const findings = new Findings();
  checkFit(target, { ...context, findings });
  return findings.all.length === 0;
}

/**
 * A pod left out although a pool without limits could launch an instance for it, or a node has room for it after all.
 * Pods whose place depends on other pods, or that have volumes or claim devices, are not judged.
 */
export function checkLeftOut(state: FinalState, context: FitContext, lone: LoneClaims): void {
  const repelling = termsThatRepel(state);
  const nodes = state.targets.filter(({ kind }) => kind === 'Node');
  for (const { pod: key } of state.plan.unschedulable) {
    const pod = state.pending.get(key);
    if (pod === undefined || pod.spec.volumes.length + pod.spec.resourceClaims.length > 0) continue;
    if (!standsAlone(pod, repelling, state)) continue;
    const unlimited = state.input.pools.filter(({ pool }) => pool.limits.size === 0);
    const offer = unlimited.find((item) => lone.cheapest(pod, item) !== undefined);
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
  if (lone.cheapest(pod, offer) === undefined) return false;
  const holding = limits.size === 0 ? [] : lone.holding(pod, offer);
  return [...limits].every(([resource, limit]) => {
    const largest = Math.max(0, ...holding.map((landing) => capacityOf(landing, resource)));
    return mostUsed(state, offer, resource) + largest <= limit;
  });
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

function typeNameOf({ launch }: Landing): string {
  return launch?.type.name ?? '';
}

/** A claim is launched with one. */
function tenancyOf({ launch }: Pick<Landing, 'launch'>): string {
  return launch?.type.labels.get('karpenter.k8s.aws/instance-tenancy') ?? 'default';
}

/** Every choice of some of them. */
function subsetsOf(all: readonly string[]): readonly (readonly string[])[] {
  const [first, ...rest] = all;
  if (first === undefined) return [];
  const without = subsetsOf(rest);
  return [[first], ...without.map((each) => [first, ...each]), ...without];
}
