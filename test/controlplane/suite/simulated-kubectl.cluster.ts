/** The real kubectl against the simulated API server: it must not notice. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { SimulatedApi } from '../../../world/kubernetes/simulated-api.js';
import type { KubeObject } from '../../../world/kubernetes/objects/kube-object.js';
import { serveWire, type ServedWire } from '../../../world/wire/serve-wire.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { hasKubectl, runKubectl } from '../fixture/kubectl.js';

const MANIFESTS = join(import.meta.dirname, '../../../manifests');
const NODE = {
  metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'eu-west-3a' } },
  spec: { providerID: 'aws:///eu-west-3a/i-1' },
  status: {
    capacity: { cpu: '4', memory: '16Gi', pods: '58' },
    nodeInfo: { kubeletVersion: 'v1.34.0', architecture: 'arm64' },
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
  },
};
const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '100m' } } }] },
    },
  },
};

let folder: string;
let api: SimulatedApi;
let served: ServedWire;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-kubectl-'));
  api = new SimulatedApi({ clock: systemClock, random: seededRandom() });
  served = await serveWire(api.handle);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: served.url } }],
    users: [{ name: 'user', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'user' } }],
    'current-context': 'test',
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config));
});

afterEach(async () => {
  await served.close();
  rmSync(folder, { recursive: true });
});

function kubectl(command: string, input?: unknown): Promise<string> {
  return runKubectl(command.split(' '), {
    kubeconfig: join(folder, 'kubeconfig'),
    cacheFolder: join(folder, 'cache'),
    ...(input !== undefined && { input: typeof input === 'string' ? input : JSON.stringify(input) }),
  });
}

/** The words of each line of a table. */
function rows(table: string): readonly (readonly string[])[] {
  return table
    .trim()
    .split('\n')
    .map((line) => line.split(/\s+/));
}

/** As a kubelet does at once. */
function endPod({ metadata }: KubeObject): void {
  if (metadata.deletionTimestamp !== undefined && api.get('pods', metadata) !== undefined)
    void api.delete('pods', metadata, { gracePeriodSeconds: 0 });
}

test('is reached over loopback', async () => {
  const answer = await fetch(`${served.url}/healthz`);
  expect(await answer.text()).toBe('ok');
});

