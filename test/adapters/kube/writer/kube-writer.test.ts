/** What each write asks of the API server, to the letter, and what its answers and refusals become. */
import '../../../../src/app/clouds.js';
import { kubeWriter } from '../../../../src/adapters/kube/writer/kube-writer.js';
import { encodeNodeClaim } from '../../../../src/apis/berth/node-claim.js';
import { encodePolicyStatus } from '../../../../src/apis/berth/policy-status.js';
import { decodeObservedNode } from '../../../../src/apis/kubernetes/nodes/observed-node.js';
import { decodeObservedPod } from '../../../../src/apis/kubernetes/pods/observed-pod.js';
import type { Taint } from '../../../../src/domain/values/taint.js';
import type { KubeEvent } from '../../../../src/ports/kube-writer.js';
import { PortError } from '../../../../src/ports/port-error.js';
import { podManifest } from '../../../apis/kubernetes/manifests.js';
import { decision, decisionSpec } from '../../../support/builders/decision.js';
import { launchStatus, nodeClaim } from '../../../support/builders/node-claim.js';
import { amounts } from '../../../support/builders/pod.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../../../support/builders/policy-status.js';
import { reservation, reservationEntry } from '../../../support/builders/reservation.js';
import { answering, failing, RecordingClient, stored, type Answer } from './recording-client.js';

type Writer = ReturnType<typeof kubeWriter>;

function writing(...answers: readonly Answer[]): { readonly kube: Writer; readonly client: RecordingClient } {
  const client = new RecordingClient(...answers);
  const kube = kubeWriter({ client, namespace: 'berth-system', reportingInstance: 'berth-0' });
  return { kube, client };
}

function portError(code: 'Conflict' | 'NotFound' | 'Forbidden' | 'Invalid', message = 'planted'): PortError {
  return new PortError(code, { operation: 'test', message });
}

/** What the API server answers to a deletion that is done. */
const DELETED = { kind: 'Status', status: 'Success' };
const NODE = { metadata: { name: 'n1', uid: 'u-n1', resourceVersion: '5' }, spec: {} };
const POD = podManifest({ name: 'p', namespace: 'web', metadata: { uid: 'u-p', resourceVersion: '6' } });

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('nothing there');
  return value;
}
const node = must(decodeObservedNode(NODE, new Map([['ebs', 3]])).value);
const pod = must(decodeObservedPod(POD).value);

const EVENT: KubeEvent = {
  name: 'p.1',
  regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'web', name: 'p', uid: 'u-p' },
  type: 'Warning',
  reason: 'FailedScheduling',
  action: 'Refuse',
  note: 'no room',
  time: Date.UTC(2026, 0, 1),
  count: 2,
};

