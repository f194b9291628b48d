/**
 * Events are stored once and served twice: as core/v1, the form in storage, and as events.k8s.io/v1 (conversion of
 * k8s.io/kubernetes/pkg/apis/events/v1).
 */
import { compact, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';

/** Name in core/v1 → name in events.k8s.io/v1. */
const RENAMED: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

export function showEvent(event: KubeObject): KubeObject {
  return renamed(event, RENAMED, 'events.k8s.io/v1');
}

export function readEvent(event: KubeObject): KubeObject {
  return renamed(
    event,
    RENAMED.map(([core, events]) => [events, core] as const),
    'v1',
  );
}

function renamed(
  event: KubeObject,
  names: readonly (readonly [string, string])[],
  apiVersion: string,
): KubeObject {
  const moved = names.map(([from, to]) => [to, event[from]] as const);
  const kept: JsonObject = compact(event, ...names.map(([from]) => from));
  return {
    ...compact({ ...kept, ...Object.fromEntries(moved) }),
    apiVersion,
    kind: 'Event',
    metadata: event.metadata,
  };
}
