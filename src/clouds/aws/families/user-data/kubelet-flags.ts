/** Settings of the kubelet as flags on its command line, for families that are set up by a script. */
import type { KubeletDocument } from '../../../../apis/fields/kubelet.js';
import { labelList, taintList } from './kubelet-labels.js';
import type { UserDataQuestion } from './user-data-question.js';

/** All in one line, values in double quotes. What has no flag (clusterDNS, fields that are not checked) is left out. */
export function kubeletFlags({ labels, taints, kubelet = {} }: Omit<UserDataQuestion, 'own'>): string {
  const flags: readonly (readonly [string, string | number | boolean | undefined])[] = [
    ['node-labels', quoted(labelList(labels))],
    ['register-with-taints', quoted(taintList(taints))],
    ['max-pods', kubelet.maxPods],
    ['pods-per-core', kubelet.podsPerCore],
    ['system-reserved', pairs(kubelet.systemReserved, '=')],
    ['kube-reserved', pairs(kubelet.kubeReserved, '=')],
    ['eviction-hard', pairs(kubelet.evictionHard, '<')],
    ['eviction-soft', pairs(kubelet.evictionSoft, '<')],
    ['eviction-soft-grace-period', pairs(kubelet.evictionSoftGracePeriod, '=')],
    ['eviction-max-pod-grace-period', kubelet.evictionMaxPodGracePeriod],
    ['image-gc-high-threshold', kubelet.imageGCHighThresholdPercent],
    ['image-gc-low-threshold', kubelet.imageGCLowThresholdPercent],
    ['cpu-cfs-quota', kubelet.cpuCFSQuota],
  ];
  return flags
    .flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${String(value)}`]))
    .join(' ');
}

function pairs(values: KubeletDocument['evictionHard'], sign: '=' | '<'): string | undefined {
  return quoted(
    Object.entries(values ?? {})
      .map(([key, value]) => `${key}${sign}${value}`)
      .join(','),
  );
}

function quoted(text: string): string | undefined {
  return text === '' ? undefined : `"${text}"`;
}
