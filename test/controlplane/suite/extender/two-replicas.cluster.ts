/**
 * Two replicas behind one address, as behind a Service: what each has charged, the other does not know (ADR 10). So the Service
 * berth-extender keeps a client with its replica, and kube-scheduler keeps its connection.
 */
import process from 'node:process';
import { AlternatingFront } from '../../fixture/alternating-front.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { schedulerWithExtenders } from '../../fixture/recording-extender.js';
import { StandInKubelet } from '../../kubelet/stand-in-kubelet.js';
import { PodsAndNodes } from './pods-and-nodes.js';
import { RivalRounds } from './rival-rounds.js';
import { ServedExtender } from './served-extender.js';

const ROUNDS = 30;

describe('two replicas of the extender behind one address', () => {
  let cluster: ControlPlane;
  let kubelet: StandInKubelet;
  let replicas: readonly ServedExtender[];
  let front: AlternatingFront;
  let rounds: RivalRounds;
  let world: PodsAndNodes;

  beforeAll(async () => {
    replicas = [await ServedExtender.start(), await ServedExtender.start()];
    front = await AlternatingFront.start(replicas.map(({ port }) => port));
    const urlPrefix = `http://127.0.0.1:${String(front.port)}/scheduler`;
    const [first] = replicas;
    if (first === undefined) throw new Error('there is no replica');
    cluster = await startControlPlane({
      schedulerConfiguration: schedulerWithExtenders([first.entry({ urlPrefix })]),
    });
    const kube = await first.connect(cluster);
    for (const other of replicas.slice(1)) await other.follow(cluster);
    world = new PodsAndNodes(cluster);
    kubelet = new StandInKubelet({ api: cluster.api });
    rounds = new RivalRounds({ cluster, kube, kubelet, extenders: replicas });
    await rounds.addNodes(2 * ROUNDS);
  }, 120_000);

  afterAll(async () => {
    await kubelet.stop();
    await front.stop();
    for (const replica of replicas) await replica.stop();
    await cluster.stop();
  });

  /** How many rivals were bound in each round of these; each time there was room for one. */
  async function played(from: number, to: number): Promise<readonly number[]> {
    const taken: number[] = [];
    for (let index = from; index < to; index++) {
      const node = `n${String(index)}`;
      const planned = await rounds.rivalry(node);
      taken.push(await rounds.boundRivals(node));
      await world.ungate(planned);
    }
    return taken;
  }

  test('keep reserved places, since kube-scheduler keeps its connection, and so its replica', async () => {
    const taken = await played(0, ROUNDS);
    expect(taken).toEqual(taken.map(() => 1));
    expect(replicas.filter(({ calls }) => calls.length > 0)).toHaveLength(1);
  });

  test('let one rival in each at most, if every call reaches another replica than the one before', async () => {
    for (const replica of replicas) replica.fault = { closes: true };
    const taken = await played(ROUNDS, 2 * ROUNDS);
    const twice = taken.filter((count) => count > 1).length;
    process.stderr.write(`reserved room given away in ${String(twice)} of ${String(ROUNDS)} rounds\n`);
    expect(Math.max(...taken)).toBeLessThanOrEqual(replicas.length);
  });
});
