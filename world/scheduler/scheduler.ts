/** A kube-scheduler with one extender: takes pods by priority, one at a time, and finds each a node, or reports why there is none. */
import type { Actor, ActorContext } from '../cluster/actor.js';
import { isOvertaken, keyOf, refOf, type ObjectEvent } from '../cluster/cluster-api.js';
import { withCondition } from '../cluster/conditions.js';
import type { KubeObject, Pod } from '../cluster/objects.js';
import { RESOURCE_SLICES } from '../devices/device-driver.js';
import { CLAIMS, CLASSES } from '../devices/objects.js';
import { assignedPodEvents, hasEnded, isOnNode, nodeEvents, type ClusterEvent } from './cluster-events.js';
import { messageOf, pluginsOf, type Diagnosis } from './diagnosis.js';
import { Extender, type ExtenderOptions } from './extender.js';
import { NodeCache } from './node-cache.js';
import { NodeChooser } from './node-chooser.js';
import { Nominations } from './nominations.js';
import { PodBinder } from './pod-binder.js';
import { devicesOn, type AllocatedClaim } from './filters/device-filter.js';
import { podInfo, type PodInfo } from './filters/pod-info.js';
import { preempt } from './preemption.js';
import { SchedulingQueue, type QueuedPod } from './scheduling-queue.js';

export interface SchedulerOptions extends ActorContext {
  /** Pods that name one of these are its own. */
  readonly schedulerNames: readonly string[];
  readonly extender?: ExtenderOptions | undefined;
}

/** One attempt takes so long: a real one places some 250 pods a second. */
const ATTEMPT_MILLIS = 4;
/** Binding runs beside the next attempts. */
const BINDING_MILLIS = { from: 5, to: 30 };
const STORAGE = [
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses.storage.k8s.io',
  'csinodes.storage.k8s.io',
];
const DEVICES = [CLAIMS, CLASSES, RESOURCE_SLICES];
const ACTOR = 'scheduler';

interface Assumed {
  readonly nodeName: string;
  readonly devices: readonly AllocatedClaim[];
}

interface Outcome {
  readonly reason: 'Unschedulable' | 'SchedulerError' | 'SchedulingGated';
  readonly message: string;
  /** undefined leaves the nomination as it is. */
  readonly nominatedNodeName?: string | undefined;
}

export class Scheduler implements Actor {
  readonly #options: SchedulerOptions;
  readonly #queue = new SchedulingQueue();
  readonly #cache: NodeCache;
  readonly #nominations = new Nominations();
  readonly #extender: Extender | undefined;
  readonly #chooser: NodeChooser;
  readonly #binder: PodBinder;
  readonly #end = new AbortController();
  readonly #stops: (() => void)[] = [];
  #cancelTimer: (() => void) | undefined;
  #isArmedSoon = false;
  #isTrying = false;

