/** What the conversion of an older document warns of: fields with other names, and what v1 cannot guess. */
import type { Finding } from '../decode/findings.js';
import type { RenamedField } from '../decode/renamed-field.js';

const KUBELET = 'spec.kubelet of the node class';

export const NODE_POOL_V1BETA1: readonly RenamedField[] = [
  { from: ['spec', 'disruption', 'expireAfter'], to: ['spec', 'template', 'spec', 'expireAfter'] },
  { from: ['spec', 'template', 'spec', 'kubelet'], now: KUBELET },
  {
    from: ['spec', 'template', 'spec', 'nodeClassRef', 'apiVersion'],
    to: ['spec', 'template', 'spec', 'nodeClassRef', 'group'],
  },
];

export const PROVISIONER_V1ALPHA5: readonly RenamedField[] = [
  ...['labels', 'annotations'].map((field) => ({
    from: ['spec', field],
    to: ['spec', 'template', 'metadata', field],
  })),
  ...['taints', 'startupTaints', 'requirements'].map((field) => ({
    from: ['spec', field],
    to: ['spec', 'template', 'spec', field],
  })),
  { from: ['spec', 'providerRef'], to: ['spec', 'template', 'spec', 'nodeClassRef'] },
  { from: ['spec', 'provider'], now: 'a node class, named by spec.template.spec.nodeClassRef' },
  { from: ['spec', 'kubeletConfiguration'], now: KUBELET },
  {
    from: ['spec', 'ttlSecondsAfterEmpty'],
    to: ['spec', 'disruption', 'consolidateAfter'],
    now: 'spec.disruption.consolidateAfter with consolidationPolicy WhenEmpty',
  },
  { from: ['spec', 'ttlSecondsUntilExpired'], to: ['spec', 'template', 'spec', 'expireAfter'] },
  { from: ['spec', 'consolidation'], to: ['spec', 'disruption', 'consolidationPolicy'] },
  { from: ['spec', 'limits', 'resources'], to: ['spec', 'limits'] },
];

/** Warns of a Provisioner without a node class. */
export function missingProvider(spec: {
  readonly provider?: unknown;
  readonly providerRef?: unknown;
}): readonly Finding[] {
  if (spec.provider !== undefined || spec.providerRef !== undefined) return [];
  return [
    {
      code: 'no-node-class',
      path: ['spec'],
      text: 'has neither provider nor providerRef, which Karpenter rejects; it is read with the node class named default',
    },
  ];
}
