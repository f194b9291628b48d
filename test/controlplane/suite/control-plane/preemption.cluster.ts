/** More important pods at a pool's limit, with the real kube-scheduler: its queue decides when a refused pod is tried again. */
import { takeNodesInFlight, takeRunningNodes } from '../../../scenario/cases/preemption.js';
import { BerthCluster } from '../../berth/berth-cluster.js';
import { RealWorld } from '../../berth/real-world.js';

/** Far from the five minutes after which kube-scheduler tries every pod again. */
const LONGEST_MILLIS = 15_000;

describe('more important pods at the limit of their pool', () => {
  let berth: BerthCluster;
  let world: RealWorld;

  beforeAll(async () => {
    berth = await BerthCluster.start({ bootMillis: 8_000 });
    world = new RealWorld(berth);
  }, 120_000);

  afterAll(async () => {
    await berth.stop();
  });

  test('take the room that is on its way for others, and nothing more is bought', async () => {
    await expect(takeNodesInFlight(world)).resolves.toBeUndefined();
  }, 120_000);

  test('take the nodes of running pods within seconds, and no node of a pod whose budget forbids it', async () => {
    const waits = await takeRunningNodes(world);
    expect(Math.max(...waits)).toBeLessThanOrEqual(LONGEST_MILLIS);
  }, 120_000);
});
