/** PodTopologySpread: in the final state no pod of the plan stands in a domain that is too far above the least. */
import { HOSTNAME } from '../../../src/domain/labels.js';
import { selectorKey, selects } from '../../../src/domain/label-selector.js';
import type { PodSpec } from '../../../src/domain/pod.js';
import { requirementsFromLabels } from '../../../src/domain/requirements.js';
import type { TopologySpreadConstraint } from '../../../src/domain/topology-spread.js';
import { labelValues, type FinalState, type Resident, type Target } from './final-state.js';
import { poolLandings } from './landing.js';
import { admittedByLabels, nodeRulesKey, toleratesAll } from './node-rules.js';
import type { Findings } from './violation.js';

export interface SpreadOptions {
  /**
   * existing: the domains are those of nodes and claims, as kube-scheduler sees them. launchable: also those, but for
   * host names, that some pool could launch into, as Karpenter counts them.
   */
  readonly domains: 'existing' | 'launchable';
  /** For pods that have no constraint of their own; the selector is the pod's labels. */
  readonly defaults: readonly Omit<TopologySpreadConstraint, 'selector'>[];
}

interface Member {
  readonly target: Target;
  readonly resident: Resident;
}

/** One question: a constraint as pods of one namespace with one set of node rules ask it. */
interface Group {
  readonly constraint: TopologySpreadConstraint;
  readonly spec: PodSpec;
  /** Keys that a node must have to be looked at: those of all hard constraints of the pod. */
  readonly keys: readonly string[];
  readonly members: Member[];
}

/** How many matching pods each domain holds, at least and at most, given where claims may land. */
interface Counts {
  readonly least: ReadonlyMap<string, number>;
  readonly most: ReadonlyMap<string, number>;
  /** How many domains there are wherever claims land. */
  readonly certain: number;
}

export function checkSpread(state: FinalState, options: SpreadOptions, findings: Findings): void {
  const launchable = options.domains === 'launchable' ? state.input.pools.map(launchableTarget) : [];
  for (const group of groupsOf(state.targets, options)) {
    const more = group.constraint.topologyKey === HOSTNAME ? [] : launchable;
    const counts = countMatching(group, state.targets, more);
    for (const member of group.members) checkMember(group, counts, member, findings);
  }
}

function groupsOf(targets: readonly Target[], options: SpreadOptions): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const target of targets) {
    for (const resident of target.residents) {
      if (!resident.placed) continue;
      const { spec } = resident.pod;
      const constraints = hardConstraints(spec, options);
      const keys = constraints.map(({ topologyKey }) => topologyKey);
      for (const constraint of constraints) {
        const key = groupKey(spec, constraint, keys);
        const group = groups.get(key) ?? { constraint, spec, keys, members: [] };
        group.members.push({ target, resident });
        groups.set(key, group);
      }
    }
  }
  return [...groups.values()];
}

/** The hard constraints that hold for a pod. */
function hardConstraints(spec: PodSpec, options: SpreadOptions): readonly TopologySpreadConstraint[] {
  const selector = { requirements: requirementsFromLabels(spec.labels) };
  const defaults = spec.labels.size === 0 ? [] : options.defaults.map((item) => ({ ...item, selector }));
  const all = spec.spread.length > 0 ? spec.spread : defaults;
  return all.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
}

function groupKey(spec: PodSpec, constraint: TopologySpreadConstraint, keys: readonly string[]): string {
  const { selector, ...rest } = constraint;
  return JSON.stringify([spec.namespace, rest, selectorKey(selector), keys, nodeRulesKey(spec)]);
}

/** A node without pods that may be anything the pool can launch. */
function launchableTarget(offer: FinalState['input']['pools'][number]): Target {
  return {
    kind: 'NodeClaim',
    name: `any of ${offer.pool.name}`,
    landings: offer.pool.replicas === undefined ? poolLandings(offer, '') : [],
    taints: offer.pool.template.taints,
    residents: [],
    node: undefined,
    claim: undefined,
    offer,
  };
}