describe('a NodeClaim', () => {
  test('is created with its finalizer under Berth as field manager', async () => {
    const { kube, client } = writing();
    const claim = nodeClaim();
    const created = await kube.createNodeClaim(claim);
    expect(created).toMatchObject({ name: 'general-1', spec: claim.spec, resourceVersion: '8' });
    expect(client.requests).toMatchObject([
      {
        method: 'POST',
        path: '/apis/berth.sh/v1/nodeclaims',
        query: { fieldManager: 'berth' },
        operation: 'create nodeclaims/general-1',
        body: { metadata: { name: 'general-1', finalizers: ['berth.sh/termination'] } },
      },
    ]);
  });

  test('has its whole status replaced, at the version that was seen', async () => {
    const { kube, client } = writing();
    const claim = nodeClaim({ status: { nodeName: 'old' } });
    const status = { ...nodeClaim().status, launch: launchStatus() };
    await expect(kube.putNodeClaimStatus(claim, status)).resolves.toEqual({ ...claim, status });
    expect(client.requests).toMatchObject([
      {
        method: 'PUT',
        path: '/apis/berth.sh/v1/nodeclaims/general-1/status',
        body: { metadata: { resourceVersion: '1' }, status: encodeNodeClaim({ ...claim, status })['status'] },
      },
    ]);
  });

  test('is annotated by a patch of these annotations alone', async () => {
    const claim = nodeClaim({ annotations: new Map([['a', '1']]) });
    const { kube, client } = writing(answering(encodeNodeClaim(claim)));
    await expect(kube.annotateNodeClaim(claim, { a: null, b: '2' })).resolves.toMatchObject({
      name: 'general-1',
    });
    expect(client.requests).toMatchObject([
      {
        method: 'PATCH',
        path: '/apis/berth.sh/v1/nodeclaims/general-1',
        body: [
          { op: 'test', path: '/metadata/uid', value: 'uid-general-1' },
          { op: 'remove', path: '/metadata/annotations/a' },
          { op: 'add', path: '/metadata/annotations/b', value: '2' },
        ],
      },
    ]);
  });

  test('made by hand gets the finalizer of Berth beside those that it has', async () => {
    const claim = nodeClaim({ finalizers: ['other/guard'] });
    const finalizers = ['other/guard', 'berth.sh/termination'];
    const { kube, client } = writing(answering(encodeNodeClaim({ ...claim, finalizers })));
    await expect(kube.holdNodeClaim(claim)).resolves.toMatchObject({ finalizers });
    expect(client.requests).toMatchObject([
      {
        method: 'PATCH',
        contentType: 'application/json-patch+json',
        path: '/apis/berth.sh/v1/nodeclaims/general-1',
        body: [
          { op: 'test', path: '/metadata/uid', value: 'uid-general-1' },
          { op: 'add', path: '/metadata/finalizers/-', value: 'berth.sh/termination' },
        ],
      },
    ]);
  });

  test('loses only the finalizer of Berth when it is released', async () => {
    const claim = nodeClaim({ finalizers: ['other/guard', 'berth.sh/termination'] });
    const { kube, client } = writing(answering(encodeNodeClaim({ ...claim, finalizers: ['other/guard'] })));
    await expect(kube.releaseNodeClaim(claim)).resolves.toMatchObject({ finalizers: ['other/guard'] });
    expect(client.requests).toMatchObject([
      {
        method: 'PATCH',
        contentType: 'application/json-patch+json',
        body: [
          { op: 'test', path: '/metadata/uid', value: claim.uid },
          { op: 'test', path: '/metadata/finalizers/1', value: 'berth.sh/termination' },
          { op: 'remove', path: '/metadata/finalizers/1' },
        ],
      },
    ]);
  });

  test('that cannot be found in the answer is an error, since its outcome is unknown', async () => {
    const { kube } = writing(answering('<html>'));
    await expect(kube.createNodeClaim(nodeClaim())).rejects.toMatchObject({ code: 'Unavailable' });
  });
});

describe('deleting', () => {
  const uid = 'uid-1';
  test.each([
    [
      'a NodeClaim',
      (kube: Writer) => kube.deleteNodeClaim(nodeClaim({ uid })),
      '/apis/berth.sh/v1/nodeclaims/general-1',
      { uid },
    ],
    [
      'a Reservation',
      (kube: Writer) => kube.deleteReservation(reservation({ uid })),
      '/apis/berth.sh/v1/reservations/nodeclaim.general-1',
      { uid, resourceVersion: '1' },
    ],
    ['a Node', (kube: Writer) => kube.deleteNode(node), '/api/v1/nodes/n1', { uid: 'u-n1' }],
    [
      'a PolicyStatus',
      (kube: Writer) => kube.deletePolicyStatus(policyStatus({ uid })),
      '/apis/berth.sh/v1/policystatuses/nodepool.general',
      { uid },
    ],
    [
      'a Decision',
      (kube: Writer) => kube.deleteDecision(decision({ uid })),
      '/apis/berth.sh/v1/decisions/decision-1',
      { uid },
    ],
  ] as const)('%s deletes the one that was seen', async (...[, work, path, preconditions]) => {
    const { kube, client } = writing(answering(DELETED));
    await work(kube);
    expect(client.requests).toMatchObject([{ method: 'DELETE', path, body: { preconditions } }]);
  });

  test('answers what finalizers keep, and nothing when it is gone', async () => {
    const claim = nodeClaim({ deletionTimestamp: Date.UTC(2026, 0, 2) });
    const { kube } = writing(answering(encodeNodeClaim(claim)), answering(NODE), answering(DELETED));
    await expect(kube.deleteNodeClaim(claim)).resolves.toEqual(claim);
    await expect(kube.deleteNode(node)).resolves.toMatchObject({ name: 'n1' });
    await expect(kube.deleteNode(node)).resolves.toBeUndefined();
  });

  test.each([
    'Precondition failed: UID in precondition: a, UID in object meta: b',
    'the UID in the precondition (a) does not match the UID in record (b)',
  ])('an object that was replaced finds nothing: %s', async (message) => {
    const { kube } = writing(failing(portError('Conflict', message)));
    await expect(kube.deleteNode(node)).rejects.toMatchObject({ code: 'NotFound' });
  });

  test.each([
    ['another version', portError('Conflict', 'the ResourceVersion in the precondition')],
    ['missing rights', portError('Forbidden')],
  ])('what is refused for %s stays refused', async (_, error) => {
    const { kube } = writing(failing(error));
    await expect(kube.deleteReservation(reservation())).rejects.toBe(error);
  });
});

