/**
 * A random small problem as manifests: pools, nodes with pods on them, volumes, DaemonSets, and workloads with every kind
 * of rule that planning knows. The same seed makes the same documents.
 */
import { ZONES } from './catalog.js';
import { Draw } from './draw.js';
import { randomWorkload, type Json } from './random-workload.js';

/** Pods of all workloads together, at most. */
const MOST_PODS = 14;

export function randomDocuments(seed: number, mostPods = MOST_PODS): readonly Json[] {
  const draw = new Draw(seed);
  const pools = Array.from({ length: draw.oneOf([1, 1, 1, 2, 2, 3]) }, (_, index) => nodePool(draw, index));
  const nodes = draw.chance(0.5) ? Array.from({ length: draw.integer(1, 3) }, (_, i) => node(draw, i)) : [];
  const running = nodes.length === 0 ? [] : boundPods(draw, nodes.length);
  const daemons = draw.chance(0.25) ? [daemonSet(draw)] : [];
  const workloads: Json[] = [];
  let left = mostPods;
  const count = draw.integer(1, 4);
  for (let index = 0; index < count && left > 0; index++) {
    const replicas = Math.min(left, draw.oneOf([1, 1, 2, 3, 4, 6]));
    left -= replicas;
    workloads.push(...randomWorkload(draw, index, replicas));
  }
  return [...fixed(), ...pools, ...nodes, ...running, ...daemons, ...workloads];
}

/** The same in every problem: the node class, namespaces, priorities and volumes that others may name. */
function fixed(): readonly Json[] {
  const selector = [{ tags: { a: 'b' } }];
  return [
    {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'default' },
      spec: {
        amiSelectorTerms: [{ alias: 'al2023@latest' }],
        role: 'r',
        subnetSelectorTerms: selector,
        securityGroupSelectorTerms: selector,
      },
    },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels: { tier: 'front' } } },
    {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'high' },
      value: 1000,
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'gp3' },
      provisioner: 'ebs.csi.aws.com',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
    ...volume('zonal', 'ReadWriteOnce', ZONES[1]),
    ...volume('once', 'ReadWriteOncePod', undefined),
  ];
}

function volume(name: string, mode: string, zone: string | undefined): readonly Json[] {
  const storage = '10Gi';
  const term = { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `pv-${name}` },
      spec: {
        capacity: { storage },
        accessModes: [mode],
        storageClassName: 'gp3',
        claimRef: { namespace: 'default', name },
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` },
        ...(zone === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: [term] } } }),
      },
      status: { phase: 'Bound' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'default' },
      spec: {
        accessModes: [mode],
        storageClassName: 'gp3',
        volumeName: `pv-${name}`,
        resources: { requests: { storage } },
      },
      status: { phase: 'Bound' },
    },
  ];
}

function nodePool(draw: Draw, index: number): Json {
  const requirements: Json[] = [];
  const allow = (key: string, values: readonly string[], extra: Json = {}): void => {
    requirements.push({ key, operator: 'In', values, ...extra });
  };
  allow('karpenter.sh/capacity-type', draw.oneOf([['on-demand'], ['on-demand'], ['spot', 'on-demand']]));
  if (draw.chance(0.6)) allow('kubernetes.io/arch', draw.oneOf([['amd64'], ['arm64'], ['amd64', 'arm64']]));
  if (draw.chance(0.2)) allow('topology.kubernetes.io/zone', draw.part(ZONES));
  if (draw.chance(0.15)) allow('team', draw.oneOf([['blue'], ['blue', 'red']]));
  if (draw.chance(0.08))
    requirements.push({
      key: 'karpenter.k8s.aws/instance-family',
      operator: 'Exists',
      minValues: draw.integer(2, 3),
    });
  const limits = draw.chance(0.12)
    ? { limits: draw.oneOf<Json>([{ cpu: '6' }, { memory: '24Gi' }, { nodes: '2' }]) }
    : {};
  const taint = { key: 'dedicated', value: 'x', effect: 'NoSchedule' };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: `pool${String(index)}` },
    spec: {
      ...(index > 0 && draw.chance(0.4) ? { weight: draw.oneOf([10, 20]) } : {}),
      ...limits,
      template: {
        metadata: { labels: draw.chance(0.2) ? { rack: draw.oneOf(['r1', 'r2']) } : {} },
        spec: {
          requirements,
          ...(index > 0 && draw.chance(0.3) ? { taints: [taint] } : {}),
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        },
      },
    },
  };
}

/** One of three shapes, some of them launched by a pool, tainted, cordoned, or with few slots for pods or volumes. */
function node(draw: Draw, index: number): Json {
  const name = `node-${String(index)}`;
  const [type, arch, cpu, memory] = draw.oneOf<readonly [string, string, string, string]>([
    ['m6i.large', 'amd64', '1920m', '7372Mi'],
    ['m6i.xlarge', 'amd64', '3920m', '14745Mi'],
    ['m7g.large', 'arm64', '1920m', '7372Mi'],
  ]);
  const size = { cpu, memory, pods: draw.oneOf(['29', '29', '3']), 'ephemeral-storage': '17Gi' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/arch': arch,
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': type,
        'topology.kubernetes.io/region': 'us-west-2',
        'topology.kubernetes.io/zone': draw.oneOf(ZONES),
        'karpenter.sh/capacity-type': draw.oneOf(['on-demand', 'spot']),
        ...(draw.chance(0.3) ? { 'karpenter.sh/nodepool': 'pool0' } : {}),
        ...(draw.chance(0.2) ? { team: 'blue' } : {}),
        ...(draw.chance(0.3) ? { rack: draw.oneOf(['r1', 'r2']) } : {}),
      },
    },
    spec: nodeSpec(draw),
    status: {
      allocatable: size,
      capacity: size,
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

/** A cordoned node has the taint of it, which the node lifecycle controller sets: nodeTaintsPolicy looks at taints alone. */
function nodeSpec(draw: Draw): Json {
  const isCordoned = draw.chance(0.1);
  const taints = [
    ...(isCordoned ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : []),
    ...(draw.chance(0.15) ? [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] : []),
  ];
  return {
    ...(isCordoned ? { unschedulable: true } : {}),
    ...(taints.length > 0 ? { taints } : {}),
  };
}

function boundPods(draw: Draw, nodes: number): readonly Json[] {
  return Array.from({ length: draw.integer(0, 4) }, (_, index) => {
    const [made] = randomWorkload(draw, index, 1, 'bound');
    const template = (made?.['spec'] as { template: { metadata: Json; spec: Json } }).template;
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...template.metadata,
        name: `bound-${String(index)}`,
        namespace: (made?.['metadata'] as { namespace: string }).namespace,
        uid: `bound-${String(index)}`,
      },
      spec: { ...template.spec, nodeName: `node-${String(draw.integer(0, nodes - 1))}` },
      status: { phase: 'Running' },
    };
  });
}

function daemonSet(draw: Draw): Json {
  const labels = { app: 'agent' };
  const requests = draw.oneOf([
    { cpu: '100m', memory: '64Mi' },
    { cpu: '300m', memory: '512Mi' },
  ]);
  const port = draw.chance(0.3) ? { ports: [{ containerPort: 80, hostPort: 80 }] } : {};
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: 'c', image: 'x', resources: { requests }, ...port }],
          ...(draw.chance(0.5) ? { tolerations: [{ operator: 'Exists' }] } : {}),
          ...(draw.chance(0.3) ? { nodeSelector: { 'kubernetes.io/arch': 'arm64' } } : {}),
        },
      },
    },
  };
}
