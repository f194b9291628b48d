/** What is done to objects beside reading and writing them: binding and evicting pods, scaling workloads. */
import type { Clock } from '../../../src/ports/clock.js';
import { ApiError, conflict } from '../objects/api-error.js';
import {
  isObject,
  listAt,
  numberAt,
  objectAt,
  textAt,
  valueAt,
  withValue,
  type JsonObject,
} from '../objects/json.js';
import { formatTime, type KubeObject, type ObjectRef } from '../objects/kube-object.js';
import { subjectOf, type ResourceType, type ScalePaths } from '../resources/resource-type.js';
import { formatLabelSelector } from '../objects/label-selector.js';
import type { DeleteOptions, ObjectRemover } from './object-remover.js';
import type { ObjectWriter } from './object-writer.js';

/** Why a pod cannot be evicted now. */
export interface EvictionRefusal {
  readonly message: string;
  /** `The disruption budget web needs 2 healthy pods and has 2 currently` */
  readonly cause?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** Answered 500: no time changes it, since what was written about the pod is wrong. */
  readonly isMisconfigured?: boolean | undefined;
}

/** Asked for pods that count: neither finished, nor pending, nor being deleted. */
export type EvictionCheck = (pod: KubeObject) => EvictionRefusal | undefined;

export interface SubresourcesOptions {
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly clock: Clock;
}

export class Subresources {
  readonly #options: SubresourcesOptions;
  #check: EvictionCheck = () => undefined;

  constructor(options: SubresourcesOptions) {
    this.#options = options;
  }

  guardEvictions(check: EvictionCheck): void {
    this.#check = check;
  }

  /** @throws ApiError 409 for a pod that has a node, or that is being deleted */
  bind(
    pods: ResourceType,
    ref: ObjectRef,
    binding: { readonly node: string; readonly uid?: string },
  ): Promise<KubeObject> {
    const { writer, clock } = this.#options;
    const { node, uid = '' } = binding;
    const bound = (pod: KubeObject): KubeObject => {
      const why = bindingProblem(pod, uid);
      if (why !== undefined) throw conflict({ group: '', resource: 'pods/binding' }, ref.name, why);
      return withScheduled(withValue(pod, ['spec', 'nodeName'], node), formatTime(clock.now()));
    };
    return writer.change(pods, ref, bound, { subresource: 'binding' });
  }

  /** @throws ApiError 429, while a budget stands in the way; 500, where several do */
  async evict(pods: ResourceType, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    const pod = this.#options.writer.require(pods, ref);
    const isSettled =
      ['Pending', 'Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase')) ||
      pod.metadata.deletionTimestamp !== undefined;
    const refusal = isSettled ? undefined : this.#check(pod);
    if (refusal === undefined) {
      await this.#options.remover.remove(pods, ref, options);
      return;
    }
    const { message, cause, retryAfterSeconds = 0, isMisconfigured = false } = refusal;
    if (isMisconfigured) throw new ApiError(500, undefined, message);
    throw new ApiError(429, 'TooManyRequests', message, {
      name: ref.name,
      ...(cause !== undefined && { causes: [{ reason: 'DisruptionBudget', message: cause }] }),
      retryAfterSeconds,
    });
  }

  /** Changes what the containers of a pod request, in place. @throws ApiError */
  resize(pods: ResourceType, ref: ObjectRef, change: (pod: KubeObject) => unknown): Promise<KubeObject> {
    return this.#options.writer.change(pods, ref, (pod) => change(pod) as KubeObject, {
      subresource: 'resize',
    });
  }

  /** How many there are to be, as autoscaling/v1 Scale. */
  readScale(type: ResourceType, ref: ObjectRef, paths: ScalePaths): KubeObject {
    return scaleOf(this.#options.writer.require(type, ref), paths);
  }

  /** @throws ApiError */
  async changeScale(
    type: ResourceType,
    ref: ObjectRef,
    paths: ScalePaths,
    change: (scale: KubeObject) => unknown,
  ): Promise<KubeObject> {
    const changed = await this.#options.writer.change(type, ref, (object) => {
      const scale = change(scaleOf(object, paths));
      const version = textAt(scale, 'metadata', 'resourceVersion');
      if (version !== '' && version !== object.metadata.resourceVersion)
        throw conflict(subjectOf(type), ref.name, 'the object has been modified');
      const replicas = numberAt(scale, 'spec', 'replicas');
      return withValue(object, paths.specReplicas.split('.'), replicas);
    });
    return scaleOf(changed, paths);
  }
}

function bindingProblem(pod: KubeObject, uid: string): string | undefined {
  const { name, uid: own, deletionTimestamp } = pod.metadata;
  const node = textAt(pod, 'spec', 'nodeName');
  if (uid !== '' && uid !== own)
    return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${own}`;
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (node !== '') return `pod ${name} is already assigned to node ${JSON.stringify(node)}`;
  return listAt(pod, 'spec', 'schedulingGates').length > 0
    ? `pod ${name} has non-empty .spec.schedulingGates`
    : undefined;
}

/** The binding's other half: the condition, and no nomination any more. */
function withScheduled(pod: KubeObject, now: string): KubeObject {
  const conditions = listAt(pod, 'status', 'conditions').filter(
    (each) => textAt(each, 'type') !== 'PodScheduled',
  );
  const scheduled: JsonObject = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
  };
  const status = Object.entries(objectAt(pod, 'status')).filter(([field]) => field !== 'nominatedNodeName');
  return { ...pod, status: { ...Object.fromEntries(status), conditions: [...conditions, scheduled] } };
}

function scaleOf(object: KubeObject, { specReplicas, statusReplicas, selector }: ScalePaths): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const found = valueAt(object, ...selector.split('.'));
  const selected = isObject(found) ? formatLabelSelector(found) : typeof found === 'string' ? found : '';
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    spec: { replicas: numberAt(object, ...specReplicas.split('.')) },
    status: {
      replicas: numberAt(object, ...statusReplicas.split('.')),
      ...(selected !== '' && { selector: selected }),
    },
  };
}
