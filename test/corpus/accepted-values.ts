/** What the accepted documents of the corpus mean, by file. */
import type { ToldClass, ToldPool } from './told.js';

export interface AcceptedValues {
  readonly pools?: readonly Partial<ToldPool>[];
  readonly classes?: readonly (Partial<Omit<ToldClass, 'spec'>> & { readonly spec?: object })[];
  /** Codes of warnings, each once, but those that hold for any document on its own. */
  readonly warnings?: readonly string[];
}

const OLDER = ['older-spelling', 'older-version'];
const DAY = 86_400;
const DEFAULT_BUDGET = ['10%'];

export const ACCEPTED: Readonly<Record<string, AcceptedValues>> = {
  'general-purpose': {
    pools: [
      {
        name: 'general-purpose',
        weight: 0,
        labels: { team: 'platform' },
        requirements: [
          'kubernetes.io/os In [linux]',
          'kubernetes.io/arch In [amd64]',
          'karpenter.sh/capacity-type In [on-demand, spot]',
          'instance-category In [c, m, r]',
          'instance-generation Gte 5',
        ],
        limits: { cpu: '1000', memory: '2000Gi' },
        policy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: 60,
        expireAfter: 14 * DAY,
        budgets: DEFAULT_BUDGET,
      },
    ],
  },
  'static-pool': { pools: [{ replicas: 5, limits: { nodes: '8' } }] },
  'least-that-works': {
    pools: [
      {
        requirements: [],
        limits: {},
        policy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: 0,
        expireAfter: 30 * DAY,
        terminationGracePeriod: undefined,
        budgets: DEFAULT_BUDGET,
      },
    ],
  },
  'gpu-inference': {
    pools: [
      {
        weight: 10,
        nodeClass: 'gpu',
        requirements: [
          'instance-gpu-name In [a10g, l4, l40s]',
          'instance-gpu-count Lte 4',
          'instance-gpu-memory Gte 22000',
          'karpenter.sh/capacity-type In [on-demand]',
        ],
        taints: ['nvidia.com/gpu=true:NoSchedule'],
        limits: { 'nvidia.com/gpu': '16', cpu: '384' },
        policy: 'WhenEmpty',
        terminationGracePeriod: 3600,
      },
    ],
  },
  'spot-min-values': {
    pools: [
      {
        requirements: [
          'karpenter.sh/capacity-type In [spot]',
          'instance-category In [c, m, r]',
          'instance-family Exists',
          'node.kubernetes.io/instance-type Exists',
          'instance-size NotIn [metal, micro, nano, small]',
          'instance-local-nvme DoesNotExist',
        ],
        minValues: {
          'karpenter.k8s.aws/instance-category': 2,
          'karpenter.k8s.aws/instance-family': 10,
          'node.kubernetes.io/instance-type': 30,
        },
        limits: { cpu: '2000' },
      },
    ],
  },
  'business-hours': {
    pools: [
      {
        budgets: [
          '20% Drifted,Underutilized',
          '100% Empty',
          '0 Drifted,Underutilized 0 9 * * mon-fri UTC +28800s',
          '5',
          '1 @weekly UTC +5400s',
        ],
      },
    ],
    warnings: ['budget-never-binds'],
  },
  'cilium-startup-taint': {
    pools: [
      {
        taints: ['dedicated=data:NoExecute', 'dedicated=data:PreferNoSchedule'],
        startupTaints: [
          'node.cilium.io/agent-not-ready=true:NoExecute',
          'ebs.csi.aws.com/agent-not-ready:NoExecute',
        ],
        expireAfter: 'Never',
        terminationGracePeriod: 2 * DAY,
      },
    ],
  },
  'weighted-fallback': {
    pools: [
      { name: 'savings-plan', weight: 100, consolidateAfter: 'Never', limits: { cpu: '128' } },
      {
        name: 'fallback',
        weight: 1,
        requirements: [
          'karpenter.sh/capacity-type In [spot]',
          'topology.kubernetes.io/zone In [us-west-2a, us-west-2b]',
        ],
      },
    ],
  },
  'team-labels': {
    pools: [
      {
        labels: { 'example.com/managed': 'yes', 'node-role.kubernetes.io/worker': '' },
        requirements: [
          'example.com/team Exists',
          'example.com/stage NotIn [production]',
          'instance-cpu Lte 32',
          'instance-hypervisor In [nitro]',
        ],
      },
    ],
  },
  balanced: {
    pools: [
      {
        requirements: ['karpenter.sh/capacity-type In [on-demand, reserved, spot]'],
        limits: { nodes: '20' },
        policy: 'Balanced',
        consolidateAfter: 5400,
      },
    ],
  },
  'burst-ci': {
    pools: [
      {
        labels: { workload: 'ci' },
        requirements: [
          'instance-category In [m, t]',
          'karpenter.sh/capacity-type In [spot]',
          'kubernetes.io/arch In [amd64]',
          'topology.kubernetes.io/zone In [eu-central-1a]',
        ],
        taints: ['workload=ci:NoSchedule'],
        policy: 'WhenEmpty',
        consolidateAfter: 120,
        expireAfter: DAY,
      },
    ],
  },
  'exported-object': { pools: [{ name: 'exported', labels: {}, budgets: DEFAULT_BUDGET }] },
  'berth-block': { pools: [{ budgets: ['2 0 6 * * * Europe/Paris +43200s'] }] },
  'al2023-kubelet': {
    classes: [
      {
        amiFamily: 'AL2023',
        maxPods: 110,
        systemReserved: { cpu: '100m', memory: '200Mi', 'ephemeral-storage': '1Gi' },
        rootVolumeGiB: 100,
        raid0: false,
        spec: { metadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 2 } },
      },
    ],
  },
  bottlerocket: { classes: [{ amiFamily: 'Bottlerocket', rootVolumeGiB: 200 }] },
  'custom-image': {
    classes: [{ amiFamily: 'Custom', rootVolumeGiB: 80, spec: { role: 'golden-node' } }],
  },
  windows: { classes: [{ amiFamily: 'Windows2022', rootVolumeGiB: 50 }] },
  reservations: {
    classes: [{ amiFamily: 'AL2023', spec: { placementGroupSelector: { name: 'training-cluster' } } }],
  },
  'efa-training': {
    classes: [
      { amiFamily: 'AL2023', raid0: true, spec: { metadataOptions: { httpPutResponseHopLimit: 1 } } },
    ],
  },
  'v1beta1-default': {
    pools: [
      {
        labels: { intent: 'apps' },
        nodeClass: 'default',
        policy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: 0,
        expireAfter: 30 * DAY,
      },
    ],
    classes: [
      {
        name: 'default',
        amiFamily: 'AL2',
        maxPods: 58,
        systemReserved: { cpu: '100m' },
        spec: {
          amiSelectorTerms: [{ alias: 'al2@latest' }],
          metadataOptions: { httpPutResponseHopLimit: 2 },
        },
      },
    ],
    warnings: OLDER,
  },
  'v1beta1-when-empty': {
    pools: [
      {
        weight: 50,
        taints: ['jobs:NoSchedule'],
        policy: 'WhenEmpty',
        consolidateAfter: 30,
        expireAfter: 'Never',
        budgets: ['10', '0 @daily UTC +600s'],
      },
    ],
    warnings: OLDER,
  },
  'v1beta1-older-spellings': {
    pools: [
      {
        limits: { cpu: '100', memory: '400Gi' },
        policy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: 30,
        nodeClass: 'tutorial',
      },
    ],
    classes: [
      {
        name: 'tutorial',
        amiFamily: 'Bottlerocket',
        spec: { subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'tutorial' } }] },
      },
    ],
    warnings: OLDER,
  },
  'v1beta1-ubuntu': {
    classes: [{ amiFamily: 'AL2', spec: { blockDeviceMappings: [{ deviceName: '/dev/sda1' }] } }],
    warnings: ['older-version'],
  },
  'v1alpha5-spot': {
    pools: [
      {
        nodeClass: 'default',
        requirements: [
          'karpenter.sh/capacity-type In [spot]',
          'kubernetes.io/os In [linux]',
          'kubernetes.io/arch In [amd64]',
          'instance-category In [c, m, r]',
          'instance-generation Gte 3',
        ],
        limits: { cpu: '1000' },
        policy: 'WhenEmpty',
        consolidateAfter: 30,
        expireAfter: 'Never',
      },
    ],
    classes: [
      { name: 'default', amiFamily: 'AL2', spec: { metadataOptions: { httpPutResponseHopLimit: 2 } } },
    ],
    warnings: OLDER,
  },
  'v1alpha5-consolidation': {
    pools: [
      {
        nodeClass: 'consolidating',
        // A named type keeps the categories of old from being added.
        requirements: [
          'node.kubernetes.io/instance-type In [m5.large, m5.xlarge]',
          'kubernetes.io/arch In [amd64, arm64]',
          'kubernetes.io/os In [linux]',
          'karpenter.sh/capacity-type In [on-demand]',
        ],
        policy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: 0,
        expireAfter: 30 * DAY,
      },
    ],
    classes: [
      {
        rootVolumeGiB: 100,
        spec: {
          subnetSelectorTerms: [{ id: 'subnet-0a1b2c3d4e5f60718' }, { id: 'subnet-0718f6e5d4c3b2a10' }],
          securityGroupSelectorTerms: [{ tags: { Name: 'nodes' } }, { tags: { Name: 'shared' } }],
        },
      },
    ],
    warnings: OLDER,
  },
  'v1alpha5-kubelet': {
    pools: [
      {
        weight: 20,
        labels: { 'billing-team': 'my-team' },
        requirements: [
          'instance-cpu Gte 4',
          'kubernetes.io/os In [linux]',
          'kubernetes.io/arch In [amd64]',
          'karpenter.sh/capacity-type In [on-demand]',
          'instance-category In [c, m, r]',
          'instance-generation Gte 3',
        ],
        taints: ['example.com/special:NoSchedule'],
        startupTaints: ['example.com/warming:NoSchedule'],
        policy: 'WhenEmpty',
        consolidateAfter: 'Never',
        expireAfter: 'Never',
      },
    ],
    warnings: OLDER,
  },
};