  constructor(options: SchedulerOptions) {
    const { api, clock, chance, extender } = options;
    this.#options = options;
    this.#cache = new NodeCache(api);
    this.#extender = extender && new Extender(extender);
    this.#chooser = new NodeChooser({
      cache: this.#cache,
      nominations: this.#nominations,
      extender: this.#extender,
      chance,
    });
    this.#binder = new PodBinder({ api, clock, signal: this.#end.signal });
  }

  start(): void {
    const { api } = this.#options;
    const watched = [
      ...STORAGE.map((resource) => [resource, 'Storage'] as const),
      ...DEVICES.map((resource) => [resource, 'Devices'] as const),
    ].map(([resource, event]) =>
      api.watch(resource, () => {
        this.#happened(event);
      }),
    );
    this.#stops.push(
      ...watched,
      api.watch('namespaces', () => {
        this.#happened('Namespace');
      }),
      api.watch('nodes', (event) => {
        this.#cache.observeNode(event);
        for (const happened of nodeEvents(event)) this.#happened(happened);
      }),
      api.watch('pods', (event) => {
        this.#observePod(event);
      }),
    );
  }

  stop(): void {
    this.#end.abort();
    for (const stop of this.#stops) stop();
    this.#cancelTimer?.();
  }

  #happened(event: ClusterEvent, upTo?: number): void {
    this.#queue.happened(event, this.#options.clock.now(), upTo);
    this.#arm();
  }

  #observePod(event: ObjectEvent): void {
    const pod = event.object as Pod;
    const { uid } = pod.metadata;
    if (isOnNode(pod)) {
      this.#cache.observePod(event);
      this.#forgetPending(uid);
      for (const happened of assignedPodEvents(event)) this.#happened(happened);
    } else if (event.type === 'DELETED' || hasEnded(pod) || pod.metadata.deletionTimestamp !== undefined) {
      this.#forgetPending(uid);
      this.#noteNomination(pod, event.object, '');
    } else {
      this.#nominations.observe(pod);
      if (this.#isMine(pod)) this.#observePending(pod, event);
      this.#noteNomination(pod, event.before, pod.status?.nominatedNodeName);
    }
  }

  /** A nomination that is gone counts as a pod that is gone, for pods that the room was kept from. */
  #noteNomination({ spec }: Pod, before: KubeObject | undefined, now = ''): void {
    const { nominatedNodeName = '' } = (before as Pod | undefined)?.status ?? {};
    if (nominatedNodeName !== '' && nominatedNodeName !== now)
      this.#happened('NominationGone', spec.priority ?? 0);
  }

  #forgetPending(uid: string): void {
    this.#nominations.forget(uid);
    this.#queue.remove(uid);
  }

  #isMine({ spec }: Pod): boolean {
    return this.#options.schedulerNames.includes(spec.schedulerName ?? 'default-scheduler');
  }

  #observePending(pod: Pod, { before }: ObjectEvent): void {
    const { uid } = pod.metadata;
    if ((pod.spec.schedulingGates ?? []).length > 0) {
      this.#queue.remove(uid);
      void this.#write(pod, {
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      });
      return;
    }
    if (this.#cache.isPlaced(uid)) return;
    if (!this.#queue.has(uid)) this.#queue.add({ uid, key: keyOf(pod), priority: pod.spec.priority ?? 0 });
    else this.#queue.changed(uid, isOutward(pod, before) ? 'OwnOutward' : 'Own', this.#options.clock.now());
    this.#arm();
  }

  /** Sets the timer for the next attempt. */
  #arm(): void {
    if (this.#isTrying || this.#isArmedSoon || this.#end.signal.aborted) return;
    const { clock } = this.#options;
    const due = this.#queue.nextDue(clock.now());
    this.#cancelTimer?.();
    if (due === undefined) return;
    const millis = Math.max(due - clock.now(), ATTEMPT_MILLIS);
    this.#isArmedSoon = millis === ATTEMPT_MILLIS;
    this.#cancelTimer = clock.timer(millis, () => {
      this.#isArmedSoon = false;
      void this.#step();
    });
  }

  async #step(): Promise<void> {
    const queued = this.#queue.pop(this.#options.clock.now());
    if (queued !== undefined) {
      this.#isTrying = true;
      try {
        await this.#try(queued);
      } catch (error) {
        this.#options.trace.add(ACTOR, `pod/${queued.key}`, `failed: ${words(error)}`);
        this.#queue.failed(queued, this.#options.clock.now());
      }
      this.#isTrying = false;
    }
    this.#arm();
  }

  async #try(queued: QueuedPod): Promise<void> {
    const pod = this.#current(queued);
    if (pod === undefined) {
      this.#queue.remove(queued.uid);
      return;
    }
    try {
      if (this.#cache.facts().nodes.length === 0) {
        await this.#failed(queued, pod, {
          reason: 'Unschedulable',
          message: 'no nodes available to schedule pods',
        });
        return;
      }
      const choice = await this.#chooser.choose(podInfo(pod));
      if ('nodeName' in choice) this.#assume(queued, podInfo(pod), choice.nodeName);
      else await this.#refused(queued, pod, choice.diagnosis);
    } catch (error) {
      await this.#failed(queued, pod, { reason: 'SchedulerError', message: words(error) });
    }
  }

  #current({ key, uid }: QueuedPod): Pod | undefined {
    const [namespace = '', name = ''] = key.split('/');
    const pod = this.#options.api.get('pods', { namespace, name }) as Pod | undefined;
    const isIt = pod?.metadata.uid === uid && !isOnNode(pod) && pod.metadata.deletionTimestamp === undefined;
    return isIt ? pod : undefined;
  }

  /** From here on the pod counts on the node; it is bound beside the next attempts. */
  #assume(queued: QueuedPod, info: PodInfo, nodeName: string): void {
    const devices = devicesOn(info, nodeName, this.#cache.facts()) ?? [];
    this.#cache.assume(info, nodeName);
    const isBound = this.#cache.allocate(devices);
    void this.#bind(queued, info, { nodeName, devices }).finally(isBound);
  }

  async #bind(queued: QueuedPod, info: PodInfo, { nodeName, devices }: Assumed): Promise<void> {
    const { clock, chance, trace } = this.#options;
    try {
      await clock.sleep(chance.within(`bind ${info.uid}`, BINDING_MILLIS), this.#end.signal);
      await this.#binder.bindVolumes(info, nodeName);
      await this.#binder.bindDevices(info, devices, this.#cache.facts());
      trace.add(ACTOR, `pod/${info.key}`, `bound to ${nodeName}`);
      await this.#binder.bind(info, nodeName);
      this.#forgetPending(info.uid);
      this.#tell(info.pod, 'Scheduled', `Successfully assigned ${info.key} to ${nodeName}`);
    } catch (error) {
      if (this.#end.signal.aborted) return;
      this.#cache.forget(info.uid);
      this.#happened('PodRemoved');
      await this.#failed(queued, info.pod, { reason: 'SchedulerError', message: words(error) });
    }
  }

  async #refused(queued: QueuedPod, pod: Pod, diagnosis: Diagnosis): Promise<void> {
    const info = podInfo(pod);
    const { nodeName, victims, message } = await preempt({
      pod: info,
      facts: this.#cache.facts(),
      diagnosis,
      extender: this.#extender,
    });
    this.#queue.refused(queued, pluginsOf(diagnosis), this.#options.clock.now());
    await this.#write(pod, {
      reason: 'Unschedulable',
      message: messageOf(diagnosis, message),
      nominatedNodeName: nodeName ?? '',
    });
    for (const victim of victims) await this.#evict(victim, info, nodeName ?? '');
  }

  async #evict(victim: Pod, { key }: PodInfo, nodeName: string): Promise<void> {
    const { api, trace } = this.#options;
    trace.add(ACTOR, `pod/${keyOf(victim)}`, `preempted by ${key}`);
    this.#tell(victim, 'Preempted', `Preempted by pod ${key} on node ${nodeName}`);
    try {
      await api.delete('pods', refOf(victim), { preconditions: { uid: victim.metadata.uid } });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }

  async #failed(queued: QueuedPod, pod: Pod, outcome: Outcome): Promise<void> {
    this.#queue.failed(queued, this.#options.clock.now());
    await this.#write(pod, outcome);
    this.#arm();
  }

  /** What became of the attempt, where all clients can read it. */
  async #write(pod: Pod, { reason, message, nominatedNodeName }: Outcome): Promise<void> {
    const { api, clock, trace } = this.#options;
    const condition = { type: 'PodScheduled', status: 'False', reason, message };
    const change = (object: KubeObject): KubeObject => {
      const { status = {} } = object as Pod;
      const conditions = withCondition(status.conditions, condition, clock.now());
      const nominated = nominatedNodeName ?? status.nominatedNodeName ?? '';
      const isSame = conditions === status.conditions && nominated === (status.nominatedNodeName ?? '');
      if (isSame || object.metadata.uid !== pod.metadata.uid) return object;
      trace.add(ACTOR, `pod/${keyOf(pod)}`, `${reason}: ${message}`);
      return { ...object, status: nominating({ ...status, conditions }, nominated) };
    };
    try {
      await api.change('pods', refOf(pod), change, { subresource: 'status' });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
    if (reason !== 'SchedulingGated') this.#tell(pod, 'FailedScheduling', message);
  }

  #tell(pod: Pod, reason: string, message: string): void {
    const type = reason === 'FailedScheduling' ? 'Warning' : 'Normal';
    const component = pod.spec.schedulerName ?? 'default-scheduler';
    this.#options.events.record(pod, { type, reason, message, component });
  }
}

/** With an empty name the field goes. */
function nominating(status: object, nodeName: string): object {
  const others = Object.entries(status).filter(([field]) => field !== 'nominatedNodeName');
  return Object.fromEntries(nodeName === '' ? others : [...others, ['nominatedNodeName', nodeName]]);
}

/** Whether nothing changed that a plugin looks at: its status, its annotations. */
function isOutward(pod: Pod, before: KubeObject | undefined): boolean {
  const essence = ({ metadata, spec }: Pod): string => JSON.stringify([metadata.labels, spec]);
  return before !== undefined && essence(pod) === essence(before as Pod);
}

function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
