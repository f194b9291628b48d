/** What scenarios apply: objects as users write them, with overrides, and names that are the same in each run. */
import { stringify } from 'yaml';
import type { Manifest } from './world.js';

export interface NodePoolParts {
  readonly name?: string;
  /** Of spec.template.spec: requirements beside those that are given, taints, startupTaints, … */
  readonly template?: Readonly<Record<string, unknown>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Key → values (operator In). */
  readonly requirements?: Readonly<Record<string, readonly string[]>>;
  /** Of spec: limits, weight, disruption. */
  readonly spec?: Readonly<Record<string, unknown>>;
  /** The block of that name. */
  readonly berth?: Readonly<Record<string, unknown>>;
}

/** A policy ConfigMap of one NodePool: on demand, in three zones of eu-west-3, unless it says otherwise. */
export function nodePool({ name = 'general', ...parts }: NodePoolParts = {}): Manifest {
  const requirements = {
    'karpenter.sh/capacity-type': ['on-demand'],
    'topology.kubernetes.io/zone': ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'],
    'kubernetes.io/arch': ['amd64'],
    ...parts.requirements,
  };
  return policy(`pool-${name}`, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: {
        ...(parts.labels && { metadata: { labels: parts.labels } }),
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: Object.entries(requirements).map(([key, values]) => ({
            key,
            operator: 'In',
            values,
          })),
          ...parts.template,
        },
      },
      ...parts.spec,
    },
    ...(parts.berth && { berth: parts.berth }),
  });
}

/** The policy ConfigMap of the EC2NodeClass `default`, or of another, in the network of the simulated AWS. */
export function nodeClass(name = 'default', spec: Readonly<Record<string, unknown>> = {}): Manifest {
  const tagged = [{ tags: { 'karpenter.sh/discovery': 'berth-demo' } }];
  return policy(`class-${name}`, {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      role: 'berth-node',
      subnetSelectorTerms: tagged,
      securityGroupSelectorTerms: tagged,
      ...spec,
    },
  });
}

/** A policy ConfigMap that holds these documents under one key. */
export function policy(name: string, ...documents: readonly unknown[]): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'berth-system', labels: { 'berth.sh/policy': 'true' } },
    data: { 'policy.yaml': documents.map((document) => stringify(document)).join('---\n') },
  };
}

/** A JSON patch of a pod: its first container requests this much instead. */
export function resizePatch(requests: Readonly<Record<string, string>>): readonly object[] {
  return [{ op: 'replace', path: '/spec/containers/0/resources/requests', value: requests }];
}

export interface WorkloadParts {
  readonly name?: string;
  readonly namespace?: string;
  readonly replicas?: number;
  /** Resource name → quantity; 500m of cpu and 512Mi. */
  readonly requests?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Of the pods of a workload. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Further fields of the pods' spec. */
  readonly pod?: Readonly<Record<string, unknown>>;
}

/** A Deployment whose pods bear the label `app: NAME`. */
export function deployment(parts: WorkloadParts = {}): Manifest {
  return workload('Deployment', parts, { replicas: parts.replicas ?? 1 });
}

/** A DaemonSet whose pods bear the label `app: NAME`. */
export function daemonSet(parts: WorkloadParts = {}): Manifest {
  return workload('DaemonSet', parts, {});
}

/** A bare pod with the label `app: NAME`. */
export function pod({ name = 'web', namespace = 'default', ...parts }: WorkloadParts = {}): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name, ...parts.labels } },
    spec: podSpec(parts),
  };
}

/** A Job whose pods run for so many seconds, in worlds that know the simulator's annotation. */
export function job({
  parallelism,
  seconds,
  ...parts
}: WorkloadParts & {
  readonly parallelism: number;
  readonly seconds: number;
}): Manifest {
  const { name = 'job', namespace = 'default' } = parts;
  const annotations = { ...parts.annotations, 'simulator.berth.sh/run-seconds': String(seconds) };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: {
      parallelism,
      completions: parallelism,
      template: { metadata: { annotations }, spec: { restartPolicy: 'Never', ...podSpec(parts) } },
    },
  };
}

/** For the pods with the label `app: NAME`. */
export function podDisruptionBudget(name: string, spec: Readonly<Record<string, unknown>>): Manifest {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { selector: { matchLabels: { app: name } }, ...spec },
  };
}

function workload(kind: string, parts: WorkloadParts, spec: Readonly<Record<string, unknown>>): Manifest {
  const { name = 'web', namespace = 'default', labels, annotations } = parts;
  const metadata = { labels: { app: name, ...labels }, ...(annotations && { annotations }) };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata, spec: podSpec(parts) },
      ...spec,
    },
  };
}

function podSpec({
  requests = { cpu: '500m', memory: '512Mi' },
  pod: more,
}: WorkloadParts): Readonly<Record<string, unknown>> {
  // Kubernetes wants limits of extended resources, the same as the requests.
  const extended = Object.entries(requests).filter(([name]) => name.includes('/'));
  const limits = extended.length > 0 && { limits: Object.fromEntries(extended) };
  return {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'main',
        image: 'registry.k8s.io/pause:3.10',
        resources: { requests, ...limits },
      },
    ],
    ...more,
  };
}

/** A claim of the namespace `default` that is bound to a volume of EBS of the same name, which can be used in every zone. */
export function boundVolume(name: string): readonly Manifest[] {
  const common = { storageClassName: '', accessModes: ['ReadWriteOnce'] };
  const size = { storage: '1Gi' };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        ...common,
        capacity: size,
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name },
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: `vol-${name}` },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name, namespace: 'default' },
      spec: { ...common, volumeName: name, resources: { requests: size } },
    },
  ];
}
