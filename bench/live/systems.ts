/** The two systems that are compared, each started beside a cluster with the same NodePool. */
import { get } from 'node:http';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { BerthProcess } from '../../test/controlplane/berth/berth-process.js';
import { applyManifests } from '../../test/controlplane/berth/overlay.js';
import { PlanLedger } from '../../test/controlplane/berth/plan-ledger.js';
import { POLICY_STATUSES } from '../../test/controlplane/berth/kinds.js';
import { schedulerConfiguration, storedCertificates } from '../../test/controlplane/berth/scheduler.js';
import type { ControlPlane } from '../../test/controlplane/fixture/control-plane.js';
import { follow } from '../../test/controlplane/fixture/api/follow.js';
import {
  clusterScoped,
  CONFIG_MAPS,
  EVENTS,
  type Condition,
  type KubeObject,
} from '../../test/controlplane/fixture/api/kube-object.js';
import { eventually } from '../../test/controlplane/fixture/eventually.js';
import { freePorts } from '../../test/controlplane/fixture/process/free-port.js';
import { KARPENTER_USER, type Builds } from './live-cluster.js';

/** A system that launches nodes, as it runs. */
export interface System {
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  /** As the API server's audit log names it. */
  readonly username: string;
  /** Names, of a node or of its claim, that pods were first meant for, by the uid of the pod. */
  readonly decisions: () => Promise<ReadonlyMap<string, readonly string[]>>;
  readonly stop: () => Promise<void>;
}

const NODE_CLASS = {
  apiVersion: 'karpenter.kwok.sh/v1alpha1',
  kind: 'KWOKNodeClass',
  metadata: { name: 'default' },
};
const NODE_POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    template: {
      spec: {
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] },
          { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        ],
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        expireAfter: '720h',
      },
    },
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '0s',
      budgets: [{ nodes: '10%' }],
    },
  },
};
const READY_MILLIS = 60_000;

interface NodePool extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}
const NODE_POOLS = clusterScoped<NodePool>('karpenter.sh/v1', 'NodePool');

/** Karpenter with its KWOK provider; settings are its defaults. */
export async function startKarpenter(
  cluster: ControlPlane,
  { karpenter, karpenterModule }: Builds,
  instanceTypes: string,
): Promise<System> {
  for (const folder of ['kwok/charts/crds', 'kwok/apis/crds'])
    await cluster.kubectl(['apply', '--server-side', '-f', join(karpenterModule, folder)]);
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s']);
  const [metrics = 0, health = 0] = await freePorts(2);
  const environment = {
    KUBECONFIG: cluster.kubeconfig(KARPENTER_USER),
    DISABLE_LEADER_ELECTION: 'true',
    KARPENTER_SERVICE: 'karpenter',
    SYSTEM_NAMESPACE: 'kube-system',
    METRICS_PORT: String(metrics),
    HEALTH_PROBE_PORT: String(health),
    INSTANCE_TYPES_FILE_PATH: instanceTypes,
  };
  const nominations = new Nominations(cluster);
  const program = cluster.startProgram({
    name: 'karpenter',
    command: 'env',
    arguments: [...Object.entries(environment).map(([key, value]) => `${key}=${value}`), karpenter],
  });
  await program.ready(() => answers(health, '/readyz'), READY_MILLIS);
  await cluster.kubectl(['apply', '-f', '-'], { input: documents(NODE_CLASS, NODE_POOL) });
  const ready = async (): Promise<boolean> => {
    const { status } = await cluster.api.get(NODE_POOLS, { name: 'default' });
    return isReady(status?.conditions);
  };
  await eventually('the NodePool is ready', ready, { timeoutMillis: READY_MILLIS });
  return {
    name: 'karpenter',
    version: karpenter.slice(karpenter.lastIndexOf('-') + 1),
    pid: program.pid,
    username: KARPENTER_USER,
    decisions: () => Promise.resolve(nominations.first),
    stop: async () => {
      await program.kill();
      await nominations.stop();
    },
  };
}

const NAMESPACE = 'berth-system';
const ACCOUNT = { namespace: NAMESPACE, name: 'berth-controller' };

/** Berth with `--cloud kwok`, asked by kube-scheduler; settings are its defaults. */
export async function startBerth(
  cluster: ControlPlane,
  instanceTypes: string,
  version: string,
): Promise<System> {
  const [webhookPort = 0, extenderPort = 0] = await freePorts(2);
  await applyManifests(cluster, 'self-managed', { webhooks: `https://127.0.0.1:${String(webhookPort)}` });
  await allowNodeCreation(cluster);
  const ledger = new PlanLedger(cluster);
  const berth = await BerthProcess.start({
    name: 'berth',
    command: 'controller',
    kubeconfig: await cluster.serviceAccountKubeconfig(ACCOUNT),
    cluster,
    webhookPort,
    extenderPort,
    flags: ['--cloud', 'kwok', '--kwok-instance-types', instanceTypes, '--local-certificates', 'yes'],
  });
  await berth.ready();
  const certificates = await storedCertificates(cluster, NAMESPACE);
  await cluster.restartScheduler(
    schedulerConfiguration(`https://127.0.0.1:${String(extenderPort)}`, certificates),
  );
  await cluster.api.create(CONFIG_MAPS, {
    metadata: { namespace: NAMESPACE, name: 'policies', labels: { 'berth.sh/policy': 'true' } },
    data: { 'policies.yaml': documents(NODE_CLASS, NODE_POOL) },
  });
  const ready = async (): Promise<boolean> => {
    const { status } = await cluster.api.get(POLICY_STATUSES, { name: 'nodepool.default' });
    return isReady(status?.conditions);
  };
  await eventually('the NodePool is ready', ready, { timeoutMillis: READY_MILLIS });
  return {
    name: 'berth',
    version,
    pid: berth.component.pid,
    username: `system:serviceaccount:${NAMESPACE}:${ACCOUNT.name}`,
    decisions: async () => {
      const plans = await ledger.plans();
      return new Map([...plans].map(([uid, { targets }]) => [uid, [ledger.nodeOf(targets[0] ?? '') ?? '']]));
    },
    stop: async () => {
      await berth.kill();
      await ledger.stop();
    },
  };
}

/** As docs/kwok.md has it. */
async function allowNodeCreation(cluster: ControlPlane): Promise<void> {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'berth-kwok' },
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['create'] }],
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'berth-kwok' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'berth-kwok' },
    subjects: [{ kind: 'ServiceAccount', ...ACCOUNT }],
  };
  await cluster.kubectl(['apply', '-f', '-'], { input: documents(role, binding) });
}

/** Where Karpenter first meant pods to go: the claims and nodes that its events name. */
class Nominations {
  readonly first = new Map<string, readonly string[]>();
  readonly #end = new AbortController();
  readonly #following: Promise<unknown>;

  constructor({ api }: ControlPlane) {
    this.#following = follow(api, EVENTS, {
      signal: this.#end.signal,
      deleted: () => undefined,
      changed: ({ reason, message = '', involvedObject }) => {
        const { kind, uid = '' } = involvedObject as { readonly kind: string; readonly uid?: string };
        if (reason !== 'Nominated' || kind !== 'Pod' || this.first.has(uid)) return;
        const names = [...message.matchAll(/(?:nodeclaim|node)\/([^,\s]+)/g)].map(([, name = '']) => name);
        this.first.set(uid, names);
      },
    });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }
}

function isReady(conditions: readonly Condition[] = []): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function documents(...objects: readonly unknown[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}

function answers(port: number, path: string): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    }).on('error', () => {
      resolve(false);
    });
  });
}
