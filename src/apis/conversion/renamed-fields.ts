/** What the conversion of an older document warns of: fields with other names, and what v1 cannot guess. */
import type { Finding } from '../decode/findings.js';
import { ROLE_TO_FILL_IN } from '../../clouds/aws/api/v1alpha1.js';
import type { DocumentPath } from '../issue.js';

/** A field of an older version. */
export interface RenamedField {
  readonly from: readonly string[];
  /** Its path in v1, where it has one. */
  readonly to?: readonly string[];
  /** What v1 has instead, for people; default: the path. */
  readonly now?: string;
}

const KUBELET = 'spec.kubelet of the EC2NodeClass';

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
  { from: ['spec', 'provider'], now: 'an EC2NodeClass, named by spec.template.spec.nodeClassRef' },
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

export const NODE_TEMPLATE_V1ALPHA1: readonly RenamedField[] = [
  ...['subnetSelector', 'securityGroupSelector', 'amiSelector'].map((field) => ({
    from: ['spec', field],
    to: ['spec', `${field}Terms`],
  })),
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
      text: 'has neither provider nor providerRef, which Karpenter rejects; it is read with the EC2NodeClass named default',
    },
  ];
}

/** Warns of a node template whose instance profile came from settings that Berth does not have. */
export function missingRole(
  spec: { readonly instanceProfile?: unknown },
  path: DocumentPath,
): readonly Finding[] {
  if (spec.instanceProfile !== undefined) return [];
  return [
    {
      code: 'no-role',
      path,
      text: `has no instanceProfile, and Karpenter's global default is unknown: the EC2NodeClass gets role ${ROLE_TO_FILL_IN}, to be filled in before a launch`,
    },
  ];
}
