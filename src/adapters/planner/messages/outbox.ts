/** What the planner's thread has not received yet: changes of the cluster, and between them the questions that wait. */
import {
  DEVICE_KINDS,
  observedKey,
  type ObservedKind,
  type ObservedKinds,
} from '../../../ports/cluster-feed.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import type { AskedTask } from './asked-task.js';

/** What questions are answered from. Policies are not among them: what they amount to comes with each question. */
const KINDS = [
  'Pod',
  'Node',
  'Namespace',
  'DaemonSet',
  'Workload',
  'Service',
  'PodGroup',
  'PodDisruptionBudget',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'StorageClass',
  ...DEVICE_KINDS,
  'HorizontalPodAutoscaler',
  'NodeClaim',
  'Reservation',
] as const satisfies readonly ObservedKind[];

/** All changes of one object since the thread last received it. */
export interface UnsentChange {
  readonly kind: ObservedKind;
  readonly key: string;
  /** As the thread has it. */
  readonly before: object | undefined;
  readonly after: object | undefined;
}

/** What happened between two questions, and the later one; undefined: not asked yet, cancelled, or answered. */
interface Segment {
  /** Kind and key → change. */
  readonly changes: Map<string, UnsentChange>;
  task: AskedTask | undefined;
}

/**
 * A thread that receives everything in order has at each question the cluster as it was when that was asked. Another thread can
 * take over at any point: it receives the whole cluster as it was there, since the changes that are not sent yet can be undone.
 */
export class Outbox {
  readonly #cluster: Cluster;
  readonly #onChange: () => void;
  #subscriptions: readonly (() => void)[] = [];
  /** Of the whole cluster, what a new thread has not received. */
  #whole: Iterator<UnsentChange, undefined> = [].values();
  /** The last one has no question yet. */
  #segments: Segment[] = [emptySegment()];
  #begun: AskedTask | undefined;

  /** `onChange` is called at each change while the cluster is followed. */
  constructor(cluster: Cluster, onChange: () => void) {
    this.#cluster = cluster;
    this.#onChange = onChange;
  }

  /** The question is about the cluster as it is now. */
  ask(task: AskedTask): void {
    this.#follow();
    const last = this.#segments.at(-1);
    if (last !== undefined) last.task = task;
    this.#segments.push(emptySegment());
  }

  /** Whether there are questions that have not ended. */
  get isAsked(): boolean {
    return this.#segments.some(({ task }) => task !== undefined);
  }

  /** The next question that is still waited for: what comes before it is sent, then the question. */
  begin(): AskedTask | undefined {
    for (const segment of this.#segments) {
      if (segment.task?.isCancelled === true) segment.task = undefined;
      if (segment.task !== undefined) return (this.#begun = segment.task);
    }
    return undefined;
  }

  /** The question that has begun, from when all before it is sent until it is sent itself. */
  get due(): AskedTask | undefined {
    const [{ task, changes } = emptySegment()] = this.#segments;
    return task !== undefined && task === this.#begun && changes.size === 0 ? task : undefined;
  }

  /** The question that is due is sent: the changes after it may be. */
  sent(): void {
    this.#segments.shift();
  }

  /** The question is answered, or will not be. */
  end(task: AskedTask): void {
    for (const segment of this.#segments) if (segment.task === task) segment.task = undefined;
  }

  /** The receiver is another thread from now on, which has nothing. */
  restart(): void {
    this.#follow();
    this.#whole = this.#everything();
  }

  /** The next changes to be sent, at most so many, each of another object, and none after a question that waits. */
  take(most: number): readonly UnsentChange[] {
    const whole = firstOf(this.#whole, most);
    if (whole.length > 0) return whole;
    for (let [head] = this.#segments; head !== undefined; [head] = this.#segments) {
      const { changes, task } = head;
      const taken = firstOf(changes.values(), most);
      for (const change of taken) changes.delete(idOf(change));
      if (taken.length > 0 || task !== undefined || this.#segments.length === 1) return taken;
      this.#segments.shift();
    }
    return [];
  }

  /** Drops what was not sent and stops following the cluster. Returns the questions that waited. */
  leave(): readonly AskedTask[] {
    for (const unsubscribe of this.#subscriptions) unsubscribe();
    this.#subscriptions = [];
    const tasks = this.#segments.flatMap(({ task }) => task ?? []);
    this.#segments = [emptySegment()];
    this.#whole = [].values();
    return tasks;
  }

  #follow(): void {
    if (this.#subscriptions.length > 0) return;
    this.#subscriptions = KINDS.map((kind) =>
      this.#cluster.store(kind).subscribe(({ key, before, after }) => {
        this.#changed({ kind, key, before, after });
      }),
    );
  }

  #changed(change: UnsentChange): void {
    const { changes } = this.#segments.at(-1) ?? emptySegment();
    const id = idOf(change);
    const earlier = changes.get(id);
    changes.set(id, earlier === undefined ? change : { ...change, before: earlier.before });
    this.#onChange();
  }

  /** The cluster as it was before the changes that are not sent. */
  #everything(): Generator<UnsentChange, undefined> {
    const undone = new Map<string, UnsentChange>();
    for (const { changes } of this.#segments)
      for (const [id, change] of changes) if (!undone.has(id)) undone.set(id, change);
    // As they are now: the rest of the lists may be sent much later.
    const lists = KINDS.map((kind) => [kind, [...this.#cluster.store(kind).values()]] as const);
    return inOrder(lists, undone);
  }
}

function* inOrder(
  lists: readonly (readonly [ObservedKind, readonly object[]])[],
  undone: ReadonlyMap<string, UnsentChange>,
): Generator<UnsentChange, undefined> {
  for (const [kind, objects] of lists)
    for (const after of objects) {
      const key = observedKey(kind, after as ObservedKinds[typeof kind]);
      if (!undone.has(idOf({ kind, key }))) yield { kind, key, before: undefined, after };
    }
  for (const { kind, key, before } of undone.values())
    if (before !== undefined) yield { kind, key, before: undefined, after: before };
  return undefined;
}

function firstOf(changes: Iterator<UnsentChange>, most: number): readonly UnsentChange[] {
  const first: UnsentChange[] = [];
  while (first.length < most) {
    const next = changes.next();
    if (next.done === true) break;
    first.push(next.value);
  }
  return first;
}

/** Tells objects of all kinds apart. */
function idOf({ kind, key }: Pick<UnsentChange, 'kind' | 'key'>): string {
  return `${kind} ${key}`;
}

function emptySegment(): Segment {
  return { changes: new Map(), task: undefined };
}
