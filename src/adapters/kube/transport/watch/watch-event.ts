/** What a line of a watch says: the watch events of Kubernetes' API concepts. */
import { plainObject } from '../../../../apis/decode/plain.js';
import type { JsonObject } from '../../../../domain/policies/policy.js';

/** metav1.InitialEventsAnnotationKey of apimachinery. */
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** What the API server says of an object besides what it is; enough to follow it without understanding it. */
export interface ObjectIdentity {
  /** `namespace/name`, or the name of what has no namespace: unique in its collection. */
  readonly path: string;
  /** Another object under the same path has another one. */
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface RawObject extends ObjectIdentity {
  readonly raw: JsonObject;
}

export type WatchEvent =
  | { readonly type: 'PUT' | 'DELETED'; readonly object: RawObject }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** Whether it closes what was there when the watch began. */
      readonly endsInitialEvents: boolean;
    }
  /** The server's last word in this watch: a Status. */
  | { readonly type: 'ERROR'; readonly status: JsonObject };

/** @throws Error, when it is none. */
export function parseWatchEvent(line: string): WatchEvent {
  const event = plainObject(JSON.parse(line));
  const object = plainObject(event?.['object']);
  if (event === undefined || object === undefined) throw new Error('a watch event without an object');
  switch (event['type']) {
    case 'ADDED':
    case 'MODIFIED':
      return { type: 'PUT', object: readObject(object) };
    case 'DELETED':
      return { type: 'DELETED', object: readObject(object) };
    case 'BOOKMARK':
      return readBookmark(plainObject(object['metadata']));
    case 'ERROR':
      return { type: 'ERROR', status: object };
    default:
      throw new Error(`a watch event of type ${JSON.stringify(event['type'])}`);
  }
}

function readBookmark(metadata: JsonObject | undefined): WatchEvent {
  const end = plainObject(metadata?.['annotations'])?.[INITIAL_EVENTS_END];
  return {
    type: 'BOOKMARK',
    resourceVersion: text(metadata?.['resourceVersion']),
    endsInitialEvents: end === 'true',
  };
}

/** @throws Error, when it has no name or no resourceVersion. */
export function readObject(object: unknown): RawObject {
  const raw = plainObject(object);
  const metadata = plainObject(raw?.['metadata']);
  if (raw === undefined || metadata === undefined) throw new Error('an object without metadata');
  const name = text(metadata['name']);
  const { namespace, uid } = metadata;
  return {
    raw,
    path: typeof namespace === 'string' ? `${namespace}/${name}` : name,
    uid: typeof uid === 'string' ? uid : '',
    resourceVersion: text(metadata['resourceVersion']),
  };
}

function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new Error('an object without a name or resourceVersion');
}