test('a reservation is created without a version and replaced at the one that was seen', async () => {
  const { kube, client } = writing();
  const target = { kind: 'Node', name: 'n1' } as const;
  const entries = [reservationEntry()];
  await kube.putReservation(target, entries, undefined);
  await kube.putReservation(target, [], reservation({ target, uid: 'u', resourceVersion: '3' }));
  expect(client.requests).toMatchObject([
    { method: 'POST', path: '/apis/berth.sh/v1/reservations', body: { spec: { target, pods: 1 } } },
    {
      method: 'PUT',
      path: '/apis/berth.sh/v1/reservations/node.n1',
      body: { metadata: { uid: 'u', resourceVersion: '3' }, spec: { target, pods: 0, entries: [] } },
    },
  ]);
});

describe('a node', () => {
  const known = { ...node, labels: new Map([['gone', 'x']]), annotations: new Map() };
  const same = { op: 'test', path: '/metadata/uid', value: 'u-n1' };

  test('receives only what the patch has, and keeps the limits of its CSINode', async () => {
    const { kube, client } = writing(answering(NODE), answering(NODE));
    const patched = await kube.patchNode(known, { labels: { 'a/b': 'c', gone: null, absent: null } });
    await kube.patchNode(known, { annotations: { c: 'd' }, finalizers: { add: ['f'] } });
    expect(patched.volumeLimits).toBe(node.volumeLimits);
    expect(client.requests.map(({ body }) => body)).toEqual([
      [
        same,
        { op: 'add', path: '/metadata/labels/a~1b', value: 'c' },
        { op: 'remove', path: '/metadata/labels/gone' },
      ],
      [
        same,
        { op: 'test', path: '/metadata/annotations', value: null },
        { op: 'add', path: '/metadata/annotations', value: { c: 'd' } },
        { op: 'test', path: '/metadata/finalizers', value: null },
        { op: 'add', path: '/metadata/finalizers', value: ['f'] },
      ],
    ]);
  });

  test('loses taints where they were seen, the last first, and gets new ones behind the others', async () => {
    const { kube, client } = writing(answering(NODE));
    const taint = (key: string): Taint => ({ key, value: '', effect: 'NoExecute' });
    const taints = { add: [taint('new')], remove: [taint('a'), taint('c'), taint('absent')] };
    await kube.patchNode({ ...known, taints: [taint('a'), taint('b'), taint('c')] }, { taints });
    const gone = (index: number, key: string): readonly object[] => [
      { op: 'test', path: `/spec/taints/${String(index)}/key`, value: key },
      { op: 'test', path: `/spec/taints/${String(index)}/effect`, value: 'NoExecute' },
      { op: 'remove', path: `/spec/taints/${String(index)}` },
    ];
    const added = { op: 'add', path: '/spec/taints/-', value: { key: 'new', effect: 'NoExecute' } };
    expect(client.requests[0]?.body).toEqual([same, ...gone(2, 'c'), ...gone(0, 'a'), added]);
  });

  test('that no kubelet reports gets a boot ID in its status, and nothing else', async () => {
    const { kube, client } = writing(answering(NODE));
    await kube.putBootID(known, 'boot-2');
    expect(client.requests).toMatchObject([
      {
        path: '/api/v1/nodes/n1/status',
        contentType: 'application/json-patch+json',
        body: [same, { op: 'add', path: '/status/nodeInfo/bootID', value: 'boot-2' }],
      },
    ]);
  });

  test('that is not as it was seen is a conflict, and a change that is no good is not', async () => {
    const changed = '422 the server rejected our request due to an error in our request';
    const { kube } = writing(failing(portError('Invalid', changed)), failing(portError('Invalid', 'label')));
    await expect(kube.patchNode(known, {})).rejects.toMatchObject({ code: 'Conflict' });
    await expect(kube.patchNode(known, {})).rejects.toMatchObject({ code: 'Invalid' });
  });
});

