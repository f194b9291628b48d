/** A PodDefaults document as the domain has it. */
import type { PodDefaults } from '../../domain/policies/pod-defaults.js';
import { labelsOf } from '../fields/label-map.js';
import { labelSelectorOf } from '../fields/label-selector.js';
import type { PodDefaultsDocument } from './v1.js';

/** What the document asks the webhook for. */
export function toPodDefaults({ metadata, spec }: PodDefaultsDocument): PodDefaults {
  const { priority, architecture, capacityType, nodePool, schedulerName, mode } = spec;
  return {
    name: metadata.name,
    priority,
    namespaceSelector: labelSelectorOf(spec.namespaceSelector),
    podSelector: labelSelectorOf(spec.podSelector),
    architecture,
    capacityType,
    nodePool,
    spread: { zone: spec.spread?.zone, host: spec.spread?.host },
    nodeSelector: labelsOf(spec.nodeSelector),
    tolerations: (spec.tolerations ?? []).map(({ key, operator, value, effect, tolerationSeconds }) => ({
      key: key ?? '',
      operator,
      value: value ?? '',
      effect,
      tolerationSeconds,
    })),
    schedulerName,
    mode,
  };
}
