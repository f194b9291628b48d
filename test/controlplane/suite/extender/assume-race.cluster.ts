/** kube-scheduler assumes and binds later, and asks for the next pod before: reservations hold all the same. */
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import { PODS } from '../../fixture/api/kube-object.js';
import { StandInKubelet } from '../../kubelet/stand-in-kubelet.js';
import { amounts } from '../../../support/builders/pod.js';
import { reservationEntry } from '../../../support/builders/reservation.js';
import type { KubeWriter } from '../../../../src/ports/kube-writer.js';
import { PodsAndNodes } from './pods-and-nodes.js';
import { ServedExtender } from './served-extender.js';

const ROUNDS = 30;
const RIVALS = 5;

describe('the extender under rivals', () => {
  let cluster: ControlPlane;
  let kubelet: StandInKubelet;
  let extender: ServedExtender;
  let kube: KubeWriter;
  let world: PodsAndNodes;

  beforeAll(async () => {
    extender = await ServedExtender.start();
    cluster = await startControlPlane({ schedulerConfiguration: extender.configuration() });
    kube = await extender.connect(cluster);
    world = new PodsAndNodes(cluster);
    kubelet = new StandInKubelet({ api: cluster.api });
    for (let round = 0; round < ROUNDS; round++)
      kubelet.addNode({ name: `n${String(round)}`, capacity: { cpu: '2' } });
    await world.nodesReady(ROUNDS);
  }, 120_000);

  afterAll(async () => {
    await kubelet.stop();
    await extender.stop();
    await cluster.stop();
  });

  /** Two cores, one reserved: of all rivals for one core each exactly one may have its place. */
  async function round(node: string): Promise<void> {
    const parts = { requests: { cpu: '1' }, spec: { nodeSelector: { 'kubernetes.io/hostname': node } } };
    const planned = await world.createGated({ name: `${node}-planned`, ...parts });
    const entry = reservationEntry({
      podUID: planned.metadata.uid,
      requests: amounts({ cpu: '1', pods: '1' }),
    });
    await kube.putReservation({ kind: 'Node', name: node }, [entry], undefined);
    await eventually('the extender to know', () => extender.known.reservations.get(`node.${node}`));
    const rivals = Array.from({ length: RIVALS }, (_, index) => `${node}-rival-${String(index)}`);
    await Promise.all(rivals.map((name) => world.create({ name, ...parts })));
    await eventually(`the rivals for ${node} to be decided on`, async () => {
      const pods = await Promise.all(rivals.map((name) => world.get(name)));
      return pods.every(({ status }) => status.conditions?.some(({ type }) => type === 'PodScheduled'));
    });
    await world.ungate(`${node}-planned`);
    expect(await world.bound(`${node}-planned`)).toBe(node);
  }

  test(`gives each of ${String(ROUNDS)} reserved places to the pod that it is for, and the rest to one rival`, async () => {
    for (let index = 0; index < ROUNDS; index++) await round(`n${String(index)}`);
    const { items } = await cluster.api.list(PODS, { namespace: 'default' });
    for (let index = 0; index < ROUNDS; index++) {
      const there = items.filter(({ spec }) => spec.nodeName === `n${String(index)}`);
      expect(there).toHaveLength(2);
    }
    expect(extender.passes).toEqual([]);
  });

  test('is asked over connections that kube-scheduler keeps, and waits for', () => {
    expect(extender.calls.length).toBeGreaterThan(ROUNDS * RIVALS);
    expect(extender.connections).toBeLessThan(10);
    expect(extender.abandoned).toEqual([]);
  });
});
