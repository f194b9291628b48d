/** NodeOverlays for tests: one about everything that changes nothing, but for what is overridden. */
import type { NodeOverlay, PriceChange } from '../../../src/domain/policies/node-overlay.js';
import type { JsonObject } from '../../../src/domain/policies/policy.js';
import type { Requirement } from '../../../src/domain/values/requirement.js';
import { requirementsOf } from '../../../src/domain/values/requirements.js';
import { amounts, type Quantities } from './pod.js';

export interface NodeOverlayOverrides {
  readonly name?: string;
  readonly weight?: number;
  readonly requirements?: readonly Requirement[];
  readonly price?: PriceChange;
  readonly capacity?: Quantities;
}

export function nodeOverlay({
  name = 'overlay',
  weight = 0,
  requirements = [],
  price,
  capacity = {},
}: NodeOverlayOverrides = {}): NodeOverlay {
  return { name, weight, requirements: requirementsOf(requirements), price, capacity: amounts(capacity) };
}

/** The document; about everything unless the spec says otherwise. */
export function nodeOverlayDocument(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name },
    spec: { requirements: [], ...spec },
  };
}
