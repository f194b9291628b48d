/** Who has to go so that a more important pod fits (kube-scheduler's DefaultPreemption). */
import type { Pod, PodDisruptionBudget } from '../cluster/objects.js';
import { selects } from '../kubernetes/objects/label-selector.js';
import { availability, histogram, type Diagnosis } from './diagnosis.js';
import type { Extender, Victims } from './extender.js';
import { feasibility } from './filters/feasibility.js';
import type { Facts } from './filters/node-check.js';
import { EarlyRefusal } from './filters/node-check.js';
import type { NodeInfo } from './filters/node-info.js';
import type { PodInfo } from './filters/pod-info.js';

/** More candidates than this are not worth looking for. */
const MOST_CANDIDATES = 100;
const NO_VICTIMS = 'No preemption victims found for incoming pod';
const NOT_HELPFUL = 'Preemption is not helpful for scheduling';

export interface Preemption {
  /** undefined: no pod is preempted, for the reason in `message`. */
  readonly nodeName: string | undefined;
  readonly victims: readonly Pod[];
  readonly message: string;
}

export interface PreemptionQuestion {
  readonly pod: PodInfo;
  readonly facts: Facts;
  readonly diagnosis: Diagnosis;
  readonly extender: Extender | undefined;
}

/** @throws Error when an extender that may not be ignored fails. */
export async function preempt(question: PreemptionQuestion): Promise<Preemption> {
  const { pod, facts, extender } = question;
  const ineligible = whyNot(pod, facts);
  if (ineligible !== undefined) return noPreemption(`preemption: ${ineligible}.`);
  const { candidates, reasons } = candidatesOf(question);
  const isAsked = extender !== undefined && candidates.size > 0;
  const left = isAsked ? await extender.preempt(pod.pod, candidates) : candidates;
  const nodeName = cheapest(left);
  if (nodeName === undefined)
    return noPreemption(`preemption: ${availability(facts.nodes.length, histogram(reasons))}`);
  return { nodeName, victims: left.get(nodeName)?.pods ?? [], message: '' };
}

/** Nodes with who would have to go, and why the others are none. */
function candidatesOf({ pod, facts, diagnosis }: PreemptionQuestion): {
  readonly candidates: ReadonlyMap<string, Victims>;
  readonly reasons: readonly string[];
} {
  const candidates = new Map<string, Victims>();
  const reasons: string[] = [];
  for (const node of facts.nodes) {
    const isResolvable = diagnosis.refusals.get(node.name)?.resolvable ?? false;
    const isTried = isResolvable && candidates.size < MOST_CANDIDATES;
    const victims = isTried ? victimsOn(node, pod, facts) : undefined;
    if (victims !== undefined) candidates.set(node.name, victims);
    else reasons.push(isResolvable ? NO_VICTIMS : NOT_HELPFUL);
  }
  return { candidates, reasons };
}

function noPreemption(message: string): Preemption {
  return { nodeName: undefined, victims: [], message };
}

function whyNot({ pod, priority }: PodInfo, facts: Facts): string | undefined {
  if (pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never';
  const nominated = facts.nodes.find(({ name }) => name === pod.status?.nominatedNodeName);
  for (const other of nominated?.pods ?? [])
    if (other.isTerminating && other.priority < priority)
      return 'not eligible due to a terminating pod on the nominated node';
  return undefined;
}

/** As few and as unimportant pods as possible; undefined when even all of them are not enough, or none is needed. */
function victimsOn(node: NodeInfo, pod: PodInfo, facts: Facts): Victims | undefined {
  const lower = [...node.pods].filter(({ priority }) => priority < pod.priority);
  if (lower.length === 0) return undefined;
  const left = node.copy();
  for (const { uid } of lower) left.remove(uid);
  if (!fits(pod, left, facts)) return undefined;
  const budgets = facts.list('poddisruptionbudgets.policy') as readonly PodDisruptionBudget[];
  const violating = violatingPods(lower, budgets);
  const order = [...lower].sort(
    (a, b) => Number(violating.has(b.uid)) - Number(violating.has(a.uid)) || moreImportant(a, b),
  );
  const victims: PodInfo[] = [];
  for (const other of order) {
    left.add(other);
    if (fits(pod, left, facts)) continue;
    left.remove(other.uid);
    victims.push(other);
  }
  if (victims.length === 0) return undefined;
  return {
    pods: victims.sort(moreImportant).map((victim) => victim.pod),
    numPDBViolations: victims.filter(({ uid }) => violating.has(uid)).length,
  };
}

function fits(pod: PodInfo, changed: NodeInfo, facts: Facts): boolean {
  const nodes = facts.nodes.map((node) => (node.name === changed.name ? changed : node));
  try {
    return feasibility(pod, { ...facts, nodes })(changed) === undefined;
  } catch (error) {
    if (error instanceof EarlyRefusal) return false;
    throw error;
  }
}

/** Pods whose going would exceed what their budgets allow. */
function violatingPods(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): ReadonlySet<string> {
  const allowed = new Map(
    budgets.map((budget) => [budget, Number(budget.status?.['disruptionsAllowed'] ?? 0)]),
  );
  const violating = new Set<string>();
  for (const { uid, namespace, labels } of pods)
    for (const [budget, left] of allowed) {
      const isMeant = budget.metadata.namespace === namespace && selects(budget.spec.selector, labels);
      if (!isMeant) continue;
      allowed.set(budget, left - 1);
      if (left <= 0) violating.add(uid);
    }
  return violating;
}

/** By priority, then by who has been there longer. */
function moreImportant(left: PodInfo, right: PodInfo): number {
  return right.priority - left.priority || compareText(startOf(left.pod), startOf(right.pod));
}

/** Fewest broken budgets, then the least important victims, then the fewest, then those that came last. */
function cheapest(candidates: ReadonlyMap<string, Victims>): string | undefined {
  const ranked = [...candidates].map(([nodeName, { pods, numPDBViolations }]) => {
    const priorities = pods.map(({ spec }) => spec.priority ?? 0);
    const [first] = pods;
    const key = [
      numPDBViolations,
      Math.max(...priorities, -Infinity),
      priorities.reduce((sum, priority) => sum + priority, 0),
      pods.length,
    ];
    return { nodeName, key, start: first === undefined ? '' : startOf(first) };
  });
  ranked.sort((a, b) => compareKeys(a.key, b.key) || compareText(b.start, a.start));
  return ranked[0]?.nodeName;
}

function startOf({ status, metadata }: Pod): string {
  return status?.startTime ?? metadata.creationTimestamp;
}

function compareKeys(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((value, at) => value !== right[at]);
  return index < 0 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
