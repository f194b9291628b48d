/** Deletes objects: preconditions, finalizers, and the grace that pods get. */
import type { Clock } from '../../../src/ports/clock.js';
import { conflict, forbidden } from '../objects/api-error.js';
import { numberAt, textAt, valueAt } from '../objects/json.js';
import {
  formatTime,
  withMeta,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
} from '../objects/kube-object.js';
import { subjectOf, type ResourceType } from '../resources/resource-type.js';
import type { ObjectStore } from '../store/object-store.js';
import type { AdmissionRequest, WebhookAdmission } from './admission.js';
import { isHeld, type ObjectWriter } from './object-writer.js';

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly preconditions?:
    { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
  readonly dryRun?: boolean | undefined;
  readonly warn?: ((text: string) => void) | undefined;
}

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/** What a pod gets that does not say. */
const DEFAULT_GRACE_SECONDS = 30;
const LASTING_NAMESPACES = ['default', 'kube-system', 'kube-public'];

export class ObjectRemover {
  readonly #store: ObjectStore;
  readonly #writer: ObjectWriter;
  readonly #webhooks: WebhookAdmission;
  readonly #clock: Clock;

  constructor(options: {
    readonly store: ObjectStore;
    readonly writer: ObjectWriter;
    readonly webhooks: WebhookAdmission;
    readonly clock: Clock;
  }) {
    this.#store = options.store;
    this.#writer = options.writer;
    this.#webhooks = options.webhooks;
    this.#clock = options.clock;
  }

  /** Answers the object and whether it is gone. @throws ApiError */
  async remove(
    type: ResourceType,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<{ readonly object: KubeObject; readonly isGone: boolean }> {
    const first = this.#writer.require(type, ref);
    checkPreconditions(type, first, options);
    const request = requestFor(type, first, options);
    if (this.#webhooks.concerns(request)) {
      await this.#webhooks.mutate(request);
      await this.#webhooks.validate(request);
    }
    const current = this.#writer.require(type, ref);
    checkPreconditions(type, current, options);
    if (type.kind === 'Namespace' && LASTING_NAMESPACES.includes(ref.name))
      throw forbidden(subjectOf(type), ref.name, 'this namespace may not be deleted');
    const marked = this.#marked(type, current, options);
    const isGone = !isHeld(type, marked);
    if (options.dryRun === true || marked === current)
      return { object: marked, isGone: isGone && marked !== current };
    const object = this.#store.commit({
      resource: type.key,
      before: isGone ? marked : current,
      after: isGone ? undefined : marked,
    });
    return { object, isGone };
  }

  /** The same object where nothing is to be changed: it is being deleted already, no slower than asked for. */
  #marked(type: ResourceType, current: KubeObject, options: DeleteOptions): KubeObject {
    const { metadata } = current;
    const grace = graceSeconds(type, current, options);
    const finalizers = withPolicy(metadata.finalizers ?? [], options);
    if (metadata.deletionTimestamp !== undefined) {
      const left = metadata.deletionGracePeriodSeconds ?? 0;
      if (left <= grace && left > 0) return current;
      if (left === 0 && isHeld(type, current)) return current;
    }
    const began = metadata.deletionTimestamp === undefined;
    const change: Partial<ObjectMeta> = {
      deletionTimestamp: formatTime(this.#clock.now() + grace * 1000),
      deletionGracePeriodSeconds: grace,
      finalizers: finalizers.length === 0 ? undefined : finalizers,
      ...(began && metadata.generation !== undefined && { generation: metadata.generation + 1 }),
    };
    const marked = withMeta(current, change);
    if (type.kind !== 'Namespace') return marked;
    return { ...marked, status: { ...(current['status'] as object | undefined), phase: 'Terminating' } };
  }
}

/** Only pods have grace, and of them only those that a kubelet may be running. */
function graceSeconds(type: ResourceType, object: KubeObject, { gracePeriodSeconds }: DeleteOptions): number {
  if (type.kind !== 'Pod') return 0;
  const isRunning =
    textAt(object, 'spec', 'nodeName') !== '' &&
    !['Succeeded', 'Failed'].includes(textAt(object, 'status', 'phase'));
  if (!isRunning) return 0;
  if (gracePeriodSeconds !== undefined) return Math.max(gracePeriodSeconds, 0);
  const own = valueAt(object, 'spec', 'terminationGracePeriodSeconds');
  return own === undefined
    ? DEFAULT_GRACE_SECONDS
    : numberAt(object, 'spec', 'terminationGracePeriodSeconds');
}

function withPolicy(finalizers: readonly string[], { propagationPolicy }: DeleteOptions): readonly string[] {
  if (propagationPolicy === undefined) return finalizers;
  const rest = finalizers.filter((finalizer) => finalizer !== FOREGROUND && finalizer !== ORPHAN);
  if (propagationPolicy === 'Foreground') return [...rest, FOREGROUND];
  return propagationPolicy === 'Orphan' ? [...rest, ORPHAN] : rest;
}

function checkPreconditions(type: ResourceType, { metadata }: KubeObject, options: DeleteOptions): void {
  const { uid = metadata.uid, resourceVersion = metadata.resourceVersion } = options.preconditions ?? {};
  if (uid !== metadata.uid)
    throw conflict(
      subjectOf(type),
      metadata.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== metadata.resourceVersion)
    throw conflict(
      subjectOf(type),
      metadata.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
}

function requestFor(type: ResourceType, old: KubeObject, options: DeleteOptions): AdmissionRequest {
  const { namespace, name } = old.metadata;
  return {
    operation: 'DELETE',
    type,
    subresource: '',
    ref: { namespace, name },
    object: undefined,
    old,
    dryRun: options.dryRun === true,
    warn: (text) => options.warn?.(text),
  };
}