/** Looks at the nodes that the constraint's policies and the pod's keys let it look at. */
function countMatching(group: Group, targets: readonly Target[], launchable: readonly Target[]): Counts {
  const least = new Map<string, number>();
  const most = new Map<string, number>();
  const certain = new Set<string>();
  for (const target of targets) {
    const { domains, always } = eligibleDomains(group, target);
    const matching = target.residents.filter((resident) => isCounted(group, resident)).length;
    const settled = always && domains.size === 1;
    for (const domain of domains) {
      add(most, domain, matching);
      add(least, domain, settled ? matching : 0);
      if (settled) certain.add(domain);
    }
  }
  for (const target of launchable) {
    for (const domain of eligibleDomains(group, target).domains) {
      add(least, domain, 0);
      certain.add(domain);
    }
  }
  return { least, most, certain: certain.size };
}

function add(counts: Map<string, number>, domain: string, amount: number): void {
  counts.set(domain, (counts.get(domain) ?? 0) + amount);
}

/** The domains in which the target may be an eligible node; `always`: it is one however it lands. */
function eligibleDomains(
  group: Group,
  target: Target,
): { readonly domains: ReadonlySet<string>; readonly always: boolean } {
  const { constraint, spec, keys } = group;
  const nowhere = { domains: new Set<string>(), always: false };
  if (constraint.nodeTaintsPolicy === 'Honor' && !toleratesAll(spec, target.taints)) return nowhere;
  const rules = constraint.nodeAffinityPolicy === 'Honor' && asksOfLabels(spec);
  if (!rules && keys.every((key) => !labelValues(target, key).has(undefined))) {
    const values = [...labelValues(target, constraint.topologyKey)];
    return { domains: new Set(values.filter((value) => value !== undefined)), always: true };
  }
  const eligible = target.landings.filter(
    ({ labels }) =>
      keys.every((key) => labels.get(key) !== undefined) &&
      (!rules || admittedByLabels(spec, { labels, name: target.node?.name })),
  );
  const values = eligible.map(({ labels }) => labels.get(constraint.topologyKey));
  return {
    domains: new Set(values.filter((value) => value !== undefined)),
    always: eligible.length === target.landings.length,
  };
}

function asksOfLabels(spec: PodSpec): boolean {
  return spec.nodeSelector.size > 0 || spec.nodeAffinity.required !== undefined;
}

/** Pods of the same namespace that the selector matches and that are not on their way out. */
function isCounted({ constraint, spec }: Group, { pod }: Resident): boolean {
  return (
    pod.namespace === spec.namespace && !pod.terminating && selects(constraint.selector, pod.spec.labels)
  );
}

/**
 * kube-scheduler asks, when it places the pod, that the domain's count and the pod itself, if it matches, exceed the
 * least count of any domain by at most maxSkew. Here every pod is asked as if it were the last one placed.
 */
function checkMember(group: Group, counts: Counts, { target, resident }: Member, findings: Findings): void {
  const { maxSkew, topologyKey, minDomains } = group.constraint;
  const self = isCounted(group, resident) ? 1 : 0;
  for (const domain of labelValues(target, topologyKey)) {
    if (domain === undefined) {
      findings.add('spread', resident.key, `${target.name} may have no label ${topologyKey}`);
      continue;
    }
    const here = counts.most.get(domain) ?? 0;
    const others = [...counts.least].filter(([other]) => other !== domain).map(([, least]) => least);
    const lowest = counts.certain < minDomains ? 0 : Math.min(here - self, ...others);
    if (here - lowest > maxSkew)
      findings.add(
        'spread',
        resident.key,
        `${topologyKey} ${domain} holds up to ${String(here)} matching pods, the least domain ${String(lowest)}; maxSkew ${String(maxSkew)}`,
      );
  }
}
