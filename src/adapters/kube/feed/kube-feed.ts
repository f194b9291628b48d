/** Keeps a ClusterFeed told of what is in the cluster: one reflector per collection, each object decoded once. */
import type { ReadPolicyConfigMap } from '../../../apis/berth/read-policy-config-map.js';
import { decodeCSINode } from '../../../apis/kubernetes/nodes/node.js';
import { decodeObservedNode } from '../../../apis/kubernetes/nodes/observed-node.js';
import type { Decoded } from '../../../apis/kubernetes/object/finding.js';
import type { Clock } from '../../../ports/clock.js';
import {
  observedKey,
  type ClusterFeed,
  type ObservedKind,
  type ObservedKinds,
} from '../../../ports/cluster-feed.js';
import type { Logger } from '../../../ports/logger.js';
import type { Random } from '../../../ports/random.js';
import { linkedSignal } from '../../../runtime/time/linked-signal.js';
import {
  Reflector,
  type KubeClient,
  type ReflectorCounter,
  type ReflectorHealth,
  type ReflectorSink,
  type ReflectorTiming,
} from '../transport/index.js';
import type { CustomPolicyKind } from './custom-policies.js';
import { FindingLog } from './finding-log.js';
import { PolicyReading, unreadPolicies, type UnreadPolicies } from './policy-reading.js';
import { NodeJoin, type VolumeLimitsOfNode } from './node-join.js';
import { watchedResources, type PlainKind, type WatchedResource } from './watched-resources.js';

/** What happens to the watches; `kind` as the API spells it: `CSINode`, `ReplicaSet`, …, and `PolicyConfigMap`. */
export interface FeedCounters {
  increment(kind: string, counter: ReflectorCounter): void;
  /** Fields of one object could not be read. */
  findings(kind: string, count: number): void;
  /** Something was heard from the server, at this time (milliseconds since 1970). */
  contact(kind: string, at: number): void;
}

export interface KubeFeedOptions {
  readonly client: Pick<KubeClient, 'exchange' | 'stream'>;
  readonly feed: ClusterFeed;
  /** Nodes have the limits of their CSINodes where PersistentVolumes are among the kinds, else none. */
  readonly kinds: readonly ObservedKind[];
  /** Berth's own: where Leases and policy ConfigMaps are looked for, and nowhere else. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly counters?: FeedCounters | undefined;
  readonly timing?: Partial<ReflectorTiming> | undefined;
  /** Reads policy ConfigMaps elsewhere than on this thread; on this one, and at once, unless given. */
  readonly readPolicies?: ReadPolicyConfigMap | undefined;
  /** Kinds of another system that policies are read from beside ConfigMaps. */
  readonly customPolicies?: readonly CustomPolicyKind[] | undefined;
}

export interface WatchHealth extends ReflectorHealth {
  readonly kind: string;
}

export interface KubeFeed {
  /** Until the signal is aborted. Never rejects: what fails is tried again, and can be seen in `health`. */
  run(signal: AbortSignal): Promise<void>;
  /** One for each collection. */
  health(): readonly WatchHealth[];
}

/** What need not be there is looked for again after so long at most. */
const ABSENT_MILLIS = 60_000;

interface NamedReflector {
  readonly kind: string;
  readonly reflector: Pick<Reflector<unknown>, 'run' | 'health'>;
}

/** A feed of these kinds; it begins with `run`. */
export function kubeFeed(options: KubeFeedOptions): KubeFeed {
  const resources = watchedResources(options.namespace, options.customPolicies);
  const reflectors = [...new Set(options.kinds)].flatMap((kind) => reflectorsOf(kind, resources, options));
  return {
    run: async (signal) => {
      // One that as many may listen to as there are reflectors.
      const life = linkedSignal(signal);
      await Promise.all(reflectors.map(({ reflector }) => reflector.run(life.signal)));
      life.unlink();
    },
    health: () => reflectors.map(({ kind, reflector }) => ({ kind, ...reflector.health() })),
  };
}

function reflectorsOf(
  kind: ObservedKind,
  resources: ReturnType<typeof watchedResources>,
  options: KubeFeedOptions,
): readonly NamedReflector[] {
  if (kind === 'Node') return nodeReflectors(options);
  const { readPolicies } = options;
  return kind === 'PolicyConfigMap' && readPolicies !== undefined
    ? policyReflectors(resources[kind], readPolicies, options)
    : plainReflectors(kind, resources[kind], options);
}

