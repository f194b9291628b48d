/** charts/berth takes Karpenter's values and its own, and says what of them has no effect. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  CHART,
  helm,
  notes,
  programPath,
  rendered,
  ROOT,
  valueFlags,
  valueSets,
  type ChartObject,
} from '../helm.js';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: object;
}
interface PodSpec {
  readonly containers: readonly Container[];
  readonly [field: string]: unknown;
}

interface Alert {
  readonly alert: string;
}

function found(objects: readonly ChartObject[], kind: string, name: string): ChartObject {
  const object = objects.find((each) => each.kind === kind && each.metadata.name === name);
  if (object === undefined) throw new Error(`no ${kind} ${name}`);
  return object;
}

function podOf(deployment: ChartObject): PodSpec {
  return (deployment['spec'] as { readonly template: { readonly spec: PodSpec } }).template.spec;
}

/** Variables of the container with values of their own. */
function environment(container: Container | undefined): Readonly<Record<string, string>> {
  const given = (container?.env ?? []).flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value]],
  );
  return Object.fromEntries(given) as Readonly<Record<string, string>>;
}

const MINIMAL = { set: 'minimal.yaml' };

describe('values', () => {
  test('are twelve sets, three of them as users of Karpenter have them', () => {
    expect(valueSets).toHaveLength(12);
    expect(valueSets.filter((name) => name.startsWith('karpenter-'))).toHaveLength(3);
  });

  test.each(valueSets)('%s passes lint, and renders each object once', async (set) => {
    await helm(['lint', '--strict', CHART, ...valueFlags({ set })]);
    const names = (await rendered({ set })).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
    expect(names).toContain('ClusterRole berth-controller');
  });

  test('of a cluster whose large steps wait give Berth every threshold, and the API server the policy of approvals', async () => {
    const objects = await rendered({ set: 'approving.yaml' });
    const [container] = podOf(found(objects, 'Deployment', 'berth')).containers;
    expect(environment(container)).toMatchObject({
      BERTH_MODE: 'approve',
      BERTH_APPROVE_ABOVE_PRICE: '5',
      BERTH_APPROVE_ABOVE_NODES: '10',
      BERTH_APPROVE_ABOVE_EVICTIONS: '50',
      BERTH_APPROVE_AFTER_MINUTES: '30',
      BERTH_PROPOSAL_EXPIRY_MINUTES: '120',
      BERTH_REJECT_FOR_MINUTES: '60',
      BERTH_MAX_PROPOSALS: '20',
      BERTH_NOTIFY_ON: 'proposed,decided',
    });
    expect(found(objects, 'ValidatingAdmissionPolicy', 'berth-approvals')).toBeDefined();
    expect(found(objects, 'ClusterRole', 'berth-approver')).toBeDefined();
  });

  test('of Karpenter, copied whole, run Berth, not Karpenter', async () => {
    const objects = await rendered({ set: 'karpenter-copied.yaml' });
    const [container] = podOf(found(objects, 'Deployment', 'berth')).containers;
    expect(container).toMatchObject({ name: 'controller', image: 'berth:0.1.0' });
    expect(environment(container)).toEqual({
      BERTH_CLOUD: 'aws',
      BERTH_SPOT_TO_SPOT: 'no',
      BERTH_KUBELET_EXPRESSIONS: 'yes',
      SCHEDULER_CONFIG: JSON.stringify({
        podTopologySpread: {
          defaultConstraints: [
            { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
          ],
        },
      }),
      CLUSTER_NAME: 'shop',
      INTERRUPTION_QUEUE: 'Karpenter-shop',
      BATCH_IDLE_SECONDS: '2',
      BATCH_MAX_SECONDS: '30',
      LOG_LEVEL: 'info',
      RESERVED_ENIS: '1',
      VM_MEMORY_OVERHEAD_PERCENT: '0.05',
      AWS_REGION: 'eu-west-3',
    });
    const account = found(objects, 'ServiceAccount', 'berth-controller');
    expect(account.metadata.annotations).toMatchObject({
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::111122223333:role/KarpenterControllerRole-shop',
      'example.com/owner': 'platform',
    });
    expect(found(objects, 'PodDisruptionBudget', 'karpenter')).toBeDefined();
  });

  test('of Karpenter that mean nothing here are named after installation, and no others', async () => {
    const text = await notes({ set: 'karpenter-copied.yaml' });
    const named = [...text.matchAll(/^- (\S+?):? /gm)].map(([, path]) => path);
    expect(named).toEqual([
      'controller.image',
      'logErrorOutputPaths',
      'logOutputPaths',
      'settings.featureGates.nodeRepair',
      'settings.featureGates.nodeOverlay',
      'settings.featureGates.staticCapacity',
    ]);
    expect(await notes(MINIMAL)).not.toContain('no effect');
  });

  test('give flags and variables that the extender needs, too, to the one beside the second kube-scheduler', async () => {
    const objects = await rendered({
      ...MINIMAL,
      values: {
        'controller.extraArgs[0]': '--taint-new-nodes=yes',
        'controller.extraArgs[1]': '--least-priority=-10',
        'controller.extraArgs[2]': '--schedulers',
        'controller.extraArgs[3]': 'mine\\,berth-scheduler',
        'controller.extraArgs[4]': '--preempt-while-launching=yes',
        'controller.extraArgs[5]': '--max-nodes-to-score=50',
        'controller.env[0].name': 'LEASE_DURATION_SECONDS',
        'controller.env[0].value': "'60'",
        'controller.env[1].name': 'HTTPS_PROXY',
        'controller.env[1].value': 'http://proxy',
      },
    });
    const extender = podOf(found(objects, 'Deployment', 'berth-scheduler')).containers.find(
      ({ name }) => name === 'extender',
    );
    expect(extender?.args).toEqual([
      'extender',
      '--least-priority=-10',
      '--schedulers',
      'mine,berth-scheduler',
      '--preempt-while-launching=yes',
      '--max-nodes-to-score=50',
    ]);
    expect(environment(extender)).toEqual({ LOG_LEVEL: 'info', LEASE_DURATION_SECONDS: "'60'" });
  });

  test('of a cluster that is not on EKS give Berth all that EKS would report', async () => {
    const objects = await rendered({ set: 'cluster-scheduler.yaml' });
    const [container] = podOf(found(objects, 'Deployment', 'berth')).containers;
    expect(environment(container)).toMatchObject({
      CLUSTER_ENDPOINT: 'https://10.0.0.10:6443',
      BERTH_CLUSTER_SERVICE_CIDR: '10.96.0.0/12',
      BERTH_KUBERNETES_VERSION: '1.36',
    });
  });

  test('change names, ports and placement everywhere where they matter', async () => {
    const objects = await rendered({ set: 'karpenter-gitops.yaml' });
    const pod = podOf(found(objects, 'Deployment', 'karpenter'));
    const [berth, sidecar] = pod.containers;
    expect(berth?.args).toEqual(['controller', '--metrics-address=:9180', '--health-address=:9181']);
    expect(environment(berth)).toMatchObject({ BATCH_MAX_SECONDS: '90', BATCH_IDLE_SECONDS: '0.5' });
    expect(sidecar).toMatchObject({
      name: 'proxy',
      volumeMounts: [{ name: 'aws-iam-token' }, { name: 'tmp' }],
    });
    expect(pod).toMatchObject({
      serviceAccountName: 'karpenter',
      hostNetwork: true,
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { podAffinityTerm: { labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'berth' } } } },
          ],
        },
      },
      topologySpreadConstraints: [{ labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'berth' } } }],
    });
    expect(
      objects.some(({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === 'karpenter'),
    ).toBe(false);
    const policy = found(objects, 'ValidatingAdmissionPolicy', 'berth-pod-changes');
    expect(JSON.stringify(policy)).toContain('system:serviceaccount:berth-system:karpenter');
    expect(found(objects, 'Service', 'berth-metrics')).toMatchObject({
      spec: { ports: [{ port: 9180, targetPort: 'metrics' }] },
    });
    const rules = found(objects, 'ClusterRole', 'berth-controller')['rules'];
    expect(rules).toContainEqual({
      apiGroups: ['example.com'],
      resources: ['budgets'],
      verbs: ['get', 'list', 'watch'],
    });
  });

  test.each([
    ['kwok.yaml', ['patch', 'delete', 'create']],
    ['minimal.yaml', ['patch', 'delete']],
  ])('of %s let Berth do this to Nodes: %j', async (set, verbs) => {
    const role = found(await rendered({ set }), 'ClusterRole', 'berth-controller');
    expect(role['rules']).toContainEqual({ apiGroups: [''], resources: ['nodes'], verbs });
  });

  test('write large numbers and lists as the program reads them', async () => {
    const objects = await rendered({ set: 'restricted-account.yaml' });
    const [container] = podOf(found(objects, 'Deployment', 'berth')).containers;
    expect(environment(container)).toMatchObject({
      AWS_REGION: 'us-gov-west-1',
      ISOLATED_VPC: 'yes',
      BERTH_CHECK_PERMISSIONS: 'no',
      BERTH_MAX_HOURLY_COST: '1000000',
      BERTH_NODE_SUBNETS: 'subnet-0a,subnet-0b',
    });
  });

  test.each([
    ['a name of the cluster', {}, 'settings.clusterName is required'],
    [
      'a duration',
      { 'settings.clusterName': 'shop', 'settings.batchMaxDuration': '10' },
      '/settings/batchMaxDuration',
    ],
    ['a known log level', { 'settings.clusterName': 'shop', logLevel: 'loud' }, '/logLevel'],
    [
      'a kube-scheduler that is not newer than the API server',
      { 'settings.clusterName': 'shop', 'scheduler.image.tag': 'v1.35.0' },
      'scheduler.image.tag v1.35.0 is newer than the API server (1.34.4)',
    ],
    [
      'another scheduler than its own for itself',
      { 'settings.clusterName': 'shop', schedulerName: 'berth-scheduler' },
      'Berth would wait for itself',
    ],
  ])('need %s', async (_, values, message) => {
    await expect(rendered({ values })).rejects.toThrow(message);
  });
});

