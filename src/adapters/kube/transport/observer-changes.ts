/** What a process that only observes may change in the Kubernetes API: its Lease and its own records. Everything else is refused. */
import type { KubeChange, RefuseChange } from './kube-client.js';

/** A collection, its methods, and whether a path names an object of it, with or without the status. */
const RECORDS: readonly RegExp[] = [
  /^POST \/apis\/berth\.sh\/v1\/(?:policystatuses|decisions)$/,
  /^(?:PUT|PATCH|DELETE) \/apis\/berth\.sh\/v1\/(?:policystatuses|decisions)\/[^/]+(?:\/status)?$/,
  /^POST \/apis\/events\.k8s\.io\/v1\/namespaces\/[^/]+\/events$/,
  /^PATCH \/apis\/events\.k8s\.io\/v1\/namespaces\/[^/]+\/events\/[^/]+$/,
];

/** Of an observer whose Lease of this name is in this namespace. */
export function refuseObserversChanges(namespace: string, lease: string): RefuseChange {
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  return (change) => {
    const [path = ''] = change.path.split('?', 1);
    const asked = `${change.method} ${path}`;
    if (RECORDS.some((allowed) => allowed.test(asked))) return undefined;
    if (asked === `PUT ${leases}/${lease}`) return undefined;
    if (asked === `POST ${leases}` && nameIn(change) === lease) return undefined;
    return 'Berth only observes this cluster (--mode observe), so the request was not sent';
  };
}

function nameIn({ body }: KubeChange): unknown {
  try {
    const { metadata } = JSON.parse(body?.toString() ?? '{}') as { readonly metadata?: unknown };
    return (metadata as { readonly name?: unknown } | undefined)?.name;
  } catch {
    return undefined;
  }
}
