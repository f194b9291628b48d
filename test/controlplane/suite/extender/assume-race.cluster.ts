/** kube-scheduler assumes and binds later, and asks for the next pod before: reservations hold all the same. */
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { StandInKubelet } from '../../kubelet/stand-in-kubelet.js';
import { PodsAndNodes } from './pods-and-nodes.js';
import { RIVALS, RivalRounds } from './rival-rounds.js';
import { ServedExtender } from './served-extender.js';

const ROUNDS = 30;

describe('the extender under rivals', () => {
  let cluster: ControlPlane;
  let kubelet: StandInKubelet;
  let extender: ServedExtender;
  let rounds: RivalRounds;
  let world: PodsAndNodes;

  beforeAll(async () => {
    extender = await ServedExtender.start();
    cluster = await startControlPlane({ schedulerConfiguration: extender.configuration() });
    const kube = await extender.connect(cluster);
    world = new PodsAndNodes(cluster);
    kubelet = new StandInKubelet({ api: cluster.api });
    rounds = new RivalRounds({ cluster, kube, kubelet, extenders: [extender] });
    await rounds.addNodes(ROUNDS);
  }, 120_000);

  afterAll(async () => {
    await kubelet.stop();
    await extender.stop();
    await cluster.stop();
  });

  test(`gives each of ${String(ROUNDS)} reserved places to the pod that it is for, and the rest to one rival`, async () => {
    for (let index = 0; index < ROUNDS; index++) {
      const node = `n${String(index)}`;
      const planned = await rounds.rivalry(node);
      await world.ungate(planned);
      expect(await world.bound(planned)).toBe(node);
      expect(await rounds.boundRivals(node)).toBe(1);
    }
    expect(extender.passes).toEqual([]);
  });

  test('is asked over connections that kube-scheduler keeps, and waits for', () => {
    expect(extender.calls.length).toBeGreaterThan(ROUNDS * RIVALS);
    expect(extender.connections).toBeLessThan(10);
    expect(extender.abandoned).toEqual([]);
  });
});
