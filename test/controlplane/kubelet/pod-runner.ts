/** Runs one pod on a stand-in node: starts it, lets it end, and deletes it when it is told to go. */
import type { ApiClient, ObjectRef } from '../fixture/api/api-client.js';
import { PODS, type Pod } from '../fixture/api/kube-object.js';
import type { PodBehaviour } from './pod-behaviour.js';
import type { Pod as SimulatedPod } from '../../../world/cluster/objects.js';
import { podStatus, type PodStage } from '../../../world/kubelet/pod-status.js';
import type { Tasks } from './tasks.js';

/** What a container exits with that was killed. */
const KILLED = 137;

export interface PodRunnerOptions {
  readonly api: ApiClient;
  readonly tasks: Tasks;
  readonly behaviour: PodBehaviour;
  readonly podIP: string;
  readonly hostIP: string;
}

type Stage = 'new' | 'starting' | 'running' | 'ended' | 'leaving';

export class PodRunner {
  readonly #options: PodRunnerOptions;
  #stage: Stage = 'new';

  constructor(options: PodRunnerOptions) {
    this.#options = options;
  }

  /** Takes note of the pod as it is now, and does what follows from it. */
  observe(pod: Pod): void {
    if (pod.metadata.deletionTimestamp !== undefined) this.#leave(pod);
    else if (this.#stage === 'new') this.#begin(pod);
  }

  /** Calls off whatever is due. */
  stop(): Promise<void> {
    return this.#options.tasks.stop();
  }

  /** A pod that ran before this kubelet came goes on as it was. */
  #begin(pod: Pod): void {
    const { tasks, behaviour } = this.#options;
    if (pod.status.phase === 'Pending') {
      this.#stage = 'starting';
      tasks.after(behaviour.startMillis ?? 0, () => this.#run(pod));
    } else if (pod.status.phase === 'Running') {
      this.#stage = 'running';
      this.#scheduleExit(pod);
    } else {
      this.#stage = 'ended';
    }
  }

  async #run(pod: Pod): Promise<void> {
    this.#stage = 'running';
    await this.#writeStatus(pod, this.#options.behaviour.ready === false ? 'running' : 'ready');
    this.#scheduleExit(pod);
  }

  #scheduleExit(pod: Pod): void {
    const { tasks, behaviour } = this.#options;
    const { runMillis, exitCode = 0 } = behaviour;
    const policy = pod.spec.restartPolicy ?? 'Always';
    const ends = policy === 'Never' || (policy === 'OnFailure' && exitCode === 0);
    if (runMillis === undefined || !ends || this.#stage !== 'running') return;
    tasks.after(runMillis, async () => {
      this.#stage = 'ended';
      await this.#writeEnd(pod, exitCode);
    });
  }

  #leave(pod: Pod): void {
    if (this.#stage === 'leaving') return;
    const { tasks, behaviour } = this.#options;
    const hasContainers =
      this.#stage === 'running' || (this.#stage === 'new' && pod.status.phase === 'Running');
    this.#stage = 'leaving';
    tasks.clear();
    const graceMillis = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    const wantedMillis = behaviour.terminationMillis ?? 0;
    const millis = hasContainers ? Math.min(wantedMillis, graceMillis) : 0;
    tasks.after(millis, async () => {
      const exitCode = wantedMillis > graceMillis ? KILLED : 0;
      if (hasContainers) await this.#writeEnd(pod, exitCode);
      await this.#options.api.delete(PODS, refOf(pod), {
        gracePeriodSeconds: 0,
        preconditions: { uid: pod.metadata.uid },
      });
    });
  }

  #writeEnd(pod: Pod, exitCode: number): Promise<void> {
    return this.#writeStatus(pod, exitCode === 0 ? 'succeeded' : 'failed', exitCode);
  }

  async #writeStatus(pod: Pod, stage: PodStage, exitCode?: number): Promise<void> {
    const { hostIP, podIP } = this.#options;
    const status = podStatus(pod as SimulatedPod, { stage, exitCode, hostIP, podIP, now: Date.now() });
    // The uid makes it a conflict to write into a later pod of the same name.
    const body = { metadata: { uid: pod.metadata.uid }, status };
    await this.#options.api.patchStatus(PODS, refOf(pod), { type: 'strategic-merge', body });
  }
}

function refOf({ metadata: { name, namespace = 'default' } }: Pod): ObjectRef {
  return { name, namespace };
}
