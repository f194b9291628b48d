/** Taints in documents. */
import * as z from 'zod';
import { isLabelKey } from '../../domain/values/labels.js';
import { TAINT_EFFECTS, type Taint } from '../../domain/values/taint.js';
import { refuse, type RuleContext } from '../decode/refuse.js';

/** What one entry looks like once decoded. */
export interface TaintDocument {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: Taint['effect'];
  readonly timeAdded?: string | undefined;
}

const NOT_QUALIFIED =
  'must be a name of at most 63 letters, digits, -, _ and ., after an optional DNS prefix and /';

const taint = z.strictObject({
  key: z.string().refine(isLabelKey, NOT_QUALIFIED).describe('Key that a toleration must name.'),
  value: z
    .string()
    .refine((value) => value === '' || isLabelKey(value), NOT_QUALIFIED)
    .describe('Value that a toleration with operator Equal must name. Default: empty.')
    .optional(),
  effect: z
    .enum(TAINT_EFFECTS)
    .describe(
      'NoSchedule keeps pods away that do not tolerate it, PreferNoSchedule tries to, NoExecute also evicts those that run.',
    ),
  timeAdded: z.string().describe('When the taint was set; ignored.').optional(),
});

/** A list of taints. */
export function taintList(description: string): z.ZodType<TaintDocument[], TaintDocument[]> {
  return z.array(taint).describe(description);
}

/** Reports a key and effect that several taints of a pool share, over taints and startupTaints together. */
export function checkTaintsUnique(lists: Readonly<Record<string, unknown>>, context: RuleContext): void {
  const seen = new Set<string>();
  for (const [field, list] of Object.entries(lists)) {
    if (!Array.isArray(list)) continue;
    for (const [index, item] of (list as readonly unknown[]).entries()) {
      const name = keyAndEffect(item);
      if (name === undefined) continue;
      if (seen.has(name))
        refuse(
          context,
          `repeats the taint ${name}: key and effect must be unique over taints and startupTaints`,
          { path: [field, index], code: 'duplicate' },
        );
      seen.add(name);
    }
  }
}

function keyAndEffect(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { key, effect } = item as Partial<Record<string, unknown>>;
  return typeof key === 'string' && typeof effect === 'string' ? `${key}:${effect}` : undefined;
}

/** The taint as the domain has it. */
export function taintOf({ key, value, effect }: TaintDocument): Taint {
  return { key, value: value ?? '', effect };
}
