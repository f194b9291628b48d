/** What all objects of Berth's own kinds have in common: their group and version, and their metadata as JSON. */
import type { Labels } from '../../domain/labels.js';
import type { JsonObject } from '../../domain/policy.js';
import { formatTime } from '../kubernetes/time.js';

export const BERTH_API_VERSION = 'berth.sh/v1';

/** Kinds whose objects Berth writes. */
export type BerthKind = 'NodeClaim' | 'Reservation' | 'PolicyStatus' | 'Decision';

/** metadata, as far as there is something to say. Times in milliseconds since 1970. */
export interface BerthMeta {
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly createdAt?: number;
  readonly deletionTimestamp?: number | undefined;
  readonly finalizers?: readonly string[];
  readonly labels?: Labels;
  readonly annotations?: Labels;
}

/** The object, with these parts (spec, status) behind its metadata; what is undefined is left out. */
export function berthObject(kind: BerthKind, meta: BerthMeta, parts: JsonObject): JsonObject {
  return { apiVersion: BERTH_API_VERSION, kind, metadata: encodeMeta(meta), ...parts };
}

function encodeMeta(meta: BerthMeta): JsonObject {
  return compact({
    name: meta.name,
    uid: meta.uid,
    resourceVersion: meta.resourceVersion,
    creationTimestamp: encodeTime(meta.createdAt),
    deletionTimestamp: encodeTime(meta.deletionTimestamp),
    finalizers: isEmpty(meta.finalizers?.length) ? undefined : meta.finalizers,
    labels: isEmpty(meta.labels?.size) ? undefined : encodeLabels(meta.labels),
    annotations: isEmpty(meta.annotations?.size) ? undefined : encodeLabels(meta.annotations),
  });
}

function isEmpty(size: number | undefined): boolean {
  return size === undefined || size === 0;
}

function encodeLabels(labels: Labels | undefined): JsonObject {
  return Object.fromEntries(labels ?? []);
}

/** The time as text; undefined stays undefined. */
export function encodeTime(millis: number | undefined): string | undefined {
  return millis === undefined ? undefined : formatTime(millis);
}

/** The object without fields that are undefined, as it is after a way through JSON. */
export function compact(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** The bound that the definitions set for messages, in characters. */
const MOST_MESSAGE = 32_768;

/** The message, cut where the API server would refuse it: a long one must not keep a status from being written. */
export function encodeMessage(message: string): string {
  return message.length <= MOST_MESSAGE ? message : `${message.slice(0, MOST_MESSAGE - 1)}…`;
}
