/** What user data is made of, for tests: a small cluster, a pool's labels, the taint of a node that is not registered yet. */
import { UNREGISTERED_TAINT } from '../../../../src/domain/nodes/node-claim.js';
import type { UserDataQuestion } from '../../../../src/clouds/aws/families/user-data/user-data-question.js';

export function userDataQuestion(overrides: Partial<UserDataQuestion> = {}): UserDataQuestion {
  return {
    cluster: {
      name: 'berth-demo',
      endpoint: 'https://api.example.com',
      certificateAuthority: 'Q0E=',
      serviceCIDR: '10.100.0.0/16',
    },
    labels: new Map([
      ['karpenter.sh/nodepool', 'general'],
      ['karpenter.sh/capacity-type', 'spot'],
      ['node-role.kubernetes.io/worker', ''],
    ]),
    taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }, UNREGISTERED_TAINT],
    kubelet: undefined,
    maxPods: undefined,
    isInstanceStoreRaid0: false,
    own: undefined,
    ...overrides,
  };
}

/** Every setting that a node class checks. */
export const KUBELET = {
  clusterDNS: ['10.100.0.53'],
  maxPods: 50,
  podsPerCore: 8,
  systemReserved: { cpu: '100m', memory: '100Mi' },
  kubeReserved: { cpu: '200m' },
  evictionHard: { 'memory.available': '5%', 'nodefs.available': '10%' },
  evictionSoft: { 'memory.available': '500Mi' },
  evictionSoftGracePeriod: { 'memory.available': '1m' },
  evictionMaxPodGracePeriod: 60,
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  cpuCFSQuota: true,
};
