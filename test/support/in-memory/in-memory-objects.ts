/** The objects of an API server in memory: versions, keys, and whoever watches. */
import {
  observedKey,
  type ClusterFeed,
  type ObservedKind,
  type ObservedKinds,
} from '../../../src/ports/cluster-feed.js';
import { PortError } from '../../../src/ports/port-error.js';

const KINDS: readonly ObservedKind[] = [
  'Pod',
  'Node',
  'Namespace',
  'DaemonSet',
  'Workload',
  'PodGroup',
  'PodTemplate',
  'ProvisioningRequest',
  'PodDisruptionBudget',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  'VolumeAttachment',
  'HorizontalPodAutoscaler',
  'CapacityBuffer',
  'NodeClaim',
  'Reservation',
  'PolicyConfigMap',
  'PolicyStatus',
  'Decision',
  'Lease',
];

type Delivery = (feed: ClusterFeed) => void;

interface Watcher {
  readonly feed: ClusterFeed;
  /** What it has not been told yet; undefined: it is told at once. */
  held: Delivery[] | undefined;
}

export class InMemoryObjects {
  readonly #kinds = new Map(KINDS.map((kind) => [kind, new Map<string, unknown>()]));
  readonly #watchers = new Set<Watcher>();
  #version = 0;

  get<K extends ObservedKind>(kind: K, key: string): ObservedKinds[K] | undefined {
    return this.#of(kind).get(key) as ObservedKinds[K] | undefined;
  }

  list<K extends ObservedKind>(kind: K): readonly ObservedKinds[K][] {
    return [...this.#of(kind).values()] as ObservedKinds[K][];
  }

  /** Stores the object under the next resourceVersion and tells the watchers; answers what was stored. */
  put<K extends ObservedKind>(kind: K, object: ObservedKinds[K]): ObservedKinds[K] {
    this.#version++;
    const stored =
      'resourceVersion' in object ? { ...object, resourceVersion: String(this.#version) } : object;
    this.#of(kind).set(observedKey(kind, stored), stored);
    this.#tell((feed) => {
      feed.put(kind, stored);
    });
    return stored;
  }

  remove(kind: ObservedKind, key: string): void {
    this.#version++;
    const removed = this.#of(kind).get(key);
    if (removed === undefined) return;
    this.#of(kind).delete(key);
    const uid = field(removed, 'uid') as string | undefined;
    this.#tell((feed) => {
      feed.delete(kind, key, uid);
    });
  }

  /**
   * The stored object that a patch means, in whatever version.
   * @throws PortError NotFound, when there is none of its name; Conflict, when that is another one.
   */
  sameOne<K extends ObservedKind>(kind: K, known: ObservedKinds[K], operation: string): ObservedKinds[K] {
    const stored = this.get(kind, observedKey(kind, known));
    if (stored === undefined)
      throw new PortError('NotFound', { operation, message: `${kind} ${known.name} is not there` });
    if (field(stored, 'uid') !== field(known, 'uid'))
      throw new PortError('Conflict', { operation, message: `${kind} ${known.name} is another one by now` });
    return stored;
  }

  /**
   * The same where `known` must be its newest version.
   * @throws PortError NotFound; Conflict, when it has changed.
   */
  current<K extends ObservedKind>(kind: K, known: ObservedKinds[K], operation: string): ObservedKinds[K] {
    const stored = this.sameOne(kind, known, operation);
    if (field(stored, 'resourceVersion') !== field(known, 'resourceVersion'))
      throw new PortError('Conflict', { operation, message: `${kind} ${known.name} has changed` });
    return stored;
  }

  /** @throws PortError AlreadyExists. */
  requireFree(kind: ObservedKind, name: string, operation: string): void {
    if (this.#of(kind).has(name))
      throw new PortError('AlreadyExists', { operation, message: `${kind} ${name} is there already` });
  }

  /** Lists everything into the feed, and tells it every change from then on; answers what ends that. */
  watch(feed: ClusterFeed): () => void {
    for (const kind of KINDS) {
      for (const object of this.list(kind)) feed.put(kind, object);
      feed.synced(kind);
    }
    const watcher: Watcher = { feed, held: undefined };
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  /** From now on watchers are told nothing, until `release`. */
  hold(): void {
    for (const watcher of this.#watchers) watcher.held ??= [];
  }

  release(): void {
    for (const watcher of this.#watchers) {
      const { held = [] } = watcher;
      watcher.held = undefined;
      for (const deliver of held) deliver(watcher.feed);
    }
  }

  #of(kind: ObservedKind): Map<string, unknown> {
    const objects = this.#kinds.get(kind);
    if (objects === undefined) throw new RangeError(`kind ${kind} is not kept`);
    return objects;
  }

  #tell(deliver: Delivery): void {
    for (const { feed, held } of this.#watchers) {
      if (held === undefined) deliver(feed);
      else held.push(deliver);
    }
  }
}

function field(object: unknown, name: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[name];
}
