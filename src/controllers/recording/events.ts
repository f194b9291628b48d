/**
 * Events for decisions: the first of its kind about an object is created, more of them are counted in its series, as
 * events.k8s.io/v1 wants it.
 */
import { createHash } from 'node:crypto';
import { nodeClassCodecs } from '../../apis/node-class/node-class-codecs.js';
import { isNodeClassKind } from '../../domain/policies/node-class.js';
import type { DecisionSpec } from '../../domain/records/decision.js';
import type { KubeEvent } from '../../ports/kube-writer.js';
import type { RecordedEvent } from '../../ports/recorder.js';
import { RecentKeys } from './recent-keys.js';
import { subjectKey } from './subject-key.js';

/** A series is written at most so often. */
const SERIES_MILLIS = 60_000;
/** kube-apiserver deletes events after an hour: later ones start again. */
const FORGOTTEN_MILLIS = 3_000_000;
const REMEMBERED = 5000;

const API_VERSIONS: Readonly<Record<string, string>> = {
  Pod: 'v1',
  Node: 'v1',
  Namespace: 'v1',
  ConfigMap: 'v1',
  PersistentVolumeClaim: 'v1',
  Deployment: 'apps/v1',
  ReplicaSet: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Job: 'batch/v1',
  NodePool: 'karpenter.sh/v1',
};
const OWN_API_VERSION = 'berth.sh/v1';

function apiVersionOf(kind: string): string {
  const nodeClass = isNodeClassKind(kind)
    ? nodeClassCodecs().find((codec) => codec.kind === kind)
    : undefined;
  return nodeClass?.versions[0].apiVersion ?? API_VERSIONS[kind] ?? OWN_API_VERSION;
}

/** Events that are alike, as far as they have been counted. */
export interface EventSeries {
  readonly first: KubeEvent;
  count: number;
  /** When the last of them happened, and when one was last handed out to be written. */
  lastAt: number;
  writtenAt: number;
}

/** What is to be done about an event. */
export interface EventWrite {
  readonly kind: 'create' | 'repeat';
  readonly series: EventSeries;
}

export class Events {
  readonly #series = new RecentKeys<EventSeries>(REMEMBERED);

  /** Counts the event; answers what to write, if anything. */
  count(spec: DecisionSpec, event: RecordedEvent): EventWrite | undefined {
    const key = JSON.stringify([subjectKey(spec.subject), event.type, event.reason, spec.message]);
    const known = this.#series.get(key);
    if (known === undefined || spec.time - known.writtenAt > FORGOTTEN_MILLIS) {
      const first = newEvent(spec, event, key);
      const series = { first, count: 1, lastAt: spec.time, writtenAt: spec.time };
      this.#series.set(key, series);
      return { kind: 'create', series };
    }
    known.count++;
    known.lastAt = spec.time;
    this.#series.set(key, known);
    if (spec.time - known.writtenAt < SERIES_MILLIS) return undefined;
    known.writtenAt = spec.time;
    return { kind: 'repeat', series: known };
  }
}

/** The series as it is now. */
export function eventOf({ first, count, lastAt }: EventSeries): KubeEvent {
  return count === 1 ? first : { ...first, count, time: lastAt };
}

function newEvent(
  { subject, action, message, time }: DecisionSpec,
  event: RecordedEvent,
  key: string,
): KubeEvent {
  const hash = createHash('sha256')
    .update(`${key} ${String(time)}`)
    .digest('hex')
    .slice(0, 16);
  const { kind, namespace, name, uid } = subject;
  return {
    // As client-go names them; the name of an object may have 253 characters, and so may this one.
    name: `${name.slice(0, 230).replace(/[^a-z0-9]+$/, '')}.${hash}`,
    regarding: { apiVersion: apiVersionOf(kind), kind, namespace, name, uid },
    type: event.type,
    reason: event.reason,
    action,
    note: message,
    time,
    count: 1,
  };
}
