/** The kubelets of all instances: one comes with each that runs, and goes with it. */
import type { Catalogue } from '../../src/clouds/aws/catalogue/catalogue.js';
import type { Actor, ActorContext } from '../cluster/actor.js';
import type { InstanceSource, SimulatedInstance } from '../cluster/instance-source.js';
import type { Pod } from '../cluster/objects.js';
import { Kubelet } from './kubelet.js';
import { USUAL_PLAN, type KubeletPlan } from './kubelet-plan.js';

const HEARTBEAT_MILLIS = 10_000;

export interface KubeletsOptions {
  readonly context: ActorContext;
  readonly cloud: InstanceSource;
  readonly catalogue: Catalogue;
  /** What differs from a usual day. */
  readonly plan?: Partial<KubeletPlan> | undefined;
}

export class Kubelets implements Actor {
  readonly #options: KubeletsOptions;
  #plan: KubeletPlan;
  /** By instance. */
  readonly #kubelets = new Map<string, Kubelet>();
  readonly #byNode = new Map<string, Kubelet>();
  #stops: (() => void)[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: KubeletsOptions) {
    this.#options = options;
    this.#plan = { ...USUAL_PLAN, ...options.plan };
  }

  start(): void {
    const { context, cloud } = this.#options;
    this.#stops = [
      cloud.onInstance((instance) => {
        this.#observe(instance);
      }),
      cloud.onReboot(({ id, boots }, isUp) => {
        const kubelet = this.#kubelets.get(id);
        if (isUp) kubelet?.bootAgain(boots);
        else kubelet?.silence();
      }),
      context.api.watch('pods', ({ type, object }) => {
        const pod = object as Pod;
        const kubelet = this.#byNode.get(pod.spec.nodeName ?? '');
        if (type === 'DELETED') kubelet?.forget(pod);
        else kubelet?.observe(pod);
      }),
    ];
    for (const instance of cloud.instances()) this.#observe(instance);
    this.#beat();
  }

  stop(): void {
    this.#cancel?.();
    for (const stop of this.#stops) stop();
    for (const kubelet of this.#kubelets.values()) kubelet.stop();
    this.#kubelets.clear();
    this.#byNode.clear();
  }

  /** For instances that come from now on. */
  set plan(plan: Partial<KubeletPlan>) {
    this.#plan = { ...this.#plan, ...plan };
  }

  /** The kubelet of a node, to have it fail. @throws Error when there is none. */
  of(nodeName: string): Pick<Kubelet, 'silence' | 'resume' | 'setReady'> {
    const kubelet = this.#byNode.get(nodeName);
    if (kubelet === undefined) throw new Error(`node ${nodeName} has no instance that runs`);
    return kubelet;
  }

  #observe(instance: SimulatedInstance): void {
    const known = this.#kubelets.get(instance.id);
    if (instance.state === 'running' && known === undefined) this.#boot(instance);
    if (instance.state === 'pending' || instance.state === 'running' || known === undefined) return;
    this.#options.context.trace.add('kubelet', `node/${known.nodeName}`, `instance is ${instance.state}`);
    known.stop();
    this.#kubelets.delete(instance.id);
    this.#byNode.delete(known.nodeName);
  }

  #boot(instance: SimulatedInstance): void {
    const { context, catalogue } = this.#options;
    const kubelet = new Kubelet({ context, instance, catalogue, plan: this.#plan });
    this.#kubelets.set(instance.id, kubelet);
    this.#byNode.set(kubelet.nodeName, kubelet);
    for (const pod of context.view.onNode(kubelet.nodeName)) kubelet.observe(pod);
    kubelet.boot();
  }

  #beat(): void {
    this.#cancel = this.#options.context.clock.timer(HEARTBEAT_MILLIS, () => {
      for (const kubelet of this.#kubelets.values()) kubelet.heartbeat();
      this.#beat();
    });
  }
}