describe('a pod', () => {
  test('is nominated through its status, and annotated through itself', async () => {
    const { kube, client } = writing(answering(POD), answering(POD), answering(POD));
    await kube.nominatePod(pod, 'n1');
    await kube.nominatePod({ ...pod, nominatedNodeName: 'n1' }, undefined);
    await kube.annotatePod(pod, { 'berth.sh/woken': '1' });
    const patch = { method: 'PATCH', contentType: 'application/json-patch+json' };
    const same = { op: 'test', path: '/metadata/uid', value: 'u-p' };
    const pending = { op: 'test', path: '/spec/nodeName', value: null };
    const nominated = '/status/nominatedNodeName';
    expect(client.requests).toMatchObject([
      {
        ...patch,
        path: '/api/v1/namespaces/web/pods/p/status',
        body: [
          ...[same, pending, { op: 'test', path: nominated, value: null }],
          { op: 'add', path: nominated, value: 'n1' },
        ],
      },
      {
        ...patch,
        body: [
          ...[same, pending, { op: 'test', path: nominated, value: 'n1' }],
          { op: 'remove', path: nominated },
        ],
      },
      {
        ...patch,
        path: '/api/v1/namespaces/web/pods/p',
        body: [
          ...[same, { op: 'test', path: '/metadata/annotations', value: null }],
          { op: 'add', path: '/metadata/annotations', value: { 'berth.sh/woken': '1' } },
        ],
      },
    ]);
  });

  test('is evicted by its uid, with more time than the API server takes', async () => {
    const { kube, client } = writing(answering({}));
    await kube.evictPod(pod);
    expect(client.requests).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/namespaces/web/pods/p/eviction',
        timeoutMillis: 20_000,
        body: {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'p', namespace: 'web' },
          deleteOptions: { preconditions: { uid: 'u-p' } },
        },
      },
    ]);
  });

  test('that a budget protects stays, and its caller learns when to ask again', async () => {
    const blocked = new PortError('Blocked', { operation: 'evict', message: 'no', retryAfterMillis: 10_000 });
    const { kube } = writing(failing(blocked));
    await expect(kube.evictPod(pod)).rejects.toBe(blocked);
  });

  test('is deleted with the grace period that is left', async () => {
    const { kube, client } = writing(answering({}));
    await kube.deletePod(pod, 0);
    expect(client.requests).toMatchObject([{ method: 'DELETE', body: { gracePeriodSeconds: 0 } }]);
  });
});

