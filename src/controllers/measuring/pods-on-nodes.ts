/** What the pods of each node request, and in which state they are, kept from one scrape to the next for nodes whose pods have not changed. */
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { isFinished } from '../../domain/pods/pod.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { Cluster } from '../../state/cluster/cluster.js';

/** Pods that have ended are not watched. */
export const PHASES: readonly ObservedPod['phase'][] = ['Pending', 'Running', 'Unknown'];

/** A number for phase, whether the pod is bound and whether it is ready: four for each phase. */
export function podState({ nodeName, phase, ready }: ObservedPod): number {
  return PHASES.indexOf(phase) * 4 + (nodeName === undefined ? 0 : 2) + (ready ? 1 : 0);
}

/** What the pods of a node request. */
interface NodeRequests {
  readonly all: ResourceList;
  readonly daemons: ResourceList;
  readonly byNamespace: ReadonlyMap<string, ResourceList>;
  /** `podState` → how many pods. */
  readonly states: ReadonlyMap<number, number>;
}

/** A node with what is measured of it. */
export interface MeasuredNode extends NodeRequests {
  readonly node: ObservedNode;
}

export class PodsOnNodes {
  /** By node; those whose pods have changed are missing. */
  readonly #requests = new Map<string, NodeRequests>();

  /** Hears of changes from now on. Answers what ends that. */
  follow(cluster: Cluster): readonly (() => void)[] {
    const forget = (name: string | undefined): void => {
      if (name !== undefined) this.#requests.delete(name);
    };
    this.#requests.clear();
    return [
      cluster.pods.subscribe(({ before, after }) => {
        forget(before?.nodeName);
        forget(after?.nodeName);
      }),
      cluster.nodes.subscribe(({ key, after }) => {
        if (after === undefined) forget(key);
      }),
    ];
  }

  all(cluster: Cluster): readonly MeasuredNode[] {
    const nodes: MeasuredNode[] = [];
    for (const node of cluster.nodes.values()) {
      const requests = this.#requests.get(node.name) ?? requestsOn(cluster, node.name);
      this.#requests.set(node.name, requests);
      nodes.push({ node, ...requests });
    }
    return nodes;
  }
}

/** In place: adding one list to another would make tens of thousands of them. */
export function addTo(sum: Map<string, number>, amounts: ResourceList): void {
  for (const [resource, amount] of amounts) sum.set(resource, (sum.get(resource) ?? 0) + amount);
}

function requestsOn(cluster: Cluster, name: string): NodeRequests {
  const all = new Map<string, number>();
  const daemons = new Map<string, number>();
  const byNamespace = new Map<string, Map<string, number>>();
  const states = new Map<number, number>();
  for (const pod of cluster.podsOn(name)) {
    const state = podState(pod);
    states.set(state, (states.get(state) ?? 0) + 1);
    if (isFinished(pod)) continue;
    const { requests } = pod.spec;
    addTo(all, requests);
    if (pod.owner?.kind === 'DaemonSet') addTo(daemons, requests);
    const own = byNamespace.get(pod.namespace) ?? new Map<string, number>();
    byNamespace.set(pod.namespace, own);
    addTo(own, requests);
  }
  return { all, daemons, byNamespace, states };
}
