/** What a process that only observes can still write: its Lease and its records, and nothing else, whoever asks. */
import {
  KubeClient,
  refuseObserversChanges,
  type KubeRequest,
} from '../../../../src/adapters/kube/transport/index.js';
import { kubeWriter } from '../../../../src/adapters/kube/writer/kube-writer.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { nodeClaim } from '../../../support/builders/node-claim.js';
import { observedNode } from '../../../support/builders/observed-node.js';
import { observedPod } from '../../../support/builders/observed-pod.js';
import { reservation } from '../../../support/builders/reservation.js';
import { staticConnection } from '../../../support/static-connection.js';
import { FakeApiServer, json } from './fake-api-server.js';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/berth-system/leases';
const refuse = refuseObserversChanges('berth-system', 'berth');

function change(method: string, path: string, body?: unknown) {
  return { method, path, body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)) };
}

test.each([
  ['POST', '/apis/berth.sh/v1/policystatuses?fieldManager=berth'],
  ['PATCH', '/apis/berth.sh/v1/policystatuses/nodepool.general'],
  ['PUT', '/apis/berth.sh/v1/policystatuses/nodepool.general/status'],
  ['DELETE', '/apis/berth.sh/v1/policystatuses/nodepool.general'],
  ['POST', '/apis/berth.sh/v1/decisions'],
  ['PATCH', '/apis/berth.sh/v1/decisions/one/status'],
  ['DELETE', '/apis/berth.sh/v1/decisions/one'],
  ['POST', '/apis/events.k8s.io/v1/namespaces/default/events'],
  ['PATCH', '/apis/events.k8s.io/v1/namespaces/default/events/one'],
  ['PUT', `${LEASES}/berth`],
])('%s %s is a record of its own', (method, path) => {
  expect(refuse(change(method, path))).toBeUndefined();
});

test.each([
  ['POST', '/api/v1/namespaces/default/pods/a/eviction'],
  ['DELETE', '/api/v1/namespaces/default/pods/a'],
  ['PATCH', '/api/v1/namespaces/default/pods/a/status'],
  ['PATCH', '/api/v1/nodes/a'],
  ['DELETE', '/api/v1/nodes/a'],
  ['POST', '/apis/berth.sh/v1/nodeclaims'],
  ['PUT', '/apis/berth.sh/v1/nodeclaims/a/status'],
  ['POST', '/apis/berth.sh/v1/reservations'],
  ['DELETE', '/apis/berth.sh/v1/decisions'],
  ['DELETE', '/apis/berth.sh/v1/policystatuses?labelSelector=a'],
  ['POST', '/apis/karpenter.sh/v1/nodeclaims'],
  ['POST', '/api/v1/namespaces/berth-system/secrets'],
  ['PUT', `${LEASES}/berth-scheduler`],
  ['PUT', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/berth'],
  ['DELETE', `${LEASES}/berth`],
  ['PUT', `${LEASES}/berth/../berth-scheduler`],
  ['POST', '/apis/berth.sh/v1/policystatuses/../nodeclaims'],
])('%s %s is refused', (method, path) => {
  expect(refuse(change(method, path))).toContain('--mode observe');
});

test('a Lease is created under its own name alone', () => {
  expect(refuse(change('POST', LEASES, { metadata: { name: 'berth' } }))).toBeUndefined();
  for (const body of [{ metadata: { name: 'other' } }, {}, null, undefined])
    expect(refuse(change('POST', LEASES, body))).toContain('not sent');
});

describe('a client that refuses', () => {
  let server: FakeApiServer;
  let client: KubeClient;

  beforeEach(async () => {
    server = await FakeApiServer.start();
    client = new KubeClient({
      connection: staticConnection({ server: server.url }),
      clock: systemClock,
      userAgent: 'berth/1.2.3',
      refuse,
    });
  });

  afterEach(async () => {
    client.close();
    await server.stop();
  });

  test('sends none of the changes that controllers make to nodes, pods, claims and reservations', async () => {
    const writer = kubeWriter({ client, namespace: 'berth-system', reportingInstance: 'berth-1' });
    const [claim, node, pod, held] = [nodeClaim(), observedNode(), observedPod(), reservation()];
    const changes: readonly Promise<unknown>[] = [
      writer.createNodeClaim(claim),
      writer.annotateNodeClaim(claim, { a: 'b' }),
      writer.putNodeClaimStatus(claim, claim.status),
      writer.deleteNodeClaim(claim),
      writer.holdNodeClaim(claim),
      writer.releaseNodeClaim(claim),
      writer.putReservation(held.target, held.entries, held),
      writer.deleteReservation(held),
      writer.patchNode(node, { labels: { a: 'b' } }),
      writer.deleteNode(node),
      writer.nominatePod(pod, 'a'),
      writer.annotatePod(pod, { a: 'b' }),
      writer.toleratePod(pod, 'a'),
      writer.evictPod(pod),
      writer.deletePod(pod, 0),
    ];
    for (const made of await Promise.allSettled(changes))
      expect(made).toMatchObject({ status: 'rejected', reason: { code: 'ReadOnly', retryable: false } });
    expect(server.requests).toEqual([]);
  });

  test('still reads', async () => {
    server.answerNext('other', json(200, { kind: 'Node' }));
    const get: KubeRequest = { method: 'GET', path: '/api/v1/nodes/a' };
    await expect(client.request(get)).resolves.toEqual({ kind: 'Node' });
  });
});