describe('a PolicyStatus', () => {
  const known = policyStatus({ resources: amounts({ cpu: '4', nodes: '2' }) });

  test('is created, and then told how it is', async () => {
    const { kube, client } = writing(({ body }) => {
      const object = stored({ body });
      return Object.fromEntries(Object.entries(object).filter(([field]) => field !== 'status'));
    });
    const put = await kube.putPolicyStatus(known, undefined);
    expect(put).toEqual({ ...known, uid: 'uid-1', resourceVersion: '8' });
    expect(client.requests).toMatchObject([
      {
        method: 'POST',
        path: '/apis/berth.sh/v1/policystatuses',
      },
      {
        method: 'PUT',
        path: '/apis/berth.sh/v1/policystatuses/nodepool.general/status',
        body: { metadata: { resourceVersion: '8' } },
      },
    ]);
    // Nothing of another object that the content may have come with.
    expect(client.requests[0]?.body).toHaveProperty('metadata', { name: 'nodepool.general' });
  });

  test('that is right already costs no request, in whatever order its fields come', async () => {
    const { kube, client } = writing();
    const document = Object.fromEntries(Object.entries(nodePoolDocument('general')).reverse());
    const content = {
      ...known,
      lastAccepted: acceptedPolicy(document),
      resources: amounts({ nodes: '2', cpu: '4' }),
    };
    await expect(kube.putPolicyStatus(content, known)).resolves.toBe(known);
    expect(client.requests).toEqual([]);
  });

  test('has its specification patched at the version that was seen, and nothing else of it', async () => {
    const lastAccepted = acceptedPolicy(nodePoolDocument('general', { weight: 9 }));
    const changed = { ...known, lastAccepted };
    const { kube, client } = writing(answering(encodePolicyStatus({ ...changed, resourceVersion: '2' })));
    await kube.putPolicyStatus(changed, known);
    expect(client.requests).toMatchObject([
      {
        method: 'PATCH',
        contentType: 'application/json-patch+json',
        body: [
          { op: 'replace', path: '/metadata/resourceVersion', value: '1' },
          { op: 'replace', path: '/spec', value: encodePolicyStatus(changed)['spec'] },
        ],
      },
    ]);
  });

  test('has its status told alone where only that differs', async () => {
    const { kube, client } = writing();
    await kube.putPolicyStatus({ ...known, resources: new Map() }, known);
    expect(client.requests).toMatchObject([{ method: 'PUT', body: { status: { conditions: [] } } }]);
  });
});

test('a decision is created without an outcome, which comes later or is taken back', async () => {
  const { kube, client } = writing(stored, answering(undefined), answering(undefined));
  await kube.createDecision('d', decisionSpec());
  await kube.putDecisionStatus(decision(), { outcome: 'Done' }).catch(() => undefined);
  await kube.putDecisionStatus(decision(), { outcome: '' }).catch(() => undefined);
  const path = '/apis/berth.sh/v1/decisions/decision-1/status';
  expect(client.requests).toMatchObject([
    { method: 'POST', path: '/apis/berth.sh/v1/decisions', body: { metadata: { name: 'd' } } },
    { path, body: { metadata: { resourceVersion: '1' }, status: { outcome: 'Done' } } },
    { path, body: { status: { outcome: null } } },
  ]);
  expect(client.requests[0]?.body).not.toHaveProperty('status');
});

