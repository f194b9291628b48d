/** NodePools for tests, and pools with the types they offer. */
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { DEFAULT_ECONOMICS } from '../../../src/domain/policies/economics.js';
import type { NodePool, NodeTemplate } from '../../../src/domain/policies/node-pool.js';
import type { PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { ofTenancy, smallCatalogue } from './instance-type.js';
import { amounts, labels, type LabelRecord, type Quantities } from './pod.js';

export interface NodePoolOverrides
  extends
    Partial<Omit<NodeTemplate, 'labels' | 'annotations'>>,
    Partial<Omit<NodePool, 'template' | 'limits'>> {
  readonly labels?: LabelRecord;
  readonly limits?: Quantities;
}

/** A dynamic pool `default` of weight 0 without requirements, taints or limits; template fields are given flat. */
export function nodePool(overrides: NodePoolOverrides = {}): NodePool {
  const {
    name = 'default',
    weight = 0,
    disruption,
    limits,
    replicas,
    minimumNodes = 0,
    ...template
  } = overrides;
  return {
    name,
    weight,
    template: {
      annotations: labels(),
      taints: [],
      startupTaints: [],
      requirements: [],
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      expireAfterSeconds: 720 * 3600,
      terminationGracePeriodSeconds: undefined,
      ...template,
      labels: labels(template.labels),
    },
    disruption: disruption ?? {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfterSeconds: 0,
      budgets: [{ nodes: { percent: 10 }, reasons: undefined, window: undefined }],
      loadBudgets: [],
      windows: [],
      freezes: [],
      clusterBudgets: [],
      expiration: 'Forceful',
      economics: DEFAULT_ECONOMICS,
      terminateFirst: false,
      driftRollout: undefined,
      mostUnhealthyPercent: 20,
      repairPolicies: [],
    },
    limits: amounts(limits ?? {}),
    replicas,
    minimumNodes,
  };
}

/** The pool with the small catalogue, or with the types given. */
export function poolOffer(
  overrides: NodePoolOverrides = {},
  instanceTypes: readonly InstanceType[] | undefined = smallCatalogue(),
): PoolOffer {
  return { pool: nodePool(overrides), instanceTypes };
}

/** The pool with these types as they are usually, and as dedicated instances. */
export function poolOfTenancies(
  overrides: NodePoolOverrides = {},
  types: readonly InstanceType[] = smallCatalogue(),
): PoolOffer {
  return {
    ...poolOffer(overrides, ofTenancy(types, 'default')),
    dedicatedTypes: ofTenancy(types, 'dedicated'),
  };
}
