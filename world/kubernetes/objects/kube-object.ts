/** Objects of the Kubernetes API as plain JSON: kept by reference, therefore never changed in place. */
import type { JsonObject } from './json.js';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** Times are RFC 3339 in whole seconds. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly generateName?: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number | undefined;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string | undefined;
  readonly deletionGracePeriodSeconds?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly managedFields?: readonly JsonObject[] | undefined;
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** What is created: the API server adds the rest. */
export interface NewObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: Partial<ObjectMeta> | undefined;
  readonly [field: string]: unknown;
}

/** Which object of a resource; cluster-scoped ones have no namespace. */
export interface ObjectRef {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The object with other metadata; a field that is undefined goes. */
export function withMeta(object: KubeObject, change: Partial<ObjectMeta>): KubeObject {
  const metadata = { ...object.metadata, ...change };
  const entries = Object.entries(metadata).filter(([, value]) => value !== undefined);
  return { ...object, metadata: Object.fromEntries(entries) as unknown as ObjectMeta };
}

/** metav1.Time: whole seconds. */
export function formatTime(epochMillis: number): string {
  return new Date(epochMillis).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
