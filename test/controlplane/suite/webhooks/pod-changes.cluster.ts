/** What Berth's account may change of pods, and what the API server refuses it although it may patch them. */
import { applyFolder } from '../../berth/overlay.js';
import type { ApiClient, Patch } from '../../fixture/api/api-client.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import { PODS, type Pod } from '../../fixture/api/kube-object.js';
import { expectRefused } from '../expect-refused.js';
import { podManifest } from '../manifests.js';

const BERTH = 'system:serviceaccount:berth-system:berth-controller';
const NAMESPACE = 'default';

const OWN_TOLERATION = { key: 'berth.sh/held', operator: 'Exists', effect: 'NoSchedule' };
const FOREIGN_TOLERATION = { key: 'gpu', operator: 'Exists', effect: 'NoSchedule' };

function merge(body: unknown): Patch {
  return { type: 'merge', body };
}

function json(...body: readonly unknown[]): Patch {
  return { type: 'json', body };
}

/** Both are gates of the pod; the first is Berth's. */
const GATES = [{ name: 'berth.sh/planned' }, { name: 'example.com/approved' }];

const ALLOWED: readonly (readonly [string, Patch])[] = [
  ['add an annotation of its own', merge({ metadata: { annotations: { 'berth.sh/woken': '1' } } })],
  ['change an annotation of its own', merge({ metadata: { annotations: { 'berth.sh/known': 'new' } } })],
  ['remove an annotation of its own', merge({ metadata: { annotations: { 'berth.sh/known': null } } })],
  [
    'set the cost of deletion',
    merge({ metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-10' } } }),
  ],
  ['add a toleration of its own', json({ op: 'add', path: '/spec/tolerations/-', value: OWN_TOLERATION })],
  ['remove a scheduling gate of its own', json({ op: 'remove', path: '/spec/schedulingGates/0' })],
  [
    'put a node selector for one node in its place',
    json(
      { op: 'remove', path: '/spec/schedulingGates/0' },
      { op: 'add', path: '/spec/nodeSelector', value: { 'kubernetes.io/hostname': 'node-1' } },
    ),
  ],
];

const REFUSED: readonly (readonly [string, Patch, string])[] = [
  [
    'the image of a container',
    json({ op: 'replace', path: '/spec/containers/0/image', value: 'evil' }),
    'nothing of a pod',
  ],
  [
    'the image of an init container',
    json({ op: 'replace', path: '/spec/initContainers/0/image', value: 'evil' }),
    'nothing of a pod',
  ],
  ['how long a pod may run', merge({ spec: { activeDeadlineSeconds: 5 } }), 'nothing of a pod'],
  [
    'a node selector of a gated pod',
    merge({ spec: { nodeSelector: { a: 'b' } } }),
    'adds kubernetes.io/hostname',
  ],
  [
    'a node selector whose gate stays',
    merge({ spec: { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } } }),
    'adds kubernetes.io/hostname',
  ],
  [
    'another node selector in the place of its gate',
    json(
      { op: 'remove', path: '/spec/schedulingGates/0' },
      { op: 'add', path: '/spec/nodeSelector', value: { zone: 'b' } },
    ),
    'adds kubernetes.io/hostname',
  ],
  ['a label', merge({ metadata: { labels: { app: 'other' } } }), 'no labels'],
  ['the labels, by removing one', merge({ metadata: { labels: { app: null } } }), 'no labels'],
  ['a finalizer', merge({ metadata: { finalizers: ['example.com/held'] } }), 'no labels, finalizers'],
  [
    'an owner',
    merge({
      metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u' }] },
    }),
    'no labels, finalizers or owners',
  ],
  [
    'an annotation of others',
    merge({ metadata: { annotations: { known: 'new' } } }),
    'annotations that begin',
  ],
  [
    'an annotation that is new',
    merge({ metadata: { annotations: { 'a.b/c': 'd' } } }),
    'annotations that begin',
  ],
  [
    'the annotations, by removing one',
    merge({ metadata: { annotations: { known: null } } }),
    'annotations that',
  ],
  [
    'the tolerations, by one of others',
    json({ op: 'add', path: '/spec/tolerations/-', value: FOREIGN_TOLERATION }),
    'adds tolerations whose key begins',
  ],
  [
    'the tolerations, by one for every taint',
    json({ op: 'add', path: '/spec/tolerations/-', value: { operator: 'Exists' } }),
    'adds tolerations whose key begins',
  ],
  [
    'a scheduling gate of others',
    json({ op: 'remove', path: '/spec/schedulingGates/1' }),
    'takes away scheduling gates whose name',
  ],
];

describe('the fence of changes of pods', () => {
  let cluster: ControlPlane;
  let berth: ApiClient;
  let count = 0;

  beforeAll(async () => {
    cluster = await startControlPlane({
      users: { [BERTH]: ['system:serviceaccounts'], other: ['system:masters'] },
    });
    for (const file of ['base/namespace.yaml', 'rbac/controller.yaml', 'base/pod-changes.yaml'])
      await applyFolder(cluster, file);
    berth = cluster.client(BERTH);
    await eventually('service accounts', () => create());
    // The API server learns of a policy in its own time.
    await eventually('the fence to stand', async () => {
      const pod = await create();
      try {
        await berth.patch(PODS, pod.metadata, merge({ metadata: { labels: { probe: 'x' } } }));
        return false;
      } catch {
        return true;
      }
    });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  function create(): Promise<Pod> {
    const manifest = podManifest({
      name: `web-${String(count++)}`,
      namespace: NAMESPACE,
      labels: { app: 'web' },
      annotations: { known: 'old', 'berth.sh/known': 'old' },
      spec: {
        initContainers: [{ name: 'first', image: 'x' }],
        schedulingGates: GATES,
        tolerations: [{ key: 'spot', operator: 'Exists' }],
      },
    });
    return cluster.api.create(PODS, manifest);
  }

  test.each(ALLOWED)('lets Berth %s', async (_, patch) => {
    const pod = await create();
    const changed = await berth.patch(PODS, pod.metadata, patch);
    expect(changed.metadata.resourceVersion).not.toBe(pod.metadata.resourceVersion);
  });

  test.each(REFUSED)('refuses Berth to change %s', async (_, patch, message) => {
    const pod = await create();
    await expectRefused(berth.patch(PODS, pod.metadata, patch), { code: 422, reason: 'Invalid', message });
  });

  test.each(REFUSED)('does not concern others, who may change %s as before', async (_, patch) => {
    const pod = await create();
    const changed = await cluster.client('other').patch(PODS, pod.metadata, patch);
    expect(changed.metadata.resourceVersion).not.toBe(pod.metadata.resourceVersion);
  });
});
