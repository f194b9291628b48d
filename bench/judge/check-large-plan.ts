/**
 * The plan checker on a cluster of tens of thousands of pods: rules between pods are asked family by family, since pods that
 * no selector joins have nothing to say to each other; all other rules at once.
 */
import { selectorKey, selects, type LabelSelector } from '../../src/domain/values/label-selector.js';
import { NO_POD_AFFINITY } from '../../src/domain/pods/affinity.js';
import { podKey, type Pod, type PodSpec } from '../../src/domain/pods/pod.js';
import type { Plan } from '../../src/planning/plan.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { checkPlan } from '../../test/support/plan-checker/check-plan.js';
import { checkPodAffinity } from '../../test/support/plan-checker/checks/check-pod-affinity.js';
import { checkSpread } from '../../test/support/plan-checker/checks/check-spread.js';
import { finalState } from '../../test/support/plan-checker/final-state.js';
import { Findings, type Violation } from '../../test/support/plan-checker/violation.js';

/** Families are asked so many parts at a time: each part looks at every node once. */
const PARTS = 48;
const SPREAD = { domains: 'launchable' } as const;

/** Errors only. */
export function checkLargePlan(input: ClusterInput, plan: Plan): readonly Violation[] {
  const plain = { ...input, pods: input.pods.map(withoutTopology) };
  const findings = new Findings();
  const parts = partsOf(input.pods);
  const placed = new Map(plan.placements.map((placement) => [placement.pod, placement]));
  for (const pods of parts) {
    const placements = pods.flatMap((pod) => placed.get(podKey(pod)) ?? []);
    const state = finalState({ ...input, pods }, { ...plan, placements });
    checkSpread(state, SPREAD, findings);
    checkPodAffinity(state, findings);
  }
  const others = checkPlan(plain, plan, { spread: SPREAD });
  return [...others, ...findings.all].filter(({ level }) => level === 'error');
}

function withoutTopology(pod: Pod): Pod {
  return {
    ...pod,
    spec: { ...pod.spec, spread: [], podAffinity: NO_POD_AFFINITY, podAntiAffinity: NO_POD_AFFINITY },
  };
}

/** Pods with the same labels, and the selectors that one of them has. */
interface Kind {
  readonly index: number;
  readonly pod: Pod;
  /** By their texts: replicas have equal ones, each its own. */
  readonly selectors: Map<string, LabelSelector>;
}

/** The pods in parts: those that a selector of one of them joins are in the same. */
function partsOf(pods: readonly Pod[]): readonly (readonly Pod[])[] {
  const kinds = kindsOf(pods);
  const parent = Array.from(kinds.values(), ({ index }) => index);
  const rootOf = (index: number): number => {
    const above = parent[index] ?? index;
    return above === index ? index : rootOf(above);
  };
  for (const { index, selectors } of kinds.values()) {
    const joined = (other: Kind): boolean =>
      [...selectors.values()].some((selector) => selects(selector, other.pod.spec.labels));
    for (const other of kinds.values()) if (joined(other)) parent[rootOf(other.index)] = rootOf(index);
  }
  const parts = Array.from({ length: PARTS }, (): Pod[] => []);
  for (const pod of pods) parts[rootOf(kinds.get(labelsKey(pod))?.index ?? 0) % PARTS]?.push(pod);
  return parts;
}

/** Kinds by their labels. */
function kindsOf(pods: readonly Pod[]): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  for (const pod of pods) {
    const key = labelsKey(pod);
    const kind = kinds.get(key) ?? { index: kinds.size, pod, selectors: new Map<string, LabelSelector>() };
    kinds.set(key, kind);
    for (const each of selectorsOf(pod.spec)) kind.selectors.set(selectorKey(each), each);
  }
  return kinds;
}

function labelsKey({ spec }: Pod): string {
  return JSON.stringify([...spec.labels].sort());
}

function selectorsOf({ spread, podAffinity, podAntiAffinity }: PodSpec): readonly LabelSelector[] {
  return [...spread, ...podAffinity.required, ...podAntiAffinity.required].flatMap(
    ({ selector }) => selector ?? [],
  );
}