describe('the scheduler', () => {
  test.each([
    ['v1.34.4-eks-0123456', 'v1.34.4'],
    ['v1.36.3', 'v1.36.3'],
    ['v1.33.5+k3s1', 'v1.33.5'],
  ])('is as old as the API server: %s', async (kubeVersion, tag) => {
    const pod = podOf(found(await rendered(MINIMAL, kubeVersion), 'Deployment', 'berth-scheduler'));
    expect(pod.containers.map(({ image }) => image)).toEqual([
      `registry.k8s.io/kube-scheduler:${tag}`,
      'berth:0.1.0',
    ]);
  });

  test.each([
    ['minimal.yaml', ['Deployment berth-scheduler'], ['Service berth-extender']],
    [
      'cluster-scheduler.yaml',
      ['ConfigMap berth-scheduler-configuration', 'Service berth-extender'],
      ['Deployment berth-scheduler'],
    ],
    ['ipv6.yaml', [], ['Deployment berth-scheduler', 'Service berth-extender']],
  ])('of %s brings its objects only', async (set, some, none) => {
    const objects = await rendered({ set });
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual(expect.arrayContaining(some));
    expect(names.filter((name) => none.includes(name))).toEqual([]);
  });
});

describe('monitoring', () => {
  test('finds Berth by its labels and the name of its port', async () => {
    const service = found(await rendered({ set: 'karpenter-gitops.yaml' }), 'ServiceMonitor', 'karpenter');
    expect(service.metadata.labels).toMatchObject({ release: 'prometheus' });
    expect(service['spec']).toEqual({
      selector: { matchLabels: { 'app.kubernetes.io/name': 'berth' } },
      namespaceSelector: { matchNames: ['berth-system'] },
      endpoints: [
        {
          ...{ port: 'metrics', path: '/metrics', interval: '30s', scrapeTimeout: '10s' },
          relabelings: [{ sourceLabels: ['__meta_kubernetes_pod_node_name'], targetLabel: 'node' }],
        },
      ],
    });
    const pods = found(await rendered({ set: 'monitored.yaml' }), 'PodMonitor', 'berth');
    expect(pods['spec']).toMatchObject({
      sampleLimit: 50_000,
      selector: {
        matchExpressions: [
          { key: 'app.kubernetes.io/name', operator: 'In', values: ['berth', 'berth-scheduler'] },
        ],
      },
      podMetricsEndpoints: [{ port: 'metrics', interval: '15s' }],
    });
  });

  test('alerts on the metrics of its own namespace, with labels and runbooks of the values', async () => {
    const rule = found(await rendered({ set: 'monitored.yaml' }), 'PrometheusRule', 'berth');
    const { groups } = rule['spec'] as { readonly groups: readonly { readonly rules: readonly Alert[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    expect(rules.map(({ alert }) => alert)).not.toContain('BerthPaused');
    expect(rules.find(({ alert }) => alert === 'BerthNoLeader')).toMatchObject({
      expr: 'sum(berth_leader{namespace="berth-system"}) == 0',
      labels: { severity: 'critical', team: 'platform' },
      annotations: { runbook_url: 'https://runbooks.example.com/berth/alerts#berthnoleader' },
    });
  });
});

describe('uninstalling', () => {
  test('keeps the definitions of the kinds, and with them the objects', async () => {
    const objects = await rendered(MINIMAL);
    const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
    const policies = definitions.map(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy']);
    expect(policies).toEqual(['keep', 'keep', 'keep', 'keep']);
  });
});

describe('manifests/', () => {
  test('are what the chart renders (make chart)', () => {
    const script = join(ROOT, 'scripts/render-manifests.js');
    expect(() =>
      execFileSync('node', [script, programPath('helm'), '--check'], { cwd: ROOT, stdio: 'pipe' }),
    ).not.toThrow();
  });
});
