/**
 * What happened in a world, from its own records: the versions of API objects, the states of instances, and what Berth asked the
 * API server for. Nothing is taken from what Berth counts or says about itself.
 */
import type { WireHandler, WireRequest } from '../../../../world/wire/wire.js';
import type { Pod } from '../../../../world/cluster/objects.js';
import type { SimulatedWorld } from '../../simulated-world.js';
import { controllerOf, DO_NOT_DISRUPT, isFinished, isOfDaemonSet, isReady, type RawClaim } from './raw.js';

/** A claim's disruption as its status had it, with when each of its conditions came true. */
export interface Cause {
  /** `Underutilized`; `Deleted` where a user did it. */
  readonly reason: string;
  readonly claim: string;
  /** When it was decided or, for what users do, when the object went. */
  readonly decidedAt: number;
}

/** Times in milliseconds since 1970. */
export interface PodRecord {
  readonly uid: string;
  readonly key: string;
  /** uid of the ReplicaSet or Job. */
  readonly owner: string | undefined;
  readonly isOfJob: boolean;
  readonly isOfDaemonSet: boolean;
  readonly isProtected: boolean;
  readonly graceSeconds: number;
  readonly createdAt: number;
  nodeName: string | undefined;
  boundAt: number | undefined;
  readyAt: number | undefined;
  /** When an eviction by Berth was accepted, and what for. */
  evictedAt: number | undefined;
  cause: Cause | undefined;
  /** When it began to go, for whatever reason. */
  leftAt: number | undefined;
  /** The pod that its controller made in its place. */
  successor: PodRecord | undefined;
  predecessor: PodRecord | undefined;
}

/** How a pod was made to go by Berth. */
export interface Removal {
  readonly how: 'eviction' | 'deletion';
  readonly record: PodRecord;
  /** As it was before. */
  readonly pod: Pod;
}

type Listener<T> = (event: T) => void;

/** A pod that left longer ago was not replaced by this one. */
const REPLACED_WITHIN_MILLIS = 600_000;

export class History {
  /** By uid. */
  readonly pods = new Map<string, PodRecord>();
  /** When pods came or went without being evicted, or finished: what was demanded has changed. */
  readonly demandChanges: number[] = [];
  /** Pods that Berth asked to evict and PodDisruptionBudgets kept: uid → when, last. */
  readonly refusedEvictions = new Map<string, number>();
  readonly #world: SimulatedWorld;
  /** Pods that have not begun to go. */
  readonly #present = new Set<PodRecord>();
  readonly #evicting = new Set<string>();
  readonly #deleting = new Set<string>();
  /** Claims that Berth asked to delete. */
  readonly #endedClaims = new Set<string>();
  /** Owner → pods that left and were not replaced yet, the first first. */
  readonly #departed = new Map<string, PodRecord[]>();
  readonly #onRemoval = new Set<Listener<Removal>>();
  readonly #onBound = new Set<Listener<PodRecord>>();

  constructor(world: SimulatedWorld, tap: RequestTap) {
    this.#world = world;
    tap.listener = {
      begins: (request) => {
        this.#intend(request, true);
      },
      ends: (request, status) => {
        this.#intend(request, false);
        const uid = status === 429 ? this.#uidOf(evictedPod(request)) : undefined;
        if (uid !== undefined) this.refusedEvictions.set(uid, this.#now);
      },
    };
    world.api.watch('pods', ({ type, object, before }) => {
      this.#see(type, object as Pod, before as Pod | undefined);
    });
    this.#tellOn();
  }

  /** Called when Berth has a pod go, right after it began to. */
  onRemoval(listener: Listener<Removal>): void {
    this.#onRemoval.add(listener);
  }

  onBound(listener: Listener<PodRecord>): void {
    this.#onBound.add(listener);
  }

  /** Why the node goes, as the API objects tell. */
  causeOf(nodeName: string): Cause | undefined {
    const claim = this.claimOf(nodeName);
    if (claim === undefined) return undefined;
    const { name, deletionTimestamp } = claim.metadata;
    // A user may delete what Berth has decided to replace, and does not wait for the replacement.
    const isUsers = deletionTimestamp !== undefined && !this.#endedClaims.has(name);
    const disruption = isUsers ? undefined : claim.status?.disruption;
    const decidedAt = Date.parse(disruption?.decidedAt ?? deletionTimestamp ?? '');
    const at = Number.isNaN(decidedAt) ? this.#now : decidedAt;
    return { reason: disruption?.reason ?? 'Deleted', claim: name, decidedAt: at };
  }

  claimOf(nodeName: string): RawClaim | undefined {
    const claims = this.#world.api.list('nodeclaims.berth.sh') as readonly RawClaim[];
    return claims.find(({ status }) => status?.nodeName === nodeName);
  }

  podsOn(nodeName: string): readonly PodRecord[] {
    return [...this.#present].filter((pod) => pod.nodeName === nodeName);
  }

  get #now(): number {
    return this.#world.clock.now();
  }

  #intend(request: WireRequest, begins: boolean): void {
    const [evicted, deleted] = [evictedPod(request), deletedPod(request)];
    if (evicted !== undefined) this.#evicting[begins ? 'add' : 'delete'](evicted);
    if (deleted !== undefined) this.#deleting[begins ? 'add' : 'delete'](deleted);
    const claim = deletedClaim(request);
    if (claim !== undefined) this.#endedClaims.add(claim);
  }

