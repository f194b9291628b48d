/** Spread constraints as questions: who asks them, which pods they count, which domains they look at. */
import { selectorKey, selects } from '../../../src/domain/values/label-selector.js';
import type { PodSpec } from '../../../src/domain/pods/pod.js';
import type { TopologySpreadConstraint } from '../../../src/domain/pods/topology-spread.js';
import { labelValues, type Resident, type Target } from './final-state.js';
import { admittedByLabels, nodeRulesKey, toleratesAll } from './node-rules.js';

export interface SpreadOptions {
  /**
   * existing: the domains are those of nodes and claims, as kube-scheduler sees them. launchable: also those, but for
   * host names, that some pool could launch into, as Karpenter counts them.
   */
  readonly domains: 'existing' | 'launchable';
}

export interface Member {
  readonly target: Target;
  readonly resident: Resident;
}

/** One question: a constraint as pods of one namespace with one set of node rules ask it. */
export interface Group {
  readonly constraint: TopologySpreadConstraint;
  readonly spec: PodSpec;
  /** Keys that a node must have to be looked at: those of all hard constraints of the pod. */
  readonly keys: readonly string[];
  readonly members: Member[];
}

/** One group per constraint, as pods of one namespace with one set of node rules ask it. */
export function groupsOf(targets: readonly Target[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const target of targets) {
    for (const resident of target.residents) {
      if (!resident.placed) continue;
      const { spec } = resident.pod;
      const constraints = spec.spread.filter(
        ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
      );
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

function groupKey(spec: PodSpec, constraint: TopologySpreadConstraint, keys: readonly string[]): string {
  const { selector, ...rest } = constraint;
  return JSON.stringify([spec.namespace, rest, selectorKey(selector), keys, nodeRulesKey(spec)]);
}

/** The domains in which the target may be an eligible node; `always`: it is one however it lands. */
export function eligibleDomains(
  group: Group,
  target: Target,
): { readonly domains: ReadonlySet<string>; readonly always: boolean } {
  const { constraint, spec, keys } = group;
  const nowhere = { domains: new Set<string>(), always: false };
  // A cordon counts once the node has the taint of it, which the node lifecycle controller gives.
  const taints = target.node?.taints ?? target.taints;
  if (constraint.nodeTaintsPolicy === 'Honor' && !toleratesAll(spec, taints)) return nowhere;
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
export function isCounted({ constraint, spec }: Group, { pod }: Resident): boolean {
  return (
    pod.namespace === spec.namespace && !pod.terminating && selects(constraint.selector, pod.spec.labels)
  );
}
