/** Labels and annotations in documents. */
import { z } from 'zod';
import { isLabelKey, type Labels } from '../../domain/labels.js';
import { refuse, type RuleContext } from '../decode/refuse.js';
import { checkLabelKey, checkLabelValue, type LabelEra } from './label-rules.js';

type TextMap = z.ZodType<Record<string, string>, Record<string, string>>;

/** Free text under label-like keys. */
export function annotations(description: string): TextMap {
  return z
    .record(z.string(), z.string())
    .superRefine((value, context) => {
      for (const key of Object.keys(value)) checkAnyKey(key, at(context, key));
    })
    .describe(description);
}

/** Labels that users may choose freely, such as an object's own or a nodeSelector. */
export function anyLabels(description: string): TextMap {
  return z
    .record(z.string(), z.string())
    .superRefine((value, context) => {
      for (const [key, text] of Object.entries(value)) {
        checkAnyKey(key, at(context, key));
        checkLabelValue(text, at(context, key));
      }
    })
    .describe(description);
}

/** Labels that a NodePool puts on its nodes. */
export function nodeLabels(era: LabelEra, description: string): TextMap {
  return z
    .record(z.string(), z.string())
    .superRefine((value, context) => {
      const count = Object.keys(value).length;
      if (count > MOST_LABELS)
        refuse(context, `must have at most ${String(MOST_LABELS)} entries, not ${String(count)}`);
      for (const [key, text] of Object.entries(value)) {
        checkLabelKey(key, era, at(context, key));
        checkLabelValue(text, at(context, key));
      }
    })
    .describe(description);
}

const MOST_LABELS = 100;

/** The context one key deeper. */
function at(context: RuleContext, key: string): RuleContext {
  return {
    addIssue: (issue) => {
      context.addIssue({ ...issue, path: [key, ...issue.path] });
    },
  };
}

function checkAnyKey(key: string, context: RuleContext): void {
  if (!isLabelKey(key))
    refuse(
      context,
      'is not a key: it must be a name of at most 63 characters after an optional DNS prefix and /',
      { at: 'key' },
    );
}

/** The map as the domain has it. */
export function labelsOf(value: Readonly<Record<string, string>> | undefined): Labels {
  return new Map(Object.entries(value ?? {}));
}