  #uidOf(key: string | undefined): string | undefined {
    if (key === undefined) return undefined;
    const [namespace = '', name = ''] = key.split('/');
    return this.#world.api.get('pods', { namespace, name })?.metadata.uid;
  }

  #see(type: string, pod: Pod, before: Pod | undefined): void {
    const record = this.pods.get(pod.metadata.uid) ?? this.#create(pod);
    const { nodeName } = pod.spec;
    if (record.nodeName === undefined && nodeName !== undefined) {
      record.nodeName = nodeName;
      record.boundAt = this.#now;
      for (const listener of this.#onBound) listener(record);
    }
    if (record.readyAt === undefined && isReady(pod)) record.readyAt = this.#now;
    const leaves = type === 'DELETED' || pod.metadata.deletionTimestamp !== undefined || isFinished(pod);
    if (leaves && record.leftAt === undefined) this.#leave(record, before ?? pod, isFinished(pod));
  }

  #create(pod: Pod): PodRecord {
    const { uid, namespace = '', name } = pod.metadata;
    const controller = controllerOf(pod);
    const record: PodRecord = {
      uid,
      key: `${namespace}/${name}`,
      owner: controller?.uid,
      isOfJob: controller?.kind === 'Job',
      isOfDaemonSet: isOfDaemonSet(pod),
      isProtected: pod.metadata.annotations?.[DO_NOT_DISRUPT] === 'true',
      graceSeconds: pod.spec.terminationGracePeriodSeconds ?? 30,
      createdAt: this.#now,
      nodeName: undefined,
      boundAt: undefined,
      readyAt: undefined,
      evictedAt: undefined,
      cause: undefined,
      leftAt: undefined,
      successor: undefined,
      predecessor: undefined,
    };
    this.pods.set(uid, record);
    this.#present.add(record);
    this.#succeed(record);
    return record;
  }

  /** The pod takes the place of one that left, or is wanted in addition. */
  #succeed(record: PodRecord): void {
    if (record.isOfDaemonSet) return;
    const departed = this.#departed.get(record.owner ?? '') ?? [];
    let before = departed.shift();
    while (before?.leftAt !== undefined && before.leftAt < this.#now - REPLACED_WITHIN_MILLIS)
      before = departed.shift();
    if (before === undefined) {
      this.demandChanges.push(this.#now);
      return;
    }
    before.successor = record;
    record.predecessor = before;
  }

  #leave(record: PodRecord, pod: Pod, isFinished: boolean): void {
    record.leftAt = this.#now;
    this.#present.delete(record);
    if (record.isOfDaemonSet) return;
    const how = this.#howOf(record);
    if (how === undefined || isFinished) this.demandChanges.push(this.#now);
    if (isFinished || record.owner === undefined) return;
    if (how === 'eviction') record.evictedAt = this.#now;
    if (how !== undefined) record.cause = this.causeOf(record.nodeName ?? '');
    const departed = this.#departed.get(record.owner) ?? [];
    departed.push(record);
    // Those that Berth moved are replaced for certain; others may have been too many.
    departed.sort((left, right) => Number(left.cause === undefined) - Number(right.cause === undefined));
    this.#departed.set(record.owner, departed);
    if (how !== undefined) for (const listener of this.#onRemoval) listener({ how, record, pod });
  }

  #howOf({ key }: PodRecord): Removal['how'] | undefined {
    if (this.#evicting.has(key)) return 'eviction';
    return this.#deleting.has(key) ? 'deletion' : undefined;
  }

  /** Adds to the trace what EC2 does and what Berth decides, for whoever reads a finding. */
  #tellOn(): void {
    const { api, aws, actors } = this.#world;
    aws.onInstance(({ id, state, instanceType, zone, capacityType, privateDnsName }) => {
      const what = `${state} (${instanceType}, ${zone}, ${capacityType}, ${privateDnsName})`;
      actors.trace.add('ec2', `instance/${id}`, what);
    });
    api.watch('decisions.berth.sh', ({ type, object }) => {
      if (type !== 'ADDED') return;
      const { subject, action, reason, message } = object['spec'] as DecisionSpec;
      actors.trace.add('berth', `${subject.kind}/${subject.name}`, `${action} ${reason}: ${message}`);
    });
  }
}

interface DecisionSpec {
  readonly subject: { readonly kind: string; readonly name: string };
  readonly action: string;
  readonly reason: string;
  readonly message: string;
}

/** Listens to what Berth asks the API server for. */
export class RequestTap {
  listener:
    | {
        begins(request: WireRequest): void;
        ends(request: WireRequest, status: number): void;
      }
    | undefined;

  readonly around =
    (handler: WireHandler): WireHandler =>
    async (request, signal) => {
      this.listener?.begins(request);
      const answer = await handler(request, signal);
      this.listener?.ends(request, answer.status);
      return answer;
    };
}

/** `namespace/name` of the pod that a request evicts. */
function evictedPod({ method, path }: WireRequest): string | undefined {
  return method === 'POST'
    ? keyIn(/^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/eviction(\?|$)/, path)
    : undefined;
}

function deletedPod({ method, path }: WireRequest): string | undefined {
  return method === 'DELETE'
    ? keyIn(/^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/?]+)(\?|$)/, path)
    : undefined;
}

function deletedClaim({ method, path }: WireRequest): string | undefined {
  return method === 'DELETE' ? /^\/apis\/berth\.sh\/v1\/nodeclaims\/([^/?]+)/.exec(path)?.[1] : undefined;
}

function keyIn(pattern: RegExp, path: string): string | undefined {
  const found = pattern.exec(path);
  return found === null ? undefined : `${found[1] ?? ''}/${found[2] ?? ''}`;
}
