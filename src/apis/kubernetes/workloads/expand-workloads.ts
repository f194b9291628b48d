/** Workloads → the pods that they are still going to make. */
import { isFinished, type Pod } from '../../../domain/pods/pod.js';
import { type Labels, NO_LABELS } from '../../../domain/values/labels.js';
import { refuse } from '../object/field.js';
import type { PodContext } from '../pods/pod-context.js';
import { PodTemplate } from './pod-template.js';
import type { Workload, WorkloadKind, ReadWorkload } from '../pods/workload.js';
import { Ownership, POD_TEMPLATE_HASH } from '../pods/workload-owner.js';
import type { Document } from '../../documents/document.js';

/** More than any cluster runs; keeps one mistyped number from filling the memory. */
const MOST_PODS = 250_000;

/** In this order names are given out, so that numbered pods get theirs. */
const KIND_ORDER: readonly WorkloadKind[] = ['StatefulSet', 'Deployment', 'ReplicaSet', 'Job'];

export interface Expansion {
  readonly workloads: readonly Workload[];
  /** All that are listed, finished ones too. */
  readonly pods: readonly Pod[];
  readonly context: PodContext;
  /** Whether anything selects pods by a label in which pods of one workload differ. */
  readonly ownLabels: boolean;
}

/**
 * Pending pods `<workload>-<index>` for the replicas that no listed pod stands for. A StatefulSet's index is the
 * ordinal; elsewhere it continues from the number of pods that are listed, passing over names that are taken. All pods
 * of a workload share one PodSpec unless their claims, or labels that something selects on, differ. What is wrong in
 * a template is added to the findings of its workload.
 */
export function expandWorkloads(expansion: Expansion): readonly Pod[] {
  const { workloads, pods, context, ownLabels } = expansion;
  const ownership = new Ownership(workloads, pods);
  const names = new Names(pods);
  const made: Pod[] = [];
  for (const workload of inOrder(workloads)) {
    if (ownership.isCountedElsewhere(workload)) continue;
    const owned = ownership.podsOf(workload);
    const count = missingCount(workload, owned);
    if (made.length + count > MOST_PODS) {
      refuse(
        workload.replicasField,
        `has more pods than can be planned: ${String(count)} of ${String(MOST_PODS)} in total`,
      );
      continue;
    }
    const labels = controllerLabels(workload, ownership);
    const template = new PodTemplate(workload, context, { labels, ownLabels });
    for (const index of names.take(workload, count, owned.filter(isActive).length))
      made.push(template.pod(index));
  }
  return made;
}

function inOrder(workloads: readonly Workload[]): readonly Workload[] {
  const key = (item: Workload): string =>
    `${String(KIND_ORDER.indexOf(item.kind))}/${item.namespace}/${item.name}`;
  return [...workloads].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Pods that the workload's controller would still make. It does not count finished pods, nor those on their way out. */
function missingCount(workload: Workload, owned: readonly Pod[]): number {
  const active = owned.filter(isActive).length;
  if (workload.kind !== 'Job') return Math.max(0, workload.replicas - active);
  const succeeded = Math.max(workload.succeeded, owned.filter((pod) => pod.phase === 'Succeeded').length);
  const { completions } = workload;
  if (completions === undefined) return succeeded > 0 ? 0 : Math.max(0, workload.replicas - active);
  return Math.max(0, Math.min(workload.replicas, completions - succeeded) - active);
}

function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !pod.terminating;
}

/** Deployments' pods carry the hash of their template, so that matchLabelKeys can tell revisions apart. */
function controllerLabels(workload: Workload, ownership: Ownership): Labels {
  if (workload.kind !== 'Deployment') return NO_LABELS;
  const hash = ownership.templateHashOf(workload) ?? templateHash(workload.template.value);
  return new Map([[POD_TEMPLATE_HASH, hash]]);
}

/** Names of pods that are there or have been given out. */
class Names {
  readonly #listed: Set<string>;
  readonly #present: Set<string>;

  constructor(pods: readonly Pod[]) {
    this.#listed = new Set(pods.map(nameOf));
    this.#present = new Set(pods.filter((pod) => !isFinished(pod)).map(nameOf));
  }

  /** Indexes of the workload's missing pods. */
  *take(workload: Workload, count: number, active: number): Generator<number> {
    const numbered = workload.kind === 'StatefulSet';
    // A finished pod of a StatefulSet is replaced under its own name; elsewhere the name is not used again.
    const taken = numbered ? this.#present : this.#listed;
    const first = numbered ? workload.firstOrdinal : active;
    const end = numbered ? first + workload.replicas : Infinity;
    let left = numbered ? Infinity : count;
    for (let index = first; left > 0 && index < end; index++) {
      const name = nameOf({ namespace: workload.namespace, name: `${workload.name}-${String(index)}` });
      if (taken.has(name)) continue;
      this.#listed.add(name);
      this.#present.add(name);
      left--;
      yield index;
    }
  }
}

function nameOf(pod: Pick<Pod, 'namespace' | 'name'>): string {
  return `${pod.namespace}/${pod.name}`;
}

/** FNV-1a (32 bits, hex) of the value as JSON with sorted keys: equal templates get equal hashes. */
function templateHash(template: unknown): string {
  const text = JSON.stringify(template, sortKeys) as string | undefined;
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text ?? '')) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A workload with the document that it was read from. */
export interface ReadDocument extends ReadWorkload {
  readonly document: Document;
}

/** Workloads as they are listed: Jobs beside the JobSets that make them, and pods beside the Jobs that own them. */
export function workloadsOf(read: readonly ReadDocument[]): readonly Workload[] {
  return read.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

/** A Job that is listed beside its JobSet says more of itself, but for the gang that the JobSet makes of all its Jobs. */
export function withJobSets(
  read: readonly ReadDocument[],
  ofJobSets: readonly ReadDocument[],
): readonly ReadDocument[] {
  const made = new Map(ofJobSets.map((each) => [jobKey(each), each.value]));
  const listed = new Set(read.map(jobKey));
  return [
    ...read.map((each) => {
      const gang = each.value?.gang ?? made.get(jobKey(each))?.gang;
      return each.value === undefined ? each : { ...each, value: { ...each.value, gang } };
    }),
    ...ofJobSets.map((each) => (listed.has(jobKey(each)) ? { ...each, value: undefined } : each)),
  ];
}

/** '' for what is no Job. */
function jobKey({ value }: ReadDocument): string {
  return value?.kind === 'Job' ? `${value.namespace}/${value.name}` : '';
}

/** Listed pods of Jobs that are gangs; those that the Jobs are still going to make have theirs from the template. */
export function withGangsOfJobs(pods: readonly Pod[], workloads: readonly Workload[]): readonly Pod[] {
  const gangs = new Map(
    workloads.flatMap(({ namespace, name, gang }): [string, string][] =>
      gang === undefined ? [] : [[`${namespace}/${name}`, gang]],
    ),
  );
  if (gangs.size === 0) return pods;
  return pods.map((pod) => {
    const { gang, namespace, owner } = pod;
    const key = owner?.kind === 'Job' ? gangs.get(`${namespace}/${owner.name}`) : undefined;
    return gang !== undefined || key === undefined ? pod : { ...pod, gang: { key, minMembers: 'all' } };
  });
}
