/** Why the refused documents of the corpus are refused, by file; the line is marked in the file itself. */

export interface Refusal {
  readonly code: string;
  readonly path: string;
  /** Part of the message. */
  readonly says: string;
  readonly guess?: string;
}

const REQUIREMENTS = 'spec.template.spec.requirements';
const BUDGET = 'spec.disruption.budgets[0]';

export const REFUSALS: Readonly<Record<string, Refusal>> = {
  'operator-equals': {
    code: 'invalid-value',
    path: `${REQUIREMENTS}[0].operator`,
    says: 'must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte, not "Equals"',
  },
  'in-without-values': {
    code: 'missing-value',
    path: `${REQUIREMENTS}[0].values`,
    says: 'needs at least one value with operator In',
  },
  'restricted-domain': {
    code: 'restricted-label',
    path: 'spec.template.metadata.labels["karpenter.sh/owner"]',
    says: 'the label domain karpenter.sh is reserved',
  },
  'unknown-aws-label': {
    code: 'restricted-label',
    path: `${REQUIREMENTS}[0].key`,
    says: 'the label domain karpenter.k8s.aws is reserved',
    guess: 'karpenter.k8s.aws/instance-family',
  },
  hostname: { code: 'restricted-label', path: `${REQUIREMENTS}[1].key`, says: 'is restricted' },
  'greater-than-text': {
    code: 'invalid-value',
    path: `${REQUIREMENTS}[0].values`,
    says: 'must be exactly one whole number of at least 0 with operator Gt, not latest',
  },
  'min-values-too-large': {
    code: 'invalid-value',
    path: `${REQUIREMENTS}[0].minValues`,
    says: 'is 3, but only 2 values are given',
  },
  'min-values-51': {
    code: 'invalid-value',
    path: `${REQUIREMENTS}[0].minValues`,
    says: 'must be at most 50, not 51',
  },
  'taint-effect': {
    code: 'invalid-value',
    path: 'spec.template.spec.taints[0].effect',
    says: 'must be one of NoSchedule, PreferNoSchedule, NoExecute, not "NoScheduling"',
    guess: 'NoSchedule',
  },
  'taint-twice': {
    code: 'duplicate',
    path: 'spec.template.spec.startupTaints[0]',
    says: 'repeats the taint dedicated:NoSchedule',
  },
  'node-class-ref-missing': {
    code: 'missing-field',
    path: 'spec.template.spec.nodeClassRef',
    says: 'is required',
  },
  'misspelt-field': {
    code: 'unknown-field',
    path: 'spec.disruption.consolidatonPolicy',
    says: 'is not a known field',
    guess: 'consolidationPolicy',
  },
  'expire-after-within-disruption': {
    code: 'unknown-field',
    path: 'spec.disruption.expireAfter',
    says: 'it belongs in spec.template.spec.expireAfter',
  },
  'expire-after-days': {
    code: 'invalid-value',
    path: 'spec.template.spec.expireAfter',
    says: 'must be hours, minutes or seconds such as 720h, 1h30m or 30s, or Never, not "30d"',
  },
  'consolidate-after-missing': {
    code: 'missing-field',
    path: 'spec.disruption.consolidateAfter',
    says: 'is required',
  },
  'budget-above-100-percent': {
    code: 'invalid-value',
    path: `${BUDGET}.nodes`,
    says: 'a percentage from "0%" to "100%", not "101%"',
  },
  'schedule-without-duration': {
    code: 'missing-field',
    path: `${BUDGET}.schedule`,
    says: 'must be set together with duration',
  },
  'schedule-six-fields': { code: 'invalid-value', path: `${BUDGET}.schedule`, says: 'has 6 fields' },
  'budget-duration-in-seconds': {
    code: 'invalid-value',
    path: `${BUDGET}.duration`,
    says: 'must be hours and minutes such as 8h, 30m or 1h30m, not "30s"',
  },
  'budget-reason': {
    code: 'invalid-value',
    path: `${BUDGET}.reasons[1]`,
    says: 'must be one of Underutilized, Empty, Drifted, Unhealthy, not "Expired"',
  },
  'weight-0': { code: 'invalid-value', path: 'spec.weight', says: 'must be at least 1, not 0' },
  'weight-101': { code: 'invalid-value', path: 'spec.weight', says: 'must be at most 100, not 101' },
  'static-pool-weight': {
    code: 'unsupported',
    path: 'spec.weight',
    says: 'is not supported on a static NodePool, one with spec.replicas; remove it',
  },
  'v1beta1-when-empty': {
    code: 'missing-field',
    path: 'spec.disruption.consolidateAfter',
    says: 'is required with consolidationPolicy WhenEmpty',
  },
  'v1beta1-kubernetes-label': {
    code: 'restricted-label',
    path: 'spec.template.metadata.labels["node-role.kubernetes.io/worker"]',
    says: 'before karpenter.sh/v1 the label domain kubernetes.io is reserved',
  },
  'v1alpha5-empty-and-consolidation': {
    code: 'conflict',
    path: 'spec.ttlSecondsAfterEmpty',
    says: 'cannot be combined with consolidation.enabled',
  },
  'v1alpha5-provider-twice': {
    code: 'conflict',
    path: 'spec.provider',
    says: 'cannot be combined with providerRef',
  },
  'node-template-without-subnets': {
    code: 'missing-field',
    path: 'spec.subnetSelector',
    says: 'is required',
  },
  'role-and-instance-profile': {
    code: 'conflict',
    path: 'spec.instanceProfile',
    says: 'exactly one of role and instanceProfile',
  },
  'no-ami-terms': {
    code: 'invalid-value',
    path: 'spec.amiSelectorTerms',
    says: 'must not be empty',
  },
  'alias-with-other-terms': {
    code: 'conflict',
    path: 'spec.amiSelectorTerms[0].alias',
    says: 'cannot be combined with other terms',
  },
  'alias-without-version': {
    code: 'invalid-value',
    path: 'spec.amiSelectorTerms[0].alias',
    says: 'must look like family@version',
  },
  'alias-of-another-family': {
    code: 'conflict',
    path: 'spec.amiFamily',
    says: 'must be AL2023 or Custom with the alias al2023@latest',
  },
  'unknown-ami-family': {
    code: 'invalid-value',
    path: 'spec.amiFamily',
    says: 'must be one of AL2, AL2023, Bottlerocket, Windows2019, Windows2022, Windows2025, Custom',
  },
  'id-with-tags': {
    code: 'conflict',
    path: 'spec.subnetSelectorTerms[0].id',
    says: 'cannot be combined with tags',
  },
  'two-root-volumes': {
    code: 'conflict',
    path: 'spec.blockDeviceMappings[1].rootVolume',
    says: 'at most one may be marked',
  },
  'disk-without-size': {
    code: 'missing-field',
    path: 'spec.blockDeviceMappings[0].ebs',
    says: 'must have snapshotID or volumeSize',
  },
  'restricted-tag': {
    code: 'restricted-tag',
    path: 'spec.tags["kubernetes.io/cluster/demo"]',
    says: 'is restricted',
  },
  'soft-eviction-without-grace': {
    code: 'missing-field',
    path: 'spec.kubelet.evictionSoft["memory.available"]',
    says: 'needs an entry in evictionSoftGracePeriod',
  },
};
