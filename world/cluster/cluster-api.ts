/** What the actors need of the simulated API server, in process: a part of what it offers. */
import type { KubeObject, NewObject } from './objects.js';

/** Plural, with the group behind a dot where there is one: `pods`, `deployments.apps`. */
export type Resource = string;

export interface ObjectRef {
  readonly namespace?: string;
  readonly name: string;
}

export interface ObjectEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  /** What it was before the change. */
  readonly before: KubeObject | undefined;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  /** Only the object with this uid. */
  readonly preconditions?: { readonly uid?: string };
}

/** What an eviction is refused with. */
export interface EvictionRefusal {
  readonly message: string;
  readonly cause?: string;
  readonly retryAfterSeconds?: number;
  /** Whether no time changes it: what was written about the pod is wrong. */
  readonly isMisconfigured?: boolean;
}

/** Objects that it hands out never change. Reads are at once; writes reject with an error that has an HTTP status as `code`. */
export interface ClusterApi {
  get(resource: Resource, ref: ObjectRef): KubeObject | undefined;
  list(resource: Resource): readonly KubeObject[];
  create(resource: Resource, object: NewObject): Promise<KubeObject>;
  /** Reads, changes and writes, again on conflict; nothing is written when `change` answers what it was given. */
  change(
    resource: Resource,
    ref: ObjectRef,
    change: (object: KubeObject) => KubeObject,
    options?: { readonly subresource?: 'status' },
  ): Promise<KubeObject>;
  /** A pod on a node is only marked, unless the grace period is 0. */
  delete(resource: Resource, ref: ObjectRef, options?: DeleteOptions): Promise<KubeObject | undefined>;
  bind(pod: ObjectRef, nodeName: string): Promise<KubeObject>;
  /** Calls for what is there, then for every change in the order of the changes, one at a time. */
  watch(resource: Resource, listener: (event: ObjectEvent) => void): () => void;
  /** Who says whether a pod may be evicted. */
  guardEvictions(check: (pod: KubeObject) => EvictionRefusal | undefined): void;
}

/** Whether the object is gone, another one by now, or there already: another client was faster. */
export function isOvertaken(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 404 || code === 409;
}

export function refOf({ metadata: { namespace, name } }: KubeObject): ObjectRef {
  return namespace === undefined ? { name } : { namespace, name };
}

/** `namespace/name`, or the name alone. */
export function keyOf({ metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
