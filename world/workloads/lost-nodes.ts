/** Nodes whose instance is gone are deleted (cloud node lifecycle), and so are pods whose node is (pod garbage collector). */
import type { Actor, ActorContext } from '../cluster/actor.js';
import { isOvertaken, keyOf, refOf } from '../cluster/cluster-api.js';
import { isTrue } from '../cluster/conditions.js';
import type { InstanceSource } from '../cluster/instance-source.js';
import type { Node, Pod } from '../cluster/objects.js';
import { remove } from './controller.js';

const NAME = 'cloud-node-lifecycle-controller';
const POD_COLLECTOR = 'pod-garbage-collector';
const PERIOD_MILLIS = 20_000;
/** A node that is missing must stay so, before its pods are forgotten. */
const QUARANTINE_MILLIS = 40_000;

export class LostNodes implements Actor {
  readonly #context: ActorContext;
  readonly #cloud: InstanceSource;
  /** Node name → since when pods name it that is not there. */
  readonly #missing = new Map<string, number>();
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(context: ActorContext, cloud: InstanceSource) {
    this.#context = context;
    this.#cloud = cloud;
  }

  start(): void {
    this.#cancel = this.#context.clock.timer(PERIOD_MILLIS, () => {
      void this.#look().finally(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  async #look(): Promise<void> {
    try {
      await this.#deleteNodes();
      await this.#deletePods();
    } catch (error) {
      if (!isOvertaken(error)) this.#context.trace.add(NAME, '-', `failed: ${String(error)}`);
    }
  }

  /** As the cloud's controller does, a node that is Ready is not asked about. */
  async #deleteNodes(): Promise<void> {
    const { api, trace } = this.#context;
    const states = new Map(this.#cloud.instances().map(({ id, state }) => [id, state]));
    for (const node of api.list('nodes') as readonly Node[]) {
      const id = /\/(i-[0-9a-f]+)$/.exec(node.spec?.providerID ?? '')?.[1];
      if (id === undefined || isTrue(node.status?.conditions, 'Ready')) continue;
      const isGone = (states.get(id) ?? 'terminated') === 'terminated';
      if (!isGone || node.metadata.deletionTimestamp !== undefined) continue;
      trace.add(NAME, `node/${node.metadata.name}`, `deleted, since ${id} is gone`);
      await remove(this.#context, 'nodes', node);
    }
  }

  async #deletePods(): Promise<void> {
    const { api, clock, view, trace } = this.#context;
    const now = clock.now();
    const missing = new Map<string, Pod[]>();
    for (const pod of view.pods()) {
      const { nodeName = '' } = pod.spec;
      if (nodeName === '' || api.get('nodes', { name: nodeName }) !== undefined) continue;
      missing.set(nodeName, [...(missing.get(nodeName) ?? []), pod]);
    }
    for (const name of this.#missing.keys()) if (!missing.has(name)) this.#missing.delete(name);
    for (const [name, pods] of missing) {
      const since = this.#missing.get(name) ?? now;
      this.#missing.set(name, since);
      if (now - since < QUARANTINE_MILLIS) continue;
      for (const pod of pods) {
        trace.add(POD_COLLECTOR, `pod/${keyOf(pod)}`, `deleted, since node ${name} is gone`);
        await this.#forceDelete(pod);
      }
    }
  }

  async #forceDelete(pod: Pod): Promise<void> {
    try {
      const preconditions = { uid: pod.metadata.uid };
      await this.#context.api.delete('pods', refOf(pod), { gracePeriodSeconds: 0, preconditions });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }
}
