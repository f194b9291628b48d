/** What the pods of each node request, kept from one scrape to the next for nodes whose pods have not changed. */
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { isFinished } from '../../domain/pods/pod.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { Cluster } from '../../state/cluster/cluster.js';

/** What the pods of a node request. */
interface NodeRequests {
  readonly all: ResourceList;
  readonly daemons: ResourceList;
  readonly byNamespace: ReadonlyMap<string, ResourceList>;
}

/** A node with what is measured of it. */
export interface MeasuredNode extends NodeRequests {
  readonly node: ObservedNode;
}

export class RequestsOnNodes {
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
  for (const pod of cluster.podsOn(name)) {
    if (isFinished(pod)) continue;
    const { requests } = pod.spec;
    addTo(all, requests);
    if (pod.owner?.kind === 'DaemonSet') addTo(daemons, requests);
    const own = byNamespace.get(pod.namespace) ?? new Map<string, number>();
    byNamespace.set(pod.namespace, own);
    addTo(own, requests);
  }
  return { all, daemons, byNamespace };
}
