/** What nobody wakes: kube-scheduler looks at a held pod again after five minutes, and finds it still held. */
import { setTimeout as sleep } from 'node:timers/promises';
import { labels } from '../../../support/builders/pod.js';
import { nodeClaimSpec } from '../../../support/builders/node-claim.js';
import { reservationEntry } from '../../../support/builders/reservation.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import { StandInKubelet } from '../../kubelet/stand-in-kubelet.js';
import { PodsAndNodes } from './pods-and-nodes.js';
import { ServedExtender } from './served-extender.js';

describe('a held pod that nothing wakes', () => {
  let cluster: ControlPlane;
  let kubelet: StandInKubelet;
  let extender: ServedExtender;

  beforeAll(async () => {
    extender = await ServedExtender.start();
    cluster = await startControlPlane({ schedulerConfiguration: extender.configuration() });
    kubelet = new StandInKubelet({ api: cluster.api });
    kubelet.addNode({ name: 'n1' });
  }, 120_000);

  afterAll(async () => {
    await kubelet.stop();
    await extender.stop();
    await cluster.stop();
  });

  test('is asked about again after five minutes, once, and stays held', async () => {
    const kube = await extender.connect(cluster);
    const world = new PodsAndNodes(cluster);
    await world.nodesReady(1);
    const pod = await world.createGated({ name: 'held' });
    await kube.createNodeClaim({
      name: 'c1',
      labels: labels(),
      annotations: labels(),
      spec: nodeClaimSpec(),
    });
    const entry = reservationEntry({ podUID: pod.metadata.uid });
    await kube.putReservation({ kind: 'NodeClaim', name: 'c1' }, [entry], undefined);
    await eventually('the extender to know', () => extender.known.reservations.get('nodeclaim.c1'));
    await world.ungate('held');
    await world.refused('held');
    await sleep(2_000);
    const asked = extender.callsFor('held', 'filter');
    expect(asked.length).toBeLessThanOrEqual(3);
    const again = await eventually('the flush', () => extender.callsFor('held', 'filter')[asked.length], {
      timeoutMillis: 400_000,
      everyMillis: 500,
    });
    const waited = (again.atMillis - (asked.at(-1)?.atMillis ?? 0)) / 1000;
    expect(waited).toBeGreaterThan(290);
    expect(waited).toBeLessThan(340);
    await sleep(1_000);
    // Tried again: connections that nobody used for five minutes may be gone.
    const { spec } = await eventually('the pod to be read', () => world.get('held'));
    expect(spec.nodeName).toBeUndefined();
    expect(extender.callsFor('held', 'filter').length).toBeLessThanOrEqual(asked.length + 2);
  }, 450_000);
});
