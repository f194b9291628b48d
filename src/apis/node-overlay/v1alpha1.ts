/** NodeOverlay of karpenter.sh/v1alpha1. */
import * as z from 'zod';
import { canonicalLabel, NODEPOOL } from '../../domain/values/labels.js';
import { REQUIREMENT_OPERATORS } from '../../domain/values/requirement.js';
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS } from '../../domain/values/resources.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';
import { amounts } from '../fields/amount.js';
import { checkLabelKey } from '../fields/label-rules.js';
import { envelope } from '../fields/metadata.js';
import { checkRequirement, MOST_REQUIREMENTS, operatorsText, VALUES } from '../fields/requirement.js';

const PRICE = /^\d+(?:\.\d+)?$/;
/** A sign always, so that no change is taken for a price; nothing gets cheaper by more than all of it. */
const CHANGE = /^(?:[+-]\d*\.?\d+|\+\d*\.?\d+%|-\d{1,2}(?:\.\d+)?%|-100%)$/;
const MOST_WEIGHT = 10_000;
/** What every node has; overlays add to it, and change none of it. */
const STANDARD_RESOURCES = [CPU, MEMORY, EPHEMERAL_STORAGE, PODS];

const entry = z.strictObject({
  key: z
    .string()
    .superRefine((key, context) => {
      if (canonicalLabel(key) !== NODEPOOL) checkLabelKey(key, 'v1', context);
    })
    .describe(
      'Label of an instance type (karpenter.k8s.aws/instance-family), an offering (topology.kubernetes.io/zone, karpenter.sh/capacity-type) or a pool (karpenter.sh/nodepool, or one of its template).',
    ),
  operator: z.enum(REQUIREMENT_OPERATORS).describe(operatorsText(REQUIREMENT_OPERATORS)),
  values: z.array(z.string()).describe(VALUES).optional(),
});

const spec = z
  .strictObject({
    requirements: z
      .array(withRule(entry, checkRequirement))
      .max(MOST_REQUIREMENTS)
      .describe(
        'Requirements that select instance types and offerings; all must be met. An empty list selects all. At most 100.',
      ),
    weight: z
      .int()
      .min(1)
      .max(MOST_WEIGHT)
      .describe(
        'If several overlays change the same value, the one with the highest weight applies, from 1 to 10000. Default: 0.',
      )
      .optional(),
    price: z
      .string()
      .refine((text) => PRICE.test(text), 'must be a price in USD/h in quotes, such as "0.05"; 0 is allowed')
      .describe(
        'Price in USD/h that replaces the list price of offerings, such as the rest under a commitment. Not together with priceAdjustment.',
      )
      .optional(),
    priceAdjustment: z
      .string()
      .refine(
        (text) => CHANGE.test(text),
        'must be a change with its sign in quotes, such as "+10%", "-15%" or "+0.02"; -100% is the most that can be taken off',
      )
      .describe(
        'Change of the list price, in percent of it (-15%) or in USD/h (+0.02: a licence). The result is never below 0. Not together with price.',
      )
      .optional(),
    capacity: withRule(amounts('Resource name → quantity.'), checkExtended)
      .describe(
        'Additional extended resources of nodes of these types. Not cpu, memory, ephemeral-storage or pods. Default: none.',
      )
      .optional(),
  })
  .describe('The selected instance types, and what is changed for them.');

/** Schema of the document. */
export const nodeOverlayV1Alpha1 = z
  .strictObject({
    ...envelope('karpenter.sh/v1alpha1', 'NodeOverlay'),
    spec: withRule(spec, checkOnePrice),
  })
  .describe('Changes to prices and resources of instance types for planning.');

/** The document as users write it. */
export type NodeOverlayInput = z.input<typeof nodeOverlayV1Alpha1>;
/** The document, decoded. */
export type NodeOverlayDocument = z.output<typeof nodeOverlayV1Alpha1>;

function checkOnePrice({ price, priceAdjustment }: Loose, context: RuleContext): void {
  if (price === undefined || priceAdjustment === undefined) return;
  refuse(context, 'cannot be combined with price', {
    path: ['priceAdjustment'],
    code: 'conflict',
    at: 'key',
  });
}

function checkExtended(value: Loose, context: RuleContext): void {
  for (const name of Object.keys(value)) {
    if (!STANDARD_RESOURCES.includes(name)) continue;
    refuse(context, 'is a resource of every node: only extended resources can be added', {
      path: [name],
      at: 'key',
    });
  }
}
