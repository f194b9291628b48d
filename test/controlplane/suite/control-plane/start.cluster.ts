/** The control plane starts fast, is the version that it says, tells what stopped it, and knows who may do what. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ApiClient } from '../../fixture/api/api-client.js';
import { ApiError } from '../../fixture/api/api-error.js';
import { startControlPlane, type ControlPlane } from '../../fixture/control-plane.js';
import { eventually } from '../../fixture/eventually.js';
import { follow } from '../../fixture/api/follow.js';
import { hasKubectl } from '../../fixture/kubectl.js';
import {
  CONFIG_MAPS,
  NODES,
  PODS,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from '../../fixture/api/kube-object.js';
import { chosenMinor } from '../../fixture/process/server-binary.js';
import { expectRefused } from '../expect-refused.js';
import { podManifest } from '../manifests.js';

describe('startControlPlane', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane({ users: { dev: ['developers'] }, audit: true });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  test('is ready within seconds', () => {
    const times = Object.entries(cluster.startMillis).map(([name, millis]) => `${name} ${seconds(millis)}`);
    process.stdout.write(`Kubernetes ${cluster.version}: ${times.join(', ')}\n`);
    // Alone on two cores it takes 3 to 4 s; the bound leaves room for what else the host does.
    expect(cluster.startMillis.total).toBeLessThan(30_000);
  });

  test('reports the minor that was asked for', () => {
    expect(cluster.version).toMatch(new RegExp(`^v${chosenMinor()}\\.\\d+$`));
  });

  test('makes the default ServiceAccount, since the controllers run', async () => {
    const account = await eventually('the default ServiceAccount', () =>
      cluster.api.find(SERVICE_ACCOUNTS, { name: 'default' }),
    );
    expect(account.metadata.namespace).toBe('default');
  });

  test('forbids a plain user what no role allows', async () => {
    await expectRefused(cluster.client('dev').list(PODS), { code: 403, reason: 'Forbidden' });
  });

  test('lets a ServiceAccount do what its role says, and no more', async () => {
    const namespace = 'default';
    await cluster.api.create(SERVICE_ACCOUNTS, { metadata: { name: 'reader' } });
    await cluster.api.create(ROLES, {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    });
    await cluster.api.create(ROLE_BINDINGS, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
    });
    const reader = await cluster.serviceAccountClient({ namespace, name: 'reader' });
    await eventually('the role to be known', () => reader.list(CONFIG_MAPS, { namespace }));

    await expectRefused(reader.list(PODS, { namespace }), { code: 403, reason: 'Forbidden' });
  });

  test('writes down who asked for what', async () => {
    await cluster
      .client('dev')
      .list(NODES)
      .catch(() => undefined);
    const asked = await eventually('the request in the audit log', () =>
      cluster
        .auditEvents()
        .find(({ user, objectRef }) => user.username === 'dev' && objectRef?.resource === 'nodes'),
    );
    expect(asked).toMatchObject({ verb: 'list', responseStatus: { code: 403 } });
  });

  test('starts kube-scheduler again with another configuration', async () => {
    const before = cluster.scheduler.component.pid;
    await cluster.restartScheduler(schedulerOf('other'));
    expect(cluster.scheduler.component.pid).not.toBe(before);
    expect(cluster.pids).toHaveLength(4);
    await expect(cluster.scheduler.metrics()).resolves.toContain('scheduler_pending_pods');
  });

  test('runs a second scheduler beside the first, for the pods that name it', async () => {
    await cluster.api.create(NODES, {
      metadata: { name: 'bare' },
      status: { allocatable: { cpu: '4', pods: '10' } },
    });
    await cluster.startScheduler('second', schedulerOf('second'));
    const pod = podManifest({
      name: 'particular',
      spec: { schedulerName: 'second', tolerations: [{ operator: 'Exists' }] },
    });
    await eventually('the ServiceAccount that pods need', () => cluster.api.create(PODS, pod));
    const bound = await eventually('the pod to be bound', async () => {
      const { spec } = await cluster.api.get(PODS, { name: 'particular' });
      return spec.nodeName;
    });
    expect(bound).toBe('bare');
    expect(cluster.pids).toHaveLength(5);
  });

  test('refuses to replace an object that has changed in the meantime', async () => {
    const first = await cluster.api.create(CONFIG_MAPS, {
      metadata: { name: 'contested' },
      data: { by: 'me' },
    });
    const change = { type: 'json', body: [{ op: 'replace', path: '/data/by', value: 'another' }] } as const;
    await cluster.api.patch(CONFIG_MAPS, { name: 'contested' }, change);
    await expectRefused(cluster.api.replace(CONFIG_MAPS, first), { code: 409, reason: 'Conflict' });
  });

  test('tells a follower what there is, what comes, changes and goes', async () => {
    const end = new AbortController();
    const seen: string[] = [];
    const following = follow(cluster.api, CONFIG_MAPS, {
      selection: { namespace: 'default', labelSelector: 'followed' },
      signal: end.signal,
      changed: ({ metadata }) => seen.push(metadata.name),
      deleted: ({ metadata }) => seen.push(`-${metadata.name}`),
    });
    const labels = { followed: 'yes' };
    await cluster.api.create(CONFIG_MAPS, { metadata: { name: 'a', labels } });
    await eventually('a to be seen', () => seen.includes('a'));
    await cluster.api.create(CONFIG_MAPS, { metadata: { name: 'b', labels } });
    const touch = { type: 'merge', body: { data: { touched: 'yes' } } } as const;
    await cluster.api.patch(CONFIG_MAPS, { name: 'a' }, touch);
    await cluster.api.delete(CONFIG_MAPS, { name: 'b' });
    await eventually('the deletion to be seen', () => seen.includes('-b'));
    end.abort();
    await following;
    expect(seen).toEqual(['a', 'b', 'a', '-b']);
  });

  test('says what kept a component from starting, and leaves nothing behind', async () => {
    const bad =
      'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders: 7\n';
    await expect(startControlPlane({ schedulerConfiguration: bad, controllers: [] })).rejects.toThrow(
      /^kube-scheduler ended \(exit code 1\) before it was ready[^]*extenders/,
    );
  });

  test('runs without controllers and with feature gates, and leaves no process and no file when it is stopped', async () => {
    const gate = 'NominatedNodeNameForExpectation';
    const other = await startControlPlane({ controllers: [], featureGates: { [gate]: true } });
    const { pids, folder } = other;
    expect(await other.scheduler.metrics()).toMatch(
      new RegExp(`kubernetes_feature_enabled\\{name="${gate}",stage="\\w+"\\} 1`),
    );
    expect(pids).toHaveLength(3);
    await other.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  // Everything else here works without kubectl, which an instance need not have.
  if (hasKubectl()) {
    test('lets kubectl apply what a user may, and refuses what a user may not', async () => {
      const input = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: by-kubectl}\ndata: {key: value}\n';
      await expect(cluster.kubectl(['apply', '-f', '-'], { input })).resolves.toContain('created');
      await expect(cluster.kubectl(['get', 'pods'], { user: 'dev' })).rejects.toThrow('Forbidden');
      const kubeconfig = await cluster.serviceAccountKubeconfig({ name: 'default' });
      const question = [
        'auth',
        'whoami',
        '-o',
        'jsonpath={.status.userInfo.username}',
        '--kubeconfig',
        kubeconfig,
      ];
      await expect(cluster.kubectl(question)).resolves.toBe('system:serviceaccount:default:default');
    });
  }

  test('has clients that ask again when the server says when, as it does after a restart', async () => {
    const answers = [{ message: 'storage is (re)initializing', details: { retryAfterSeconds: 1 } }, {}];
    const { cert, key, ca } = cluster.servingCertificate;
    const server = createServer({ cert, key }, (_, response) => {
      const answer = answers.shift() ?? { items: [] };
      response.writeHead('items' in answer ? 200 : 429).end(JSON.stringify(answer));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const client = new ApiClient({ server: url, ca, token: 'any' });
    try {
      // The second answer does not say when: it stands.
      await expectRefused(client.list(PODS), { code: 429 });
      await expect(client.list(PODS)).resolves.toEqual({ items: [] });
    } finally {
      client.close();
      server.closeAllConnections();
      server.close();
    }
  });

  test('names the object and the reason in the error of a refused request', async () => {
    const error: unknown = await cluster.api.get(PODS, { name: 'absent' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(String(error)).toContain('pods "absent" not found');
  });
});

/** A KubeSchedulerConfiguration for the pods that name this scheduler. */
function schedulerOf(schedulerName: string): string {
  return `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: ${schedulerName}}]\n`;
}

function seconds(millis: number): string {
  return `${(millis / 1000).toFixed(2)} s`;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
