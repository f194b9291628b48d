/** What workload controllers have in common: they look at an object whenever it, or something that it owns, changes. */
import { createHash } from 'node:crypto';
import type { Actor, ActorContext } from '../cluster/actor.js';
import { isOvertaken, keyOf, refOf, type ObjectRef, type Resource } from '../cluster/cluster-api.js';
import { isTrue } from '../cluster/conditions.js';
import type { KubeObject, NewObject, OwnerReference, Pod, Template } from '../cluster/objects.js';
import { Reconciler } from '../cluster/reconciler.js';

export interface ControllerOptions {
  readonly context: ActorContext;
  /** As the trace and Events call it: `replicaset-controller`. */
  readonly name: string;
  readonly resource: Resource;
  readonly kind: string;
  /** What it makes. */
  readonly owns: readonly Resource[];
  /** One look at an object that is there and stays; answers after how many milliseconds to look again. */
  readonly reconcile: (object: KubeObject) => Promise<number | undefined>;
}

export class Controller implements Actor {
  readonly #options: ControllerOptions;
  readonly #reconciler: Reconciler;
  readonly #stops: (() => void)[] = [];

  constructor(options: ControllerOptions) {
    const { name, resource, context, reconcile } = options;
    this.#options = options;
    this.#reconciler = new Reconciler({
      name,
      clock: context.clock,
      trace: context.trace,
      reconcile: async (key) => {
        const object = context.api.get(resource, parseKey(key));
        if (object === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
        return reconcile(object);
      },
    });
  }

  start(): void {
    const { context, resource, owns, kind } = this.#options;
    this.#stops.push(
      context.api.watch(resource, ({ object }) => {
        this.#reconciler.add(keyOf(object));
      }),
      ...owns.map((owned) =>
        context.api.watch(owned, ({ object, before }) => {
          for (const each of [object, before]) this.#addOwner(each, kind);
        }),
      ),
    );
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#reconciler.stop();
  }

  /** Has a look taken at all of them. */
  addAll(): void {
    for (const object of this.#options.context.api.list(this.#options.resource))
      this.#reconciler.add(keyOf(object));
  }

  #addOwner(object: KubeObject | undefined, kind: string): void {
    const owner = object && controllerOf(object);
    if (owner?.kind !== kind) return;
    const { namespace } = object?.metadata ?? {};
    this.#reconciler.add(namespace === undefined ? owner.name : `${namespace}/${owner.name}`);
  }
}

export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function ownerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The same text for the same template, as `pod-template-hash` has it. */
export function templateHash(template: Template): string {
  return createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
}

export interface PodDraft {
  readonly owner: KubeObject;
  readonly template: Template;
  /** Else one is made of the owner's. */
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** The pod that a workload makes of its template. */
export function podFrom({ owner, template, name, labels, annotations }: PodDraft): NewObject {
  const { metadata, spec } = template;
  return {
    metadata: {
      ...(name === undefined ? { generateName: `${owner.metadata.name}-` } : { name }),
      namespace: owner.metadata.namespace,
      labels: { ...metadata?.labels, ...labels },
      annotations: { ...metadata?.annotations, ...annotations },
      ...(metadata?.finalizers && { finalizers: metadata.finalizers }),
      ownerReferences: [ownerReference(owner)],
    },
    spec: { ...spec },
  };
}

/** Neither ended nor about to. */
export function isActive({ metadata, status }: Pod): boolean {
  return (
    metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed'
  );
}

export function isReady(pod: Pod): boolean {
  return isTrue(pod.status?.conditions, 'Ready');
}

/** Deletes exactly this object; that it is gone is no error. */
export async function remove({ api }: ActorContext, resource: Resource, object: KubeObject): Promise<void> {
  try {
    await api.delete(resource, refOf(object), { preconditions: { uid: object.metadata.uid } });
  } catch (error) {
    if (!isOvertaken(error)) throw error;
  }
}

/** Puts these fields over the status, if that changes anything. */
export async function updateStatus(
  { api }: ActorContext,
  resource: Resource,
  object: KubeObject,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  await api.change(
    resource,
    refOf(object),
    (current) => {
      const before = (current['status'] ?? {}) as Readonly<Record<string, unknown>>;
      const isSame = Object.entries(fields).every(
        ([name, value]) => JSON.stringify(before[name]) === JSON.stringify(value),
      );
      return isSame || current.metadata.uid !== object.metadata.uid
        ? current
        : { ...current, status: { ...before, ...fields } };
    },
    { subresource: 'status' },
  );
}

export function parseKey(key: string): ObjectRef {
  const [first = '', second] = key.split('/');
  return second === undefined ? { name: first } : { namespace: first, name: second };
}