if (hasKubectl()) {
  test('applies the manifests of Berth, twice', async () => {
    const first = await kubectl(`apply -k ${MANIFESTS}/overlays/self-managed`);
    expect(first).toContain('customresourcedefinition.apiextensions.k8s.io/nodeclaims.berth.sh created');
    expect(first).toContain(
      'mutatingwebhookconfiguration.admissionregistration.k8s.io/berth-mutate-pods created',
    );
    const second = await kubectl(`apply -k ${MANIFESTS}/overlays/self-managed`);
    expect(second).toContain('customresourcedefinition.apiextensions.k8s.io/nodeclaims.berth.sh unchanged');
    expect(second).not.toContain('created');
    await kubectl(`apply -f ${MANIFESTS}/policies/general.yaml`);
    expect(await kubectl('explain nodeclaims.spec')).toContain('KIND:       NodeClaim');
  });

  test('gets custom resources by their short names and columns', async () => {
    await kubectl(`apply -k ${MANIFESTS}/crds`);
    const target = { kind: 'Node', name: 'n1' };
    const entries = [{ podUID: 'u', count: 1, requests: { cpu: '1' } }];
    const held = {
      apiVersion: 'berth.sh/v1',
      kind: 'Reservation',
      metadata: { name: 'node.n1' },
      spec: { target, entries, pods: 1 },
    };
    await kubectl('apply -f -', held);
    const [header, row] = rows(await kubectl('get brsv'));
    expect(header).toEqual(['NAME', 'TARGET', 'PODS', 'AGE']);
    expect(row?.slice(0, 3)).toEqual(['node.n1', 'n1', '1']);
    await expect(
      kubectl('apply -f -', { ...held, spec: { target, entries: [], colour: 'red' } }),
    ).rejects.toThrow('unknown field "spec.colour"');
    await expect(
      kubectl('create -f -', { ...held, spec: { target: { kind: 'Pod', name: 'n1' }, entries } }),
    ).rejects.toThrow('spec.target.kind: Unsupported value: "Pod": supported values: "Node", "NodeClaim"');
  });

  test('applies, scales, labels and describes a Deployment', async () => {
    expect(await kubectl('apply -f -', WEB)).toBe('deployment.apps/web created\n');
    expect(await kubectl('apply -f -', WEB)).toBe('deployment.apps/web unchanged\n');
    await kubectl('scale deployment web --replicas=5');
    await kubectl('annotate deployment web note=yes');
    await kubectl('label deployment web tier=front');
    await kubectl('set image deployment/web web=web:2');
    const object = api.get('deployments.apps', { namespace: 'default', name: 'web' });
    expect(object).toMatchObject({
      metadata: { labels: { tier: 'front' }, annotations: { note: 'yes' }, generation: 3 },
      spec: {
        replicas: 5,
        template: { spec: { containers: [{ image: 'web:2', resources: { requests: { cpu: '100m' } } }] } },
      },
    });
    expect(await kubectl('describe deployment web')).toContain(
      'RollingUpdateStrategy:  25% max unavailable, 25% max surge',
    );
    expect(rows(await kubectl('get deployments -o wide'))[1]?.slice(0, 4)).toEqual(['web', '0/5', '0', '0']);
  });

  test('waits for a rollout', async () => {
    await kubectl('apply -f -', WEB);
    const finished = kubectl('rollout status deployment web --timeout=60s');
    const done = {
      observedGeneration: 1,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
    };
    await api.change(
      'deployments.apps',
      { namespace: 'default', name: 'web' },
      (object) => ({ ...object, status: done }),
      {
        subresource: 'status',
      },
    );
    expect(await finished).toContain('deployment "web" successfully rolled out');
  });

  test('gets, describes, drains and deletes nodes', async () => {
    await api.create('nodes', NODE);
    await api.create('pods', {
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '1' } } }],
      },
    });
    const [, row] = rows(await kubectl('get nodes -L topology.kubernetes.io/zone'));
    expect(row).toEqual(['n1', 'Ready', '<none>', expect.any(String), 'v1.34.0', 'eu-west-3a']);
    expect(await kubectl('describe node n1')).toMatch(/default +web +1 \(25%\)/);
    expect(await kubectl('describe pod web')).toContain('Node:             n1');
    const stop = api.watch('pods', ({ object }) => {
      endPod(object);
    });
    expect(await kubectl('drain n1 --force')).toContain('node/n1 drained');
    stop();
    await api.change('nodes', { name: 'n1' }, (node) => ({
      ...node,
      metadata: { ...node.metadata, finalizers: ['a/b'] },
    }));
    const deleted = kubectl('delete node n1');
    const release = api.watch('nodes', ({ object }) => {
      if (object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length > 0)
        void api.change('nodes', { name: 'n1' }, (node) => ({
          ...node,
          metadata: { ...node.metadata, finalizers: [] },
        }));
    });
    expect(await deleted).toContain('node "n1" deleted');
    release();
  });

  test('makes objects of its own, which it sends as protobuf', async () => {
    await kubectl('create namespace team');
    await kubectl('create configmap settings -n team --from-literal=a=b');
    await kubectl('create deployment api -n team --image=api:1 --replicas=3 --port=80');
    await kubectl('create poddisruptionbudget api -n team --selector=app=api --min-available=1');
    await kubectl('create priorityclass high --value=10');
    expect(api.get('configmaps', { namespace: 'team', name: 'settings' })?.['data']).toEqual({ a: 'b' });
    expect(api.get('deployments.apps', { namespace: 'team', name: 'api' })?.['spec']).toMatchObject({
      replicas: 3,
    });
    expect(api.get('poddisruptionbudgets.policy', { namespace: 'team', name: 'api' })?.['spec']).toEqual({
      minAvailable: 1,
      selector: { matchLabels: { app: 'api' } },
    });
    expect(await kubectl('auth can-i create pods')).toBe('yes\n');
    expect(await kubectl('delete namespace team')).toContain('namespace "team" deleted');
  });

  test('applies on the server, and reports conflicts', async () => {
    await kubectl('apply --server-side --field-manager=one -f -', WEB);
    const other = { ...WEB, spec: { ...WEB.spec, replicas: 7 } };
    await expect(kubectl('apply --server-side --field-manager=two -f -', other)).rejects.toThrow(
      'Apply failed with 1 conflict: conflict with "one": .spec.replicas',
    );
    expect(await kubectl('apply --server-side --force-conflicts --field-manager=two -f -', other)).toContain(
      'serverside-applied',
    );
  });

  test('is refused in the words that it knows', async () => {
    await expect(kubectl('get pod none')).rejects.toThrow(
      'Error from server (NotFound): pods "none" not found',
    );
    await expect(
      kubectl('create -f -', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'a' }] },
      }),
    ).rejects.toThrow('The Pod "p" is invalid: spec.containers[0].image: Required value');
  });

  test('gets events and follows pods', async () => {
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'web' };
    await api.create('events', {
      metadata: { name: 'web.1', namespace: 'default' },
      ...{
        involvedObject,
        reason: 'FailedScheduling',
        message: 'no room',
        type: 'Warning',
        reportingComponent: 'scheduler',
      },
    });
    expect(rows(await kubectl('get events'))[1]?.slice(1)).toEqual([
      'Warning',
      'FailedScheduling',
      'pod/web',
      'no',
      'room',
    ]);
    const waiting = kubectl('wait --for=condition=Ready pod/web --timeout=60s');
    await api
      .create('pods', {
        metadata: { name: 'web', namespace: 'default' },
        spec: { containers: [{ name: 'a', image: 'a' }] },
      })
      .then(() =>
        api.change(
          'pods',
          { namespace: 'default', name: 'web' },
          (pod) => ({
            ...pod,
            status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
          }),
          { subresource: 'status' },
        ),
      );
    expect(await waiting).toContain('pod/web condition met');
  });
}
