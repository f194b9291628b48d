/** Rounds in which pods want more room on a node than its reservation leaves them, all at once. */
import { eventually } from '../../fixture/eventually.js';
import { PODS } from '../../fixture/api/kube-object.js';
import type { ControlPlane } from '../../fixture/control-plane.js';
import type { StandInKubelet } from '../../kubelet/stand-in-kubelet.js';
import { amounts } from '../../../support/builders/pod.js';
import { reservationEntry } from '../../../support/builders/reservation.js';
import type { KubeWriter } from '../../../../src/ports/kube-writer.js';
import { PodsAndNodes } from './pods-and-nodes.js';
import type { ServedExtender } from './served-extender.js';

export const RIVALS = 5;

export interface RivalRoundsOptions {
  readonly cluster: ControlPlane;
  readonly kube: KubeWriter;
  readonly kubelet: StandInKubelet;
  /** All that may be asked. */
  readonly extenders: readonly ServedExtender[];
}

export class RivalRounds {
  readonly #options: RivalRoundsOptions;
  readonly #world: PodsAndNodes;

  constructor(options: RivalRoundsOptions) {
    this.#options = options;
    this.#world = new PodsAndNodes(options.cluster);
  }

  /** Starts nodes of two cores, `n0` to `n<count-1>`. */
  async addNodes(count: number): Promise<void> {
    for (let index = 0; index < count; index++)
      this.#options.kubelet.addNode({ name: `n${String(index)}`, capacity: { cpu: '2' } });
    await this.#world.nodesReady(count);
  }

  /** Two cores, one reserved, and rivals for one core each. Answers the planned pod's name, which no scheduler has tried yet. */
  async rivalry(node: string): Promise<string> {
    const { kube, extenders } = this.#options;
    const world = this.#world;
    const parts = { requests: { cpu: '1' }, spec: { nodeSelector: { 'kubernetes.io/hostname': node } } };
    const name = `${node}-planned`;
    const planned = await world.createGated({ name, ...parts });
    const entry = reservationEntry({
      podUID: planned.metadata.uid,
      requests: amounts({ cpu: '1', pods: '1' }),
    });
    await kube.putReservation({ kind: 'Node', name: node }, [entry], undefined);
    for (const { known } of extenders)
      await eventually('the extender to know', () => known.reservations.get(`node.${node}`));
    const rivals = Array.from({ length: RIVALS }, (_, index) => `${node}-rival-${String(index)}`);
    await Promise.all(rivals.map((rival) => world.create({ name: rival, ...parts })));
    await eventually(`the rivals for ${node} to be decided on`, async () => {
      const pods = await Promise.all(rivals.map((rival) => world.get(rival)));
      return pods.every(({ status }) => status.conditions?.some(({ type }) => type === 'PodScheduled'));
    });
    return name;
  }

  /** How many of the rivals have their place on the node: one core is left to them. */
  async boundRivals(node: string): Promise<number> {
    const { items } = await this.#options.cluster.api.list(PODS, { namespace: 'default' });
    return items.filter(({ metadata, spec }) => spec.nodeName === node && metadata.name.includes('-rival-'))
      .length;
  }
}
