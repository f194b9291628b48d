/** What tests of scheduling do with pods and nodes: make them, and wait for what becomes of them. */
import type { ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import { NODES, PODS, type Condition, type Pod } from '../../fixture/api/kube-object.js';
import { podManifest, type PodParts } from '../manifests.js';

export class PodsAndNodes {
  readonly #cluster: ControlPlane;

  constructor(cluster: ControlPlane) {
    this.#cluster = cluster;
  }

  create(parts: PodParts): Promise<Pod> {
    return this.#cluster.api.create(PODS, podManifest(parts));
  }

  /** Creates it behind a scheduling gate, so that it has a uid before anybody looks for its place. */
  createGated({ spec, ...parts }: PodParts): Promise<Pod> {
    return this.create({ ...parts, spec: { schedulingGates: [{ name: 'test/wait' }], ...spec } });
  }

  async ungate(name: string): Promise<void> {
    const body = [{ op: 'remove', path: '/spec/schedulingGates' }];
    await this.#cluster.api.patch(PODS, { name }, { type: 'json', body });
  }

  async annotate(name: string, woken: string): Promise<void> {
    const body = { metadata: { annotations: { 'berth.sh/woken': woken } } };
    await this.#cluster.api.patch(PODS, { name }, { type: 'merge', body });
  }

  get(name: string): Promise<Pod> {
    return this.#cluster.api.get(PODS, { name });
  }

  /** The name of the node it is bound to. */
  bound(name: string, timeoutMillis = 30_000): Promise<string> {
    return eventually(
      `pod ${name} to be bound`,
      async () => (await this.get(name)).spec.nodeName ?? undefined,
      { timeoutMillis },
    );
  }

  /** Its condition PodScheduled once that is False for this reason. */
  refused(name: string, reason = 'Unschedulable', timeoutMillis = 30_000): Promise<Condition> {
    return eventually(
      `pod ${name} to be refused`,
      async () =>
        (await this.get(name)).status.conditions?.find(
          (one) => one.type === 'PodScheduled' && one.status === 'False' && one.reason === reason,
        ),
      { timeoutMillis },
    );
  }

  async remove(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.#cluster.api.delete(PODS, { name }, { gracePeriodSeconds: 0 });
    await eventually('the pods to be gone', async () => {
      const { items } = await this.#cluster.api.list(PODS, { namespace: 'default' });
      return !items.some(({ metadata }) => names.includes(metadata.name));
    });
  }

  /** Waits until so many nodes can take pods. */
  async nodesReady(count: number): Promise<void> {
    await eventually(
      `${String(count)} schedulable nodes`,
      async () => {
        const { items } = await this.#cluster.api.list(NODES);
        return items.filter(({ spec }) => spec.taints === undefined).length === count;
      },
      { timeoutMillis: 30_000 },
    );
  }
}
