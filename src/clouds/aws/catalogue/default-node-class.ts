/** The node class that says nothing: what a type's allocatable means without one. */
import type { NodeClass } from '../../../domain/policies/node-class.js';
import type { NodeSettings } from '../families/node-settings.js';

/** AL2023 on Karpenter's default root volume of 20 GiB, the kubelet as EKS sets it up. */
export const DEFAULT_NODE_CLASS: NodeClass & NodeSettings = {
  kind: 'EC2NodeClass',
  name: 'default',
  template: {},
  secretFields: [],
  amiFamily: 'AL2023',
  kubelet: {
    maxPods: undefined,
    podsPerCore: undefined,
    systemReserved: new Map(),
    kubeReserved: undefined,
    evictionHard: new Map(),
  },
  rootVolumeBytes: 20 * 2 ** 30,
  instanceStoreRaid0: false,
};
