/** Label selectors in documents: matchLabels and matchExpressions. */
import * as z from 'zod';
import { isLabelKey, isLabelValue } from '../../domain/values/labels.js';
import type { LabelSelector } from '../../domain/values/label-selector.js';
import { requirement } from '../../domain/values/requirement.js';
import { requirementsOf } from '../../domain/values/requirements.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';
import { anyLabels } from './label-map.js';

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

const expression = z.strictObject({
  key: z.string().refine(isLabelKey, 'must be a label').describe('Label that is compared.'),
  operator: z
    .enum(OPERATORS)
    .describe('In and NotIn compare with values; Exists and DoesNotExist look at the label alone.'),
  values: z
    .array(z.string().refine(isLabelValue, 'must be a label value'))
    .describe('Values for In and NotIn; none for Exists and DoesNotExist.')
    .optional(),
});

/** A selector; all entries must hold, and an empty one selects everything. */
export function labelSelector(description: string): z.ZodType<SelectorDocument, SelectorDocument> {
  return z
    .strictObject({
      matchLabels: anyLabels('Labels that must have exactly these values.').optional(),
      matchExpressions: z
        .array(withRule(expression, checkExpression))
        .describe('Comparisons that must all hold.')
        .optional(),
    })
    .describe(description);
}

/** What a selector looks like once decoded. */
export interface SelectorDocument {
  readonly matchLabels?: Record<string, string> | undefined;
  readonly matchExpressions?: z.output<typeof expression>[] | undefined;
}

function checkExpression({ operator, values }: Loose, context: RuleContext): void {
  const isEmpty = values === undefined || (Array.isArray(values) && values.length === 0);
  const needsValues = operator === 'In' || operator === 'NotIn';
  if (needsValues && isEmpty)
    refuse(context, `needs at least one value with operator ${operator}`, {
      path: ['values'],
      code: 'missing-value',
    });
  if ((operator === 'Exists' || operator === 'DoesNotExist') && !isEmpty)
    refuse(context, `must be empty with operator ${operator}`, { path: ['values'] });
}

/** The selector as the domain has it; a missing one selects everything. */
export function labelSelectorOf(selector: SelectorDocument | undefined): LabelSelector {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) =>
    requirement(key, 'In', [value]),
  );
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values }) =>
    requirement(key, operator, values),
  );
  return { requirements: requirementsOf([...labels, ...expressions]) };
}
