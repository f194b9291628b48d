/** Which defaults a pod lacks because the webhook was not asked when it was created (its failurePolicy is Ignore). */
import { PLAN_GATE } from '../../domain/pods/gate.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PodDefaults, StampedFields } from '../../domain/policies/pod-defaults.js';
import { STAMPED_ANNOTATION, stampPod, type StampRequest } from './stamp-pod.js';

/** Of a pod in the API only what these read is kept: they decide who binds it, and when. */
const NO_OTHERS: Omit<StampedFields, 'schedulerName' | 'schedulingGate'> = {
  architecture: undefined,
  capacityType: undefined,
  nodePool: undefined,
  nodeSelector: new Map(),
  spread: { zone: undefined, host: undefined },
  tolerations: [],
};

export type MissedStampsRequest = Pick<
  StampRequest,
  'namespaceLabels' | 'podDefaults' | 'schedulerRuns' | 'ownNamespace' | 'demandTerms'
>;

/** Field → name of the PodDefaults that would have stamped it. Empty for a pod that was stamped, whatever else it lacks. */
export function missedStamps(pod: ObservedPod, request: MissedStampsRequest): ReadonlyMap<string, string> {
  if (pod.annotations.has(STAMPED_ANNOTATION)) return new Map();
  const podDefaults = request.podDefaults.map((document): PodDefaults => ({ ...document, ...NO_OTHERS }));
  return stampPod({
    ...request,
    podDefaults,
    pod: asSubmitted(pod),
    namespace: pod.namespace,
    isLed: true,
  }).stamped;
}

function asSubmitted({ name, namespace, annotations, owner, nodeName, spec, ...pod }: ObservedPod): unknown {
  return {
    metadata: {
      name,
      namespace,
      labels: Object.fromEntries(spec.labels),
      annotations: Object.fromEntries(annotations),
      ownerReferences: owner === undefined ? [] : [{ kind: owner.kind }],
    },
    spec: {
      nodeName: nodeName ?? '',
      schedulerName: spec.schedulerName,
      schedulingGates: pod.awaitsPlace ? [{ name: PLAN_GATE }] : [],
      resourceClaims: spec.resourceClaims.map(() => ({})),
    },
  };
}
