/** Which listed pods belong to which workload, through the ReplicaSets between Deployments and pods. */
import { append } from '../../../domain/values/lists.js';
import type { Pod } from '../../../domain/pods/pod.js';
import type { Workload } from './workload.js';

export const POD_TEMPLATE_HASH = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';

/** Listed pods and ReplicaSets by the workload that owns them. */
export class Ownership {
  readonly #pods = new Map<string, Pod[]>();
  readonly #replicaSets = new Map<string, Workload[]>();
  readonly #workloads: ReadonlyMap<string, Workload>;

  constructor(workloads: readonly Workload[], pods: readonly Pod[]) {
    this.#workloads = new Map(workloads.map((item) => [keyOf(item.kind, item), item]));
    for (const item of workloads) {
      const deployment = item.kind === 'ReplicaSet' ? this.#deploymentOf(item) : undefined;
      if (deployment !== undefined) append(this.#replicaSets, deployment, item);
    }
    for (const pod of pods) for (const key of this.#ownersOf(pod)) append(this.#pods, key, pod);
  }

  /** Listed pods of the workload, finished ones too. */
  podsOf(workload: Workload): readonly Pod[] {
    return this.#pods.get(keyOf(workload.kind, workload)) ?? [];
  }

  /** Whether the workload is a ReplicaSet whose Deployment is listed, and which therefore counts for it. */
  isCountedElsewhere(workload: Workload): boolean {
    const deployment = workload.kind === 'ReplicaSet' ? this.#deploymentOf(workload) : undefined;
    return deployment !== undefined && this.#workloads.has(deployment);
  }

  /** The pod-template-hash of a Deployment's newest ReplicaSet or, without one, of all its pods. */
  templateHashOf(deployment: Workload): string | undefined {
    const key = keyOf(deployment.kind, deployment);
    const newest = [...(this.#replicaSets.get(key) ?? [])].sort((a, b) => revisionOf(b) - revisionOf(a))[0];
    if (newest !== undefined) return newest.labels.get(POD_TEMPLATE_HASH);
    const hashes = new Set(this.podsOf(deployment).map((pod) => pod.spec.labels.get(POD_TEMPLATE_HASH)));
    return hashes.size === 1 ? [...hashes][0] : undefined;
  }

  /** The owner itself and, for a ReplicaSet's pod, the Deployment above it. */
  #ownersOf(pod: Pod): readonly string[] {
    const { owner, namespace } = pod;
    if (owner === undefined) return [];
    const direct = keyOf(owner.kind, { namespace, name: owner.name });
    if (owner.kind !== 'ReplicaSet') return [direct];
    const replicaSet = this.#workloads.get(direct);
    const deployment =
      replicaSet === undefined ? deploymentByName(pod, owner.name) : this.#deploymentOf(replicaSet);
    return deployment === undefined ? [direct] : [direct, deployment];
  }

  #deploymentOf(replicaSet: Workload): string | undefined {
    const { owner, namespace } = replicaSet;
    return owner?.kind === 'Deployment' ? keyOf('Deployment', { namespace, name: owner.name }) : undefined;
  }
}

/** The Deployment controller names its ReplicaSets `<deployment>-<pod-template-hash>`. */
function deploymentByName(pod: Pod, replicaSet: string): string | undefined {
  const suffix = `-${pod.spec.labels.get(POD_TEMPLATE_HASH) ?? ''}`;
  if (suffix === '-' || !replicaSet.endsWith(suffix)) return undefined;
  return keyOf('Deployment', { namespace: pod.namespace, name: replicaSet.slice(0, -suffix.length) });
}

function revisionOf(replicaSet: Workload): number {
  const revision = Number(replicaSet.annotations.get(REVISION) ?? 0);
  return Number.isFinite(revision) ? revision : 0;
}

function keyOf(kind: string, object: { readonly namespace: string; readonly name: string }): string {
  return `${kind}/${object.namespace}/${object.name}`;
}
