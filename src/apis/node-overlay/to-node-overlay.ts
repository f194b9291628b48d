/** A NodeOverlay document as the domain has it. */
import type { NodeOverlay, PriceChange } from '../../domain/policies/node-overlay.js';
import { requirementsOf } from '../../domain/values/requirements.js';
import { resourceListOf } from '../fields/amount.js';
import { requirementOf } from '../fields/requirement.js';
import type { NodeOverlayDocument } from './v1alpha1.js';

/** The overlay that a document describes. */
export function toNodeOverlay({ metadata, spec }: NodeOverlayDocument): NodeOverlay {
  return {
    name: metadata.name,
    weight: spec.weight ?? 0,
    requirements: requirementsOf(spec.requirements.map(requirementOf)),
    price: priceChange(spec),
    capacity: resourceListOf(spec.capacity ?? {}),
  };
}

function priceChange({ price, priceAdjustment }: NodeOverlayDocument['spec']): PriceChange | undefined {
  if (price !== undefined) return { kind: 'absolute', value: Number(price) };
  if (priceAdjustment === undefined) return undefined;
  return priceAdjustment.endsWith('%')
    ? { kind: 'percentage', value: Number(priceAdjustment.slice(0, -1)) }
    : { kind: 'difference', value: Number(priceAdjustment) };
}
