/** Writes Events of events.k8s.io/v1. */
import { formatMicroTime } from '../../../apis/kubernetes/object/time.js';
import type { EventWriter, KubeEvent } from '../../../ports/kube-writer.js';
import { FIELD_MANAGER, MERGE_PATCH } from '../transport/index.js';
import { collectionPath, objectPath, type ApiClient } from './api-object.js';

const REPORTING_CONTROLLER = 'berth.sh/berth';
/** Events of objects without a namespace. */
const DEFAULT_NAMESPACE = 'default';
/** The API server's bounds, in bytes (k8s.io/kubernetes/pkg/apis/core/validation/events.go). */
const MOST_NOTE = 1_024;
const MOST_WORD = 128;

/** `reportingInstance` tells replicas apart: the pod's name. */
export function eventWriter(client: ApiClient, reportingInstance: string): EventWriter {
  return {
    createEvent: async (event, signal) => {
      const { name, regarding, type, reason, action, note, time } = event;
      const namespace = namespaceOf(event);
      const body = {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name, namespace },
        eventTime: formatMicroTime(time),
        reportingController: REPORTING_CONTROLLER,
        reportingInstance: clip(reportingInstance, MOST_WORD),
        type,
        reason: clip(reason, MOST_WORD),
        action: clip(action, MOST_WORD),
        note: clip(note, MOST_NOTE),
        regarding: { ...regarding, namespace: regarding.namespace === '' ? undefined : namespace },
      };
      await client.request({
        method: 'POST',
        path: eventsIn(namespace),
        query: { fieldManager: FIELD_MANAGER },
        body,
        operation: `create events/${namespace}/${name}`,
        signal,
      });
    },

    repeatEvent: async (event, signal) => {
      const namespace = namespaceOf(event);
      await client.request({
        method: 'PATCH',
        path: objectPath(eventsIn(namespace), event.name),
        query: { fieldManager: FIELD_MANAGER },
        contentType: MERGE_PATCH,
        body: { series: { count: event.count, lastObservedTime: formatMicroTime(event.time) } },
        operation: `repeat events/${namespace}/${event.name}`,
        signal,
      });
    },
  };
}

function namespaceOf({ regarding }: KubeEvent): string {
  return regarding.namespace === '' ? DEFAULT_NAMESPACE : regarding.namespace;
}

function eventsIn(namespace: string): string {
  return collectionPath('events.k8s.io/v1', 'events', namespace);
}

/** The text, cut where it has more bytes than that, between two characters. */
function clip(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const cut = new TextDecoder().decode(bytes.subarray(0, most - ELLIPSIS_BYTES), { stream: true });
  return `${cut}…`;
}

const ELLIPSIS_BYTES = 3;
