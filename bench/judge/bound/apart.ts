/**
 * Pods that no host may hold together, by required anti-affinity or node selectors that exclude each other: then what each
 * part costs alone is to be paid in full.
 */
import { HOSTNAME, type Labels } from '../../../src/domain/values/labels.js';
import type { Pod } from '../../../src/domain/pods/pod.js';
import { DisjointSets } from '../../../src/domain/values/disjoint-sets.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { termKey, termMatchesPod } from '../../../test/support/plan-checker/checks/check-pod-affinity.js';

/** More kinds are not asked of each other: that would take too long. */
const MOST_KINDS = 3_000;

/** Pods with the same labels, anti-affinity and node selector; the first stands for all. */
interface Kind {
  readonly pods: Pod[];
  readonly terms: Pod['spec']['podAntiAffinity']['required'];
  readonly nodeSelector: Labels;
}

/** Pods of which some may share hosts with each other, and none with pods of another part. */
export interface Part {
  readonly pods: readonly Pod[];
  /** Whether they are all of a kind, and whether these keep off each other's hosts then. */
  readonly isAlike: boolean;
  readonly isScattered: boolean;
}

/** The pending pods in parts; none where nothing keeps them apart. */
export function partsApart({ pods, namespaces }: ClusterInput): readonly Part[] {
  const pending = pods.filter(({ nodeName }) => nodeName === undefined);
  const kinds = kindsOf(pending);
  if (kinds.length > MOST_KINDS || kinds.every(isFree)) return [];
  const together = new DisjointSets();
  for (const [index, kind] of kinds.entries()) {
    for (let other = 0; other < index; other++) {
      const earlier = kinds[other];
      if (earlier === undefined || areElsewhere(kind, earlier)) continue;
      if (!repels(kind, earlier, namespaces) && !repels(earlier, kind, namespaces))
        together.join(index, other);
    }
  }
  const parts = new Map<number, Kind[]>();
  for (const [index, kind] of kinds.entries()) {
    const part = together.find(index);
    parts.set(part, [...(parts.get(part) ?? []), kind]);
  }
  return [...parts.values()].map((members) => ({
    pods: members.flatMap((kind) => kind.pods),
    isAlike: members.length === 1,
    isScattered: members.some((kind) => repels(kind, kind, namespaces)),
  }));
}

function kindsOf(pending: readonly Pod[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  for (const pod of pending) {
    const terms = pod.spec.podAntiAffinity.required.filter(({ topologyKey }) => topologyKey === HOSTNAME);
    const { labels, nodeSelector } = pod.spec;
    const key = JSON.stringify([
      pod.namespace,
      textOf(labels),
      terms.map(termKey).sort(),
      textOf(nodeSelector),
    ]);
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, { pods: [pod], terms, nodeSelector });
    else kind.pods.push(pod);
  }
  return [...kinds.values()];
}

function isFree({ terms, nodeSelector }: Kind): boolean {
  return terms.length + nodeSelector.size === 0;
}

/** A node has one value of a label. */
function areElsewhere(one: Kind, other: Kind): boolean {
  return [...one.nodeSelector].some(([key, value]) => (other.nodeSelector.get(key) ?? value) !== value);
}

function textOf(labels: Labels): string {
  return JSON.stringify([...labels].sort());
}

function repels(kind: Kind, { pods: [other] }: Kind, namespaces: ClusterInput['namespaces']): boolean {
  return other !== undefined && kind.terms.some((term) => termMatchesPod(term, other, namespaces));
}
