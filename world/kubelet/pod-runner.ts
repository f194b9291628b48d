/** One pod on one node: its containers are made, run, end, and go when told to. */
import type { ActorContext } from '../cluster/actor.js';
import { isOvertaken, refOf } from '../cluster/cluster-api.js';
import type { KubeObject, Pod } from '../cluster/objects.js';
import { ENDING_MILLIS, podBehaviour, STARTING_MILLIS } from './pod-behaviour.js';
import { podStatus, type PodStage } from './pod-status.js';

export interface PodRunnerOptions {
  readonly context: ActorContext;
  readonly pod: Pod;
  readonly hostIP: string;
  readonly podIP: string;
  /** How long its images take to come. */
  readonly pullMillis: number;
}

export class PodRunner {
  readonly #options: PodRunnerOptions;
  readonly #key: string;
  #isLeaving = false;
  #leavesAt = Infinity;
  #cancel: (() => void) | undefined;

  constructor(options: PodRunnerOptions) {
    this.#options = options;
    const { namespace = '', name } = options.pod.metadata;
    this.#key = `${namespace}/${name}`;
  }

  /** A pod that ran before continues. */
  start(): void {
    const { pod, pullMillis } = this.#options;
    const phase = pod.status?.phase ?? 'Pending';
    if (phase === 'Running') this.#scheduleExit();
    if (phase !== 'Pending') return;
    this.#write('creating');
    this.#after(pullMillis, () => {
      this.#run();
    });
  }

  /** The kubelet will not have it. */
  reject(reason: string, message: string): void {
    const { context, pod } = this.#options;
    context.trace.add('kubelet', `pod/${this.#key}`, `rejected: ${reason}`);
    this.#change((object) => ({ ...object, status: { ...pod.status, phase: 'Failed', reason, message } }));
  }

  /** What the object says now. A shorter grace period counts from when the kubelet learns of it. */
  observe({ metadata }: Pod): void {
    if (metadata.deletionTimestamp === undefined) return;
    const { context, pod } = this.#options;
    const graceMillis = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    const { terminationMillis } = podBehaviour(pod);
    const wanted = terminationMillis ?? context.chance.within(`end ${metadata.uid}`, ENDING_MILLIS);
    const leavesAt = context.clock.now() + Math.min(wanted, graceMillis);
    if (this.#isLeaving && leavesAt >= this.#leavesAt) return;
    this.#isLeaving = true;
    this.#leavesAt = leavesAt;
    this.#after(leavesAt - context.clock.now(), () => {
      this.#delete();
    });
  }

  /** Nothing more comes of it. */
  stop(): void {
    this.#cancel?.();
  }

  #run(): void {
    const { context, pod } = this.#options;
    this.#write('running');
    const { startMillis } = podBehaviour(pod);
    const millis = startMillis ?? context.chance.within(`start ${pod.metadata.uid}`, STARTING_MILLIS);
    this.#after(millis, () => {
      this.#write('ready');
      this.#scheduleExit();
    });
  }

  #scheduleExit(): void {
    const { runMillis, exitCode } = podBehaviour(this.#options.pod);
    if (runMillis === undefined) return;
    this.#after(runMillis, () => {
      this.#write(exitCode === 0 ? 'succeeded' : 'failed', exitCode);
    });
  }

  #after(millis: number, act: () => void): void {
    this.#cancel?.();
    this.#cancel = this.#options.context.clock.timer(millis, act);
  }

  #write(stage: PodStage, exitCode?: number): void {
    const { context, hostIP, podIP } = this.#options;
    context.trace.add('kubelet', `pod/${this.#key}`, stage);
    const now = context.clock.now();
    this.#change((object) => ({
      ...object,
      status: podStatus(object as Pod, { stage, now, hostIP, podIP, exitCode }),
    }));
  }

  #change(change: (object: KubeObject) => KubeObject): void {
    const { context, pod } = this.#options;
    const { uid } = pod.metadata;
    this.#settle(
      context.api.change(
        'pods',
        refOf(pod),
        (object) => (object.metadata.uid === uid ? change(object) : object),
        { subresource: 'status' },
      ),
    );
  }

  #delete(): void {
    const { context, pod } = this.#options;
    context.trace.add('kubelet', `pod/${this.#key}`, 'gone');
    const preconditions = { uid: pod.metadata.uid };
    this.#settle(context.api.delete('pods', refOf(pod), { gracePeriodSeconds: 0, preconditions }));
  }

  /** The next write that succeeds holds what could not be written. */
  #settle(write: Promise<unknown>): void {
    write.catch((error: unknown) => {
      if (!isOvertaken(error))
        this.#options.context.trace.add('kubelet', `pod/${this.#key}`, `failed: ${String(error)}`);
    });
  }
}
