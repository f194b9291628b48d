/** Labels and annotations in documents. */
import * as z from 'zod';
import { isLabelKey, type Labels } from '../../domain/values/labels.js';
import { refuse, withRule, type RuleContext } from '../decode/refuse.js';
import type { PairPart } from '../documents/document.js';
import { checkSupplied } from './requirement.js';
import { checkLabelKey, checkLabelValue, type LabelEra } from './label-rules.js';

type TextMap = z.ZodType<Record<string, string>, Record<string, string>>;

/** What is checked of each entry. */
interface EntryRules {
  key(key: string, context: RuleContext): void;
  value?(value: unknown, context: RuleContext): void;
}

/** A map of texts whose entries follow rules, also where one of them is no text. */
function textMap(description: string, rules: EntryRules): TextMap {
  return withRule(z.record(z.string(), z.string()), (map, context) => {
    for (const [key, value] of Object.entries(map)) {
      rules.key(key, within(context, key, 'key'));
      rules.value?.(value, within(context, key, 'value'));
    }
  }).describe(description);
}

/** Free text under label-like keys. */
export function annotations(description: string): TextMap {
  return textMap(description, { key: checkAnyKey });
}

/** Labels that users may choose freely, such as an object's own or a nodeSelector. */
export function anyLabels(description: string): TextMap {
  return textMap(description, { key: checkAnyKey, value: checkLabelValue });
}

const MOST_LABELS = 100;

/** Labels that a NodePool puts on its nodes. */
export function nodeLabels(era: LabelEra, description: string): TextMap {
  const map = textMap(description, {
    key: (key, context) => {
      checkLabelKey(key, era, context);
      checkSupplied(key, context);
    },
    value: checkLabelValue,
  });
  return map.refine(
    (value) => Object.keys(value).length <= MOST_LABELS,
    `must have at most ${String(MOST_LABELS)} entries`,
  );
}

/** The context at one entry of the map. */
function within(context: RuleContext, key: string, part: PairPart): RuleContext {
  return {
    addIssue: (issue) => {
      context.addIssue({ ...issue, path: [key, ...issue.path], params: { at: part, ...issue.params } });
    },
  };
}

function checkAnyKey(key: string, context: RuleContext): void {
  if (isLabelKey(key)) return;
  const text = 'is not a key: it must be a name of at most 63 characters after an optional DNS prefix and /';
  refuse(context, text);
}

/** The map as the domain has it. */
export function labelsOf(value: Readonly<Record<string, string>> | undefined): Labels {
  return new Map(Object.entries(value ?? {}));
}
