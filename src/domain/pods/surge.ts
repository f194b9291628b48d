/** A replica more while a pod leaves its node: which pods ask for it, which get it, and what is remembered until it is taken back. */
import { DELETION_COST, hasOwnDeletionCost } from './movable-pods.js';
import type { Pod } from './pod.js';
import type { Workload } from './workload.js';

/** On pods: with `"true"` the Deployment gets a replica more before the pod has to leave its node. */
export const SURGE_ANNOTATION = 'berth.sh/surge';
/** On a NodeClaim: the Deployments that have a replica more because of it (JSON). */
export const SURGES_ANNOTATION = 'berth.sh/surges';

/** One pod that leaves, and the Deployment that has a replica more for it. */
export interface Surge {
  /** `namespace/name` */
  readonly deployment: string;
  readonly podUID: string;
  /** Replicas of the Deployment before. */
  readonly replicas: number;
  /** The replica is taken back, whatever else happens. */
  readonly isReturning: boolean;
  /** When the step began, in milliseconds since 1970. */
  readonly since: number;
}

/** A HorizontalPodAutoscaler, as far as it says whose replicas it sets. */
export interface HorizontalPodAutoscaler {
  readonly namespace: string;
  readonly name: string;
  /** `namespace/name` of the Deployment that it scales; undefined when it scales another kind. */
  readonly deployment: string | undefined;
}

export function wantsSurge({ annotations }: Pick<Pod, 'annotations'>): boolean {
  return annotations.get(SURGE_ANNOTATION) === 'true';
}

/**
 * `namespace/name` of the Deployment to scale, or why the pod is evicted as any other. `workload` is the pod's ReplicaSet, and
 * `autoscaled` are the Deployments that HorizontalPodAutoscalers scale, which would take the replica back.
 */
export function surgeOf(
  { owner, spec, annotations }: Pick<Pod, 'owner' | 'spec' | 'annotations'>,
  workload: Pick<Workload, 'deployment'> | undefined,
  autoscaled: ReadonlySet<string>,
): { readonly deployment: string } | { readonly refusal: string } {
  const deployment = owner?.kind === 'ReplicaSet' ? workload?.deployment : undefined;
  if (deployment === undefined) return { refusal: 'it belongs to no Deployment' };
  if (autoscaled.has(deployment))
    return { refusal: `a HorizontalPodAutoscaler sets the replicas of Deployment ${deployment}` };
  if (spec.volumes.length > 0) return { refusal: 'its volumes may be in use on one node only' };
  if (annotations.has(DELETION_COST) && !hasOwnDeletionCost(annotations))
    return { refusal: `it has its own ${DELETION_COST}` };
  return { deployment };
}

/** What the annotation of a NodeClaim says; what is not readable is left out. */
export function readSurges(annotations: ReadonlyMap<string, string>): readonly Surge[] {
  const text = annotations.get(SURGES_ANNOTATION);
  if (text === undefined) return [];
  try {
    const items: unknown = JSON.parse(text);
    return Array.isArray(items) ? items.filter(isSurge) : [];
  } catch {
    return [];
  }
}

/** The value of the annotation; null where nothing is to be remembered. */
export function surgesText(surges: readonly Surge[]): string | null {
  return surges.length === 0 ? null : JSON.stringify(surges);
}

function isSurge(item: unknown): item is Surge {
  const { deployment, podUID, replicas, isReturning, since } = (item ?? {}) as Partial<Surge>;
  return (
    typeof deployment === 'string' &&
    deployment.includes('/') &&
    typeof podUID === 'string' &&
    Number.isSafeInteger(replicas) &&
    typeof isReturning === 'boolean' &&
    Number.isSafeInteger(since)
  );
}
