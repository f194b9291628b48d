/** Node pools and DaemonSets that the generated workloads have in common. */
import { ARCH, CAPACITY_TYPE, INSTANCE_PREFIX } from '../../src/domain/values/labels.js';
import type { NeutralDaemonSet, NeutralPool, NeutralRequirement } from './workload.js';

export type Purchase = 'on-demand' | 'spot';

export const GENERAL_PURPOSE = oneOf(`${INSTANCE_PREFIX}category`, 'c', 'm', 'r');

/** `key In [values]`. */
export function oneOf(key: string, ...values: readonly string[]): NeutralRequirement {
  return { key, operator: 'In', values };
}

export function neutralPool(
  pool: Pick<NeutralPool, 'name' | 'weight' | 'requirements'> & Partial<NeutralPool>,
): NeutralPool {
  return { taints: [], limits: {}, ...pool };
}

/** One pool of c, m and r types of both architectures; with `spot` it may buy both ways. */
export function defaultPool(purchase: Purchase): NeutralPool {
  const capacityTypes = purchase === 'spot' ? ['spot', 'on-demand'] : ['on-demand'];
  const requirements = [
    oneOf(CAPACITY_TYPE, ...capacityTypes),
    oneOf(ARCH, 'amd64', 'arm64'),
    GENERAL_PURPOSE,
  ];
  return neutralPool({ name: 'default', weight: 10, requirements });
}

/** What every node runs. */
export const AGENTS: readonly NeutralDaemonSet[] = [
  { name: 'kube-proxy', requests: { cpu: '100m', memory: '128Mi' }, tolerateAll: true },
  { name: 'node-agent', requests: { cpu: '150m', memory: '256Mi' }, tolerateAll: true },
];
