/** What every cluster has from its first moment. */
import type { NewObject } from '../objects/kube-object.js';

export const BOOTSTRAP: readonly (readonly [resource: string, object: NewObject])[] = [
  ['namespaces', { metadata: { name: 'default' } }],
  ['namespaces', { metadata: { name: 'kube-system' } }],
  ['namespaces', { metadata: { name: 'kube-public' } }],
  ['namespaces', { metadata: { name: 'kube-node-lease' } }],
  [
    'priorityclasses.scheduling.k8s.io',
    {
      metadata: { name: 'system-node-critical' },
      value: 2_000_001_000,
      description: 'Used for system critical pods that must not be moved from their current node.',
    },
  ],
  [
    'priorityclasses.scheduling.k8s.io',
    {
      metadata: { name: 'system-cluster-critical' },
      value: 2_000_000_000,
      description:
        'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    },
  ],
  [
    'services',
    {
      metadata: {
        name: 'kubernetes',
        namespace: 'default',
        labels: { component: 'apiserver', provider: 'kubernetes' },
      },
      spec: {
        ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
        clusterIP: '10.96.0.1',
      },
    },
  ],
];
