/**
 * Pods that wait for a node: ready to be tried by priority, waiting out a back-off, or unschedulable until something happens
 * (kube-scheduler 1.33 and newer).
 */
import { wakes, type ClusterEvent } from './cluster-events.js';

const FIRST_BACKOFF_MILLIS = 1_000;
const LONGEST_BACKOFF_MILLIS = 10_000;
/** Unschedulable pods are tried again after this, whatever happens. */
const FLUSH_MILLIS = 300_000;

export interface QueuedPod {
  readonly uid: string;
  readonly key: string;
  readonly priority: number;
  /** Order of arrival. */
  readonly order: number;
  attempts: number;
  errors: number;
  /** Who refused it last. */
  plugins: ReadonlySet<string>;
  state: 'active' | 'backoff' | 'error' | 'unschedulable' | 'trying';
  /** When the back-off ends, or since when it is unschedulable. */
  time: number;
  /** What happened while it was being tried. */
  readonly missed: Set<ClusterEvent>;
}

export class SchedulingQueue {
  readonly #pods = new Map<string, QueuedPod>();
  /** Last one first. */
  #active: QueuedPod[] = [];
  #order = 0;

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** A pod that is new here is tried as soon as its turn comes. */
  add(pod: Pick<QueuedPod, 'uid' | 'key' | 'priority'>): void {
    if (this.#pods.has(pod.uid)) return;
    const queued: QueuedPod = {
      ...pod,
      order: this.#order++,
      attempts: 0,
      errors: 0,
      plugins: new Set(),
      state: 'active',
      time: 0,
      missed: new Set(),
    };
    this.#pods.set(pod.uid, queued);
    this.#activate(queued);
  }

  remove(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    this.#pods.delete(uid);
    if (pod.state === 'active') this.#active = this.#active.filter((each) => each !== pod);
  }

  /** The one to try: the most important that is ready; with none, the first that waits out a refusal. */
  pop(now: number): QueuedPod | undefined {
    for (const pod of this.#pods.values())
      if (pod.state !== 'active' && pod.state !== 'trying' && this.#dueAt(pod) <= now) this.#activate(pod);
    const pod = this.#active.pop() ?? this.#firstOf('backoff');
    if (pod === undefined) return undefined;
    pod.state = 'trying';
    pod.missed.clear();
    pod.attempts++;
    return pod;
  }

  /** No node would do: it waits for what may change that. */
  refused(pod: QueuedPod, plugins: ReadonlySet<string>, now: number): void {
    if (!this.#pods.has(pod.uid)) return;
    pod.plugins = plugins;
    pod.errors = 0;
    if ([...pod.missed].some((event) => wakes(plugins, event))) this.#backOff(pod, now);
    else {
      pod.state = 'unschedulable';
      pod.time = now;
    }
  }

  /** It could not be tried: again after a back-off that nothing shortens. */
  failed(pod: QueuedPod, now: number): void {
    if (!this.#pods.has(pod.uid)) return;
    pod.errors++;
    pod.state = 'error';
    pod.time = now + backoffMillis(pod.errors);
  }

  /** Something happened: pods that it may help leave the unschedulable ones; of those up to this priority, where it has one. */
  happened(event: ClusterEvent, now: number, upTo = Infinity): void {
    for (const pod of this.#pods.values()) {
      if (pod.priority > upTo) continue;
      if (pod.state === 'trying') pod.missed.add(event);
      if (pod.state === 'unschedulable' && wakes(pod.plugins, event)) this.#backOff(pod, now);
    }
  }

  /** The pod itself changed. */
  changed(uid: string, event: 'Own' | 'OwnOutward', now: number): void {
    const pod = this.#pods.get(uid);
    if (pod?.state === 'trying') pod.missed.add(event);
    if (pod?.state === 'unschedulable' && wakes(pod.plugins, event)) this.#backOff(pod, now);
  }

  /** When there is one to try, if nothing happens; undefined when there is none at all. */
  nextDue(now: number): number | undefined {
    let next: number | undefined;
    for (const pod of this.#pods.values()) {
      if (pod.state === 'trying') continue;
      const due = pod.state === 'active' || pod.state === 'backoff' ? now : this.#dueAt(pod);
      next = next === undefined ? due : Math.min(next, due);
    }
    return next;
  }

  #activate(pod: QueuedPod): void {
    pod.state = 'active';
    let low = 0;
    let high = this.#active.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#active[middle];
      if (other !== undefined && isLater(other, pod)) low = middle + 1;
      else high = middle;
    }
    this.#active.splice(low, 0, pod);
  }

  #backOff(pod: QueuedPod, now: number): void {
    pod.state = 'backoff';
    pod.time = now + backoffMillis(pod.attempts);
  }

  #dueAt({ state, time }: QueuedPod): number {
    return state === 'unschedulable' ? time + FLUSH_MILLIS : time;
  }

  #firstOf(state: QueuedPod['state']): QueuedPod | undefined {
    let first: QueuedPod | undefined;
    for (const pod of this.#pods.values())
      if (pod.state === state && (first === undefined || isLater(first, pod))) first = pod;
    return first;
  }
}

/** Whether the first of the two comes after the second: by priority, then by arrival. */
function isLater(left: QueuedPod, right: QueuedPod): boolean {
  return left.priority !== right.priority ? left.priority < right.priority : left.order > right.order;
}

function backoffMillis(attempts: number): number {
  return Math.min(FIRST_BACKOFF_MILLIS * 2 ** Math.max(attempts - 1, 0), LONGEST_BACKOFF_MILLIS);
}
