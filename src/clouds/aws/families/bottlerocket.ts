/** Bottlerocket. Its user data are its settings in TOML. */
import type { KubeletDocument } from '../../../apis/fields/kubelet.js';
import { clusterDNS } from './user-data/cluster-facts.js';
import { kubeletLabels } from './user-data/kubelet-labels.js';
import { mergeToml, type TomlTable } from './user-data/merge-toml.js';
import type { UserData, UserDataQuestion } from './user-data/user-data-question.js';
import type { AliasParameter, ImageFamily, ImageVariant } from './family.js';

export const bottlerocket = {
  name: 'Bottlerocket',
  alias: { name: 'bottlerocket', parameters },
  disks: [
    { deviceName: '/dev/xvda', gib: 4 },
    { deviceName: '/dev/xvdb', gib: 20 },
  ],
  ephemeralDevice: '/dev/xvdb',
  reservesForPodsThatFit: true,
  refusedSettings: ['podsPerCore'],
  userData,
} as const satisfies ImageFamily;

/**
 * Versions are `1.20.3` in SSM, though Bottlerocket's own pages write `v1.20.3`.
 * https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id-bottlerocket.html
 */
function parameters(kubernetes: string, version: string): readonly AliasParameter[] {
  // The driver of AWS' own chips is in the standard image.
  const kinds: readonly [string, string, readonly ImageVariant[]][] = [
    ['', 'x86_64', ['standard', 'neuron']],
    ['', 'arm64', ['standard']],
    ['-nvidia', 'x86_64', ['nvidia']],
    ['-nvidia', 'arm64', ['nvidia']],
  ];
  return kinds.map(([kind, arch, variants]) => ({
    path: `/aws/service/bottlerocket/aws-k8s-${kubernetes}${kind}/${arch}/${version.replace(/^v/, '')}/image_id`,
    variants,
  }));
}

const KUBERNETES = ['settings', 'kubernetes'];

/**
 * The user's settings, and over them what a node needs to join and what the node class says of the kubelet. As in Karpenter, it has no
 * taints but these, which planning knows, and where the class has a table of the kubelet, that is the whole of it.
 */
function userData(question: UserDataQuestion): UserData {
  const { kubelet = {}, isInstanceStoreRaid0, own = '' } = question;
  return mergeToml(own, [
    { path: KUBERNETES, values: kubernetes(question) },
    { path: [...KUBERNETES, 'node-labels'], values: texts(kubeletLabels(question.labels)) },
    { path: [...KUBERNETES, 'node-taints'], values: taints(question), isWhole: true },
    section('eviction-hard', kubelet.evictionHard),
    section('eviction-soft', kubelet.evictionSoft),
    section('eviction-soft-grace-period', kubelet.evictionSoftGracePeriod),
    section('kube-reserved', kubelet.kubeReserved),
    section('system-reserved', kubelet.systemReserved),
    ...(isInstanceStoreRaid0 ? [LOCAL_DISKS] : []),
  ]);
}

/** Bottlerocket's own commands for an array of the local disks, which holds what containers and kubelet write. */
const LOCAL_DISKS: TomlTable = {
  path: ['settings', 'bootstrap-commands', '000-local-disks'],
  values: new Map([
    [
      'commands',
      '[["apiclient", "ephemeral-storage", "init"], ["apiclient", "ephemeral-storage", "bind", "--dirs", "/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods"]]',
    ],
    ['essential', 'true'],
    ['mode', '"always"'],
  ]),
};

function kubernetes({ cluster, kubelet = {} }: UserDataQuestion): ReadonlyMap<string, string> {
  const addresses = kubelet.clusterDNS ?? [clusterDNS(cluster) ?? ''].filter((address) => address !== '');
  const values: readonly (readonly [string, unknown])[] = [
    ['cluster-name', cluster.name],
    ['api-server', cluster.endpoint],
    ['cluster-certificate', cluster.certificateAuthority],
    ['cluster-dns-ip', addresses.length > 1 ? addresses : addresses[0]],
    ['max-pods', kubelet.maxPods],
    ['eviction-max-pod-grace-period', kubelet.evictionMaxPodGracePeriod],
    // Bottlerocket takes these two as texts.
    ['image-gc-high-threshold-percent', kubelet.imageGCHighThresholdPercent?.toString()],
    ['image-gc-low-threshold-percent', kubelet.imageGCLowThresholdPercent?.toString()],
    ['cpu-cfs-quota-enforced', kubelet.cpuCFSQuota],
  ];
  return new Map(
    values.flatMap(([key, value]) => (value === undefined ? [] : [[key, JSON.stringify(value)] as const])),
  );
}

/** One key may have several effects, each with its value. */
function taints({ taints: list }: UserDataQuestion): ReadonlyMap<string, string> {
  const byKey = new Map<string, string[]>();
  for (const { key, value, effect } of list)
    byKey.set(key, [...(byKey.get(key) ?? []), `${value}:${effect}`]);
  return new Map([...byKey].map(([key, values]) => [key, JSON.stringify(values)]));
}

function section(name: string, values: KubeletDocument['evictionHard']): TomlTable {
  const isWhole = values !== undefined;
  return { path: [...KUBERNETES, name], values: texts(Object.entries(values ?? {})), isWhole };
}

function texts(values: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  return new Map(values.map(([key, value]) => [key, JSON.stringify(value)]));
}
