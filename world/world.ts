/** A cluster's world: instances of the cloud become nodes, workloads become pods, pods get nodes and run. */
import type { Catalogue } from '../src/clouds/aws/catalogue/catalogue.js';
import type { Clock } from '../src/ports/clock.js';
import type { Random } from '../src/ports/random.js';
import { Kubelets } from './kubelet/kubelets.js';
import type { KubeletPlan } from './kubelet/kubelet-plan.js';
import type { CallExtender } from './scheduler/extender.js';
import { Scheduler } from './scheduler/scheduler.js';
import { workloadActors } from './workloads/workloads.js';
import type { Actor, ActorContext } from './cluster/actor.js';
import { Chance } from './cluster/chance.js';
import type { ClusterApi } from './cluster/cluster-api.js';
import { ClusterView } from './cluster/cluster-view.js';
import { EventLog } from './cluster/events.js';
import type { InstanceSource, SimulatedInstance } from './cluster/instance-source.js';
import { Trace } from './cluster/trace.js';

/** A kube-scheduler process: the profiles that it serves, with or without the extender. */
export interface SchedulerSetup {
  readonly schedulerNames: readonly string[];
  readonly hasExtender: boolean;
}

export interface WorldOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly api: ClusterApi;
  readonly cloud: InstanceSource;
  readonly catalogue: Catalogue;
  /** Absent: schedulers decide alone. */
  readonly callExtender?: CallExtender | undefined;
  /** One with all of Berth's profiles and the extender, by default. */
  readonly schedulers?: readonly SchedulerSetup[] | undefined;
  /** Of the extender's scores; 15 by default, as in Berth's own manifests. */
  readonly extenderWeight?: number | undefined;
  /** Whether pods are placed without the extender when it fails; true by default. */
  readonly ignorable?: boolean | undefined;
  /** Instances that are there from the start and are not terminated: a node group for what must always run. */
  readonly standingInstances?: readonly SimulatedInstance[] | undefined;
  readonly kubeletPlan?: Partial<KubeletPlan> | undefined;
}

const USUAL_SCHEDULERS: readonly SchedulerSetup[] = [
  { schedulerNames: ['default-scheduler', 'berth-scheduler'], hasExtender: true },
];
const EXTENDER_WEIGHT = 15;

export class World {
  /** What happened so far. */
  readonly trace: Trace;
  /** To have nodes fail. */
  readonly kubelets: Kubelets;
  readonly #context: ActorContext;
  readonly #actors: readonly Actor[];
  #unfollow: (() => void) | undefined;

  constructor(options: WorldOptions) {
    const { clock, random, api, catalogue, kubeletPlan } = options;
    this.trace = new Trace(clock);
    this.#context = {
      api,
      clock,
      chance: new Chance(random),
      view: new ClusterView(),
      events: new EventLog({ api, clock }),
      trace: this.trace,
    };
    const cloud = withStanding(options.cloud, options.standingInstances ?? []);
    this.kubelets = new Kubelets({ context: this.#context, cloud, catalogue, plan: kubeletPlan });
    this.#actors = [
      ...workloadActors(this.#context, cloud),
      ...schedulersOf(this.#context, options),
      this.kubelets,
    ];
  }

  start(): void {
    this.#unfollow = this.#context.view.follow(this.#context.api);
    for (const actor of this.#actors) actor.start();
  }

  stop(): void {
    for (const actor of this.#actors) actor.stop();
    this.#unfollow?.();
  }
}

function schedulersOf(context: ActorContext, options: WorldOptions): readonly Actor[] {
  const { callExtender, schedulers = USUAL_SCHEDULERS, ignorable } = options;
  const extender = callExtender && {
    call: callExtender,
    weight: options.extenderWeight ?? EXTENDER_WEIGHT,
    ignorable,
  };
  return schedulers.map(
    ({ schedulerNames, hasExtender }) =>
      new Scheduler({ ...context, schedulerNames, extender: hasExtender ? extender : undefined }),
  );
}

function withStanding(cloud: InstanceSource, standing: readonly SimulatedInstance[]): InstanceSource {
  return {
    instances: () => [...standing, ...cloud.instances()],
    onInstance: (listener) => cloud.onInstance(listener),
    onReboot: (listener) => cloud.onReboot(listener),
  };
}
