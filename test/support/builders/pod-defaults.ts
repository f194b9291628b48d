/** PodDefaults for tests: one that says nothing, but for what is overridden. */
import { EVERYTHING, type LabelSelector } from '../../../src/domain/values/label-selector.js';
import type { PodDefaults, StampedToleration } from '../../../src/domain/policies/pod-defaults.js';
import { requirementsFromLabels } from '../../../src/domain/values/requirements.js';
import { labels } from './pod.js';

type Entries = Readonly<Record<string, string>>;

export type PodDefaultsOverrides = Partial<
  Omit<PodDefaults, 'nodeSelector' | 'namespaceSelector' | 'podSelector' | 'tolerations'>
> & {
  readonly nodeSelector?: Entries;
  /** Labels that namespaces must have. */
  readonly namespaceSelector?: Entries;
  /** Labels that pods must have. */
  readonly podSelector?: Entries;
  readonly tolerations?: readonly Partial<StampedToleration>[];
};

/** PodDefaults `defaults` for all pods everywhere, which stamps nothing. */
export function podDefaults(overrides: PodDefaultsOverrides = {}): PodDefaults {
  const { nodeSelector = {}, namespaceSelector, podSelector, tolerations = [], ...others } = overrides;
  return {
    name: 'defaults',
    priority: 0,
    architecture: undefined,
    capacityType: undefined,
    nodePool: undefined,
    spread: { zone: undefined, host: undefined },
    schedulerName: undefined,
    schedulingGate: undefined,
    mode: 'stamp',
    ...others,
    nodeSelector: labels(nodeSelector),
    namespaceSelector: selector(namespaceSelector),
    podSelector: selector(podSelector),
    tolerations: tolerations.map(stampedToleration),
  };
}

function selector(entries: Entries | undefined): LabelSelector {
  return entries === undefined ? EVERYTHING : { requirements: requirementsFromLabels(labels(entries)) };
}

function stampedToleration(overrides: Partial<StampedToleration>): StampedToleration {
  return {
    key: '',
    operator: 'Exists',
    value: '',
    effect: undefined,
    tolerationSeconds: undefined,
    ...overrides,
  };
}