describe('an event', () => {
  test('is created where its object is, and counted afterwards', async () => {
    const { kube, client } = writing();
    await kube.createEvent(EVENT);
    await kube.repeatEvent(EVENT);
    expect(client.requests).toMatchObject([
      {
        method: 'POST',
        path: '/apis/events.k8s.io/v1/namespaces/web/events',
        body: {
          metadata: { name: 'p.1', namespace: 'web' },
          eventTime: '2026-01-01T00:00:00.000000Z',
          reportingController: 'berth.sh/berth',
          reportingInstance: 'berth-0',
          regarding: EVENT.regarding,
        },
      },
      {
        method: 'PATCH',
        path: '/apis/events.k8s.io/v1/namespaces/web/events/p.1',
        body: { series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' } },
      },
    ]);
  });

  test.each([
    ['a note of 1,024 bytes as it is', 'x'.repeat(1_024), 'x'.repeat(1_024)],
    ['a longer one cut', 'x'.repeat(1_025), `${'x'.repeat(1_021)}…`],
    ['none cut within a character', '€'.repeat(400), `${'€'.repeat(340)}…`],
  ])('has %s', async (_, note, written) => {
    const { kube, client } = writing();
    await kube.createEvent({ ...EVENT, note });
    expect(client.requests[0]?.body).toMatchObject({ note: written });
    expect(Buffer.byteLength(written)).toBeLessThanOrEqual(1_024);
  });
});

test('a lease that is not there is nothing, and other failures are failures', async () => {
  const forbidden = portError('Forbidden');
  const { kube } = writing(failing(portError('NotFound')), failing(forbidden));
  await expect(kube.readLease('berth')).resolves.toBeUndefined();
  await expect(kube.readLease('berth')).rejects.toBe(forbidden);
});

test('a lease waits for no other request, and a late nomination for all', async () => {
  const { kube, client } = writing(
    failing(portError('NotFound')),
    stored,
    stored,
    answering(POD),
    answering(POD),
  );
  const lease = {
    name: 'berth',
    holder: 'a',
    acquiredAt: 0,
    renewedAt: 0,
    durationSeconds: 15,
    transitions: 0,
  };
  await kube.readLease('berth');
  await kube.createLease(lease);
  await kube.replaceLease({ ...lease, resourceVersion: '4' }, lease);
  await kube.nominatePod(pod, 'n1');
  await kube.nominatePod(pod, 'n1', undefined, true);
  expect(client.requests.map(({ urgency }) => urgency)).toEqual([
    'at-once',
    'at-once',
    'at-once',
    undefined,
    'late',
  ]);
});

test('a lease that is given back says nothing of a holder', async () => {
  const { kube, client } = writing();
  const free = { name: 'berth', holder: '', acquiredAt: 0, renewedAt: 0, durationSeconds: 0, transitions: 3 };
  await kube.replaceLease({ ...free, resourceVersion: '4' }, free);
  expect(client.requests).toMatchObject([
    {
      method: 'PUT',
      path: '/apis/coordination.k8s.io/v1/namespaces/berth-system/leases/berth',
      body: { metadata: { resourceVersion: '4' } },
    },
  ]);
  expect(client.requests[0]?.body).toHaveProperty('spec', { leaseTransitions: 3 });
});

describe('certificates', () => {
  test('are replaced at the version that was seen, and files that are gone are taken away', async () => {
    const { kube, client } = writing(answering({ metadata: { resourceVersion: '9' }, data: { a: 'MQ==' } }));
    const known = { files: new Map([['b', 'x']]), resourceVersion: '8' };
    const written = await kube.writeCertificates(new Map([['a', '1']]), known);
    expect(written).toEqual({ files: new Map([['a', '1']]), resourceVersion: '9' });
    expect(client.requests).toMatchObject([
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/berth-system/secrets/berth-certificates',
        body: { metadata: { resourceVersion: '8' }, data: { a: 'MQ==', b: null } },
      },
    ]);
  });

  test('in an answer that is no Secret are an error', async () => {
    const { kube } = writing(answering([]));
    await expect(kube.readCertificates()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  test('have their authority written into each webhook that has another one', async () => {
    const caBundle = Buffer.from('new').toString('base64');
    const webhooks = [
      { name: 'right', clientConfig: { caBundle } },
      { name: 'wrong', clientConfig: { caBundle: 'b2xk' } },
      { name: 'none', clientConfig: {} },
    ];
    const { kube, client } = writing(answering({ webhooks }), answering({}), failing(portError('NotFound')));
    await kube.publishAuthority('new');
    expect(client.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/berth-mutate-pods',
      'PATCH /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/berth-mutate-pods',
      'GET /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/berth-validate-policies',
    ]);
    expect(client.requests[1]?.body).toEqual([
      { op: 'test', path: '/webhooks/1/name', value: 'wrong' },
      { op: 'add', path: '/webhooks/1/clientConfig/caBundle', value: caBundle },
      { op: 'test', path: '/webhooks/2/name', value: 'none' },
      { op: 'add', path: '/webhooks/2/clientConfig/caBundle', value: caBundle },
    ]);
  });

  test('are known by the first webhook that has an authority, and by none where none has', async () => {
    const caBundle = Buffer.from('old').toString('base64');
    const trusting = answering({ webhooks: [{ clientConfig: {} }, { clientConfig: { caBundle } }] });
    await expect(writing(answering({}), trusting).kube.publishedAuthority()).resolves.toBe('old');
    const gone = failing(portError('NotFound'));
    await expect(writing(gone, answering({ webhooks: [{}] })).kube.publishedAuthority()).resolves.toBe(
      undefined,
    );
  });
});

test('every request can be cancelled', async () => {
  const { signal } = new AbortController();
  const { kube, client } = writing(...Array.from({ length: 30 }, () => answering(POD)));
  const claim = nodeClaim();
  const known = policyStatus();
  const lease = {
    name: 'berth',
    holder: 'x',
    acquiredAt: 1,
    renewedAt: 1,
    durationSeconds: 1,
    transitions: 0,
  };
  const certificates = { files: new Map(), resourceVersion: '1' };
  const target = { kind: 'Node', name: 'n1' } as const;
  const calls: readonly (() => Promise<unknown>)[] = [
    () => kube.createNodeClaim(claim, signal),
    () => kube.putNodeClaimStatus(claim, claim.status, signal),
    () => kube.deleteNodeClaim(claim, signal),
    () => kube.annotateNodeClaim(claim, { a: '1' }, signal),
    () => kube.labelNodeClaim(claim, { a: '1' }, signal),
    () => kube.holdNodeClaim(claim, signal),
    () => kube.releaseNodeClaim(claim, signal),
    () => kube.putReservation(target, [], undefined, signal),
    () => kube.putReservation(target, [], reservation(), signal),
    () => kube.deleteReservation(reservation(), signal),
    () => kube.patchNode(node, {}, signal),
    () => kube.deleteNode(node, signal),
    () => kube.nominatePod(pod, 'n', signal),
    () => kube.annotatePod(pod, {}, signal),
    () => kube.evictPod(pod, signal),
    () => kube.deletePod(pod, 0, signal),
    () => kube.putPolicyStatus(known, undefined, signal),
    () => kube.putPolicyStatus({ ...known, lastAccepted: undefined }, known, signal),
    () => kube.putPolicyStatus({ ...known, resources: amounts({ cpu: '1' }) }, known, signal),
    () => kube.deletePolicyStatus(known, signal),
    () => kube.createDecision('d', decisionSpec(), signal),
    () => kube.putDecisionStatus(decision(), { outcome: 'x' }, signal),
    () => kube.deleteDecision(decision(), signal),
    () => kube.createEvent(EVENT, signal),
    () => kube.repeatEvent(EVENT, signal),
    () => kube.readLease('berth', signal),
    () => kube.createLease(lease, signal),
    () => kube.replaceLease({ ...lease, resourceVersion: '1' }, lease, signal),
    () => kube.readCertificates(signal),
    () => kube.writeCertificates(new Map(), undefined, signal),
    () => kube.writeCertificates(new Map(), certificates, signal),
    () => kube.publishAuthority('x', signal),
    () => kube.publishedAuthority(signal),
  ];
  for (const call of calls) {
    const before = client.requests.length;
    await call().catch(() => undefined);
    expect(client.requests.length).toBeGreaterThan(before);
  }
  expect(client.requests.every((request) => request.signal === signal)).toBe(true);
});

describe('the scale of a Deployment', () => {
  const metadata = { namespace: 'web', name: 'shop', uid: 'u-d', resourceVersion: '7' };
  const answer = { kind: 'Scale', metadata, spec: { replicas: 2 } };
  const scale = { ...metadata, replicas: 2 };
  const path = '/apis/apps/v1/namespaces/web/deployments/shop/scale';

  test('is read, and changed only as it was read', async () => {
    const { kube, client } = writing(answering(answer), answering({ ...answer, spec: { replicas: 3 } }));
    expect(await kube.readScale('web/shop')).toEqual(scale);
    expect(await kube.setReplicas(scale, 3)).toEqual({ ...scale, replicas: 3 });
    expect(client.requests).toMatchObject([
      { method: 'GET', path },
      {
        method: 'PATCH',
        path,
        body: [
          { op: 'test', path: '/metadata/uid', value: 'u-d' },
          { op: 'test', path: '/metadata/resourceVersion', value: '7' },
          { op: 'test', path: '/spec/replicas', value: 2 },
          { op: 'add', path: '/spec/replicas', value: 3 },
        ],
      },
    ]);
  });
});