/** ConfigMaps as they come, which are read by another thread and told in their order. */
function policyReflectors(
  resources: readonly WatchedResource<ObservedKinds['PolicyConfigMap']>[],
  readPolicies: ReadPolicyConfigMap,
  options: KubeFeedOptions,
): readonly NamedReflector[] {
  const synced = onceAllAre(resources.length, () => {
    options.feed.synced('PolicyConfigMap');
  });
  return resources.map(({ name, asConfigMap = (object) => object, ...collection }) => {
    const logger = options.logger.child({ kind: name });
    const count = (errors: number): void => options.counters?.findings(name, errors);
    const findings = new FindingLog({ kind: name, logger, count });
    const decode = (object: unknown): Decoded<UnreadPolicies> => unreadPolicies(asConfigMap(object));
    const resource: WatchedResource<UnreadPolicies> = { ...collection, name, decode };
    const sink = new PolicyReading({ feed: options.feed, synced, readPolicies, findings, logger });
    return reflectorOf({ resource, sink, keyOf: (object) => object.name }, options);
  });
}

function plainReflectors<K extends PlainKind>(
  kind: K,
  resources: readonly WatchedResource<ObservedKinds[K]>[],
  options: KubeFeedOptions,
): readonly NamedReflector[] {
  const { feed } = options;
  const sink: ReflectorSink<ObservedKinds[K]> = {
    put: (object, key) => {
      feed.put(kind, object, key);
    },
    delete: (key, uid) => {
      feed.delete(kind, key, uid);
    },
    synced: onceAllAre(resources.length, () => {
      feed.synced(kind);
    }),
  };
  return resources.map((resource) =>
    reflectorOf({ resource, sink, keyOf: (object) => observedKey(kind, object) }, options),
  );
}

/** Each of several collections calls it once; the last call is the one that counts. */
function onceAllAre(collections: number, done: () => void): () => void {
  let left = collections;
  return () => {
    left--;
    if (left === 0) done();
  };
}

/** How many volumes a node can attach matters only to roles that watch volumes. */
function nodeReflectors(options: KubeFeedOptions): readonly NamedReflector[] {
  const hasLimits = options.kinds.includes('PersistentVolume');
  const join = new NodeJoin(options.feed, hasLimits ? 2 : 1);
  const nodes: WatchedResource<ObservedKinds['Node']> = {
    name: 'Node',
    path: '/api/v1/nodes',
    decode: (object) => decodeObservedNode(object),
  };
  const keyOf = ({ name }: { readonly name: string }): string => name;
  const watched = [reflectorOf({ resource: nodes, sink: join.nodes, keyOf }, options)];
  if (!hasLimits) return watched;
  const volumeLimits: WatchedResource<VolumeLimitsOfNode> = {
    name: 'CSINode',
    path: '/apis/storage.k8s.io/v1/csinodes',
    decode: decodeCSINode,
  };
  return [...watched, reflectorOf({ resource: volumeLimits, sink: join.volumeLimits, keyOf }, options)];
}

interface Reflected<T> {
  readonly resource: WatchedResource<T>;
  readonly sink: ReflectorSink<T>;
  readonly keyOf: (object: T) => string;
}

function reflectorOf<T>({ resource, sink, keyOf }: Reflected<T>, options: KubeFeedOptions): NamedReflector {
  const { client, clock, random, timing, counters } = options;
  const { name: kind, path, query, isOptional } = resource;
  const logger = options.logger.child({ kind });
  const findings = new FindingLog({ kind, logger, count: (errors) => counters?.findings(kind, errors) });
  const reflector = new Reflector<T>({
    ...{ client, clock, random, logger, sink },
    timing: isOptional === true ? { longestFailureMillis: ABSENT_MILLIS, ...timing } : timing,
    resource: { path, query, isOptional },
    decode: (raw) => {
      const { value, findings: found } = resource.decode(raw);
      const key = value === undefined ? undefined : keyOf(value);
      findings.report(key ?? nameIn(raw), found);
      return value === undefined || key === undefined ? undefined : { key, value };
    },
    counters: counters && {
      increment: (counter) => {
        counters.increment(kind, counter);
      },
      contact: (at) => {
        counters.contact(kind, at);
      },
    },
  });
  return { kind, reflector };
}

/** What an object is called that could not be read. */
function nameIn(raw: unknown): string {
  const { metadata } = raw as { readonly metadata?: { readonly name?: unknown } };
  return typeof metadata?.name === 'string' ? metadata.name : '';
}
