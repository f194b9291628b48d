/** Nominates, ungates, annotates, evicts and deletes Pods. */
import { decodeObservedPod } from '../../../apis/kubernetes/pods/observed-pod.js';
import { podContext } from '../../../apis/kubernetes/pods/pod-context.js';
import { HELD_TAINT_KEY } from '../../../domain/nodes/held-taint.js';
import { PLAN_GATE } from '../../../domain/pods/gate.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import { HOSTNAME } from '../../../domain/values/labels.js';
import type { PodWriter, UngatedPod } from '../../../ports/kube-writer.js';
import {
  asGone,
  collectionPath,
  objectPath,
  patch,
  remove,
  type ApiClient,
  type WriteRequest,
} from './api-object.js';
import { changeEntries, changeValue, sameObject, type PatchOperation } from './json-patch.js';

/**
 * Where the uid is another one, the API server itself tries again for 10 s before it says so (EvictionsRetry of
 * k8s.io/kubernetes/pkg/registry/core/pod/storage): it must not be cut short.
 */
const EVICTION_MILLIS = 20_000;

type PodChangeOptions = Pick<WriteRequest, 'signal' | 'urgency'> & { readonly subresource?: string };

export function podWriter(client: ApiClient): PodWriter {
  // What is answered here shares its specs with what was answered before, as watched pods do among themselves.
  const context = podContext();
  const change = (
    pod: ObservedPod,
    operations: readonly PatchOperation[],
    { subresource, ...options }: PodChangeOptions,
  ): Promise<ObservedPod> => {
    const request = {
      path: podPath(pod, subresource),
      body: [sameObject(pod), ...operations],
      operation: `patch pods/${pod.namespace}/${pod.name}${subresource === undefined ? '' : `/${subresource}`}`,
      ...options,
    };
    return patch(client, request, (answer) => decodeObservedPod(answer, context));
  };
  return {
    nominatePod: (pod, nodeName, signal, isLate = false) => {
      const operations = [
        { op: 'test', path: '/spec/nodeName', value: pod.nodeName ?? null } as const,
        ...changeValue('/status/nominatedNodeName', pod.nominatedNodeName, nodeName),
      ];
      const urgency = isLate ? 'late' : undefined;
      return change(pod, operations, { subresource: 'status', signal, urgency });
    },

    ungatePod: (pod, how, signal) => change(pod, ungating(pod, how), { signal }),

    toleratePod: (pod, hold, signal) => change(pod, tolerating(pod, hold), { signal }),

    annotatePod: (pod, annotations, signal, isLate = false) => {
      return change(pod, annotating(pod, annotations), { signal, urgency: isLate ? 'late' : undefined });
    },

    evictPod: async (pod, signal) => {
      const { name, namespace, uid } = pod;
      const operation = `evict pods/${namespace}/${name}`;
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace },
        deleteOptions: { preconditions: { uid } },
      };
      const path = podPath(pod, 'eviction');
      const request = {
        method: 'POST',
        path,
        body,
        operation,
        signal,
        timeoutMillis: EVICTION_MILLIS,
      } as const;
      await asGone(operation, client.request(request));
    },

    deletePod: (pod, gracePeriodSeconds, signal) =>
      remove(client, {
        path: podPath(pod),
        operation: `delete pods/${pod.namespace}/${pod.name}`,
        preconditions: { uid: pod.uid },
        gracePeriodSeconds,
        signal,
      }),
  };
}

/** The gate goes, and what stands in its place comes, in one write. */
function ungating(pod: ObservedPod, { hostname, annotations }: UngatedPod): readonly PatchOperation[] {
  const selector = hostname === undefined ? {} : { [HOSTNAME]: hostname };
  return [
    ...changeValue('/spec/schedulingGates', [{ name: PLAN_GATE }], undefined),
    ...changeEntries('/spec/nodeSelector', pod.spec.nodeSelector, selector),
    ...annotating(pod, annotations),
  ];
}

function annotating(
  pod: ObservedPod,
  change: Readonly<Record<string, string | null>> | undefined,
): readonly PatchOperation[] {
  return changeEntries('/metadata/annotations', pod.annotations, change, pod.isAnnotated);
}

/** Kubernetes lets tolerations be added to a living pod, and none be taken away. */
function tolerating({ spec, toleratedHolds }: ObservedPod, hold: string): readonly PatchOperation[] {
  const path = '/spec/tolerations';
  const toleration = { key: HELD_TAINT_KEY, operator: 'Equal', value: hold, effect: 'NoSchedule' };
  if (spec.tolerations.length + toleratedHolds.length === 0)
    return changeValue(path, undefined, [toleration]);
  return [{ op: 'add', path: `${path}/-`, value: toleration }];
}

function podPath({ namespace, name }: ObservedPod, subresource?: string): string {
  return objectPath(collectionPath('v1', 'pods', namespace), name, subresource);
}
