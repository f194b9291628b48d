/** How rules inside schemas report: zod's custom issues, with Berth's code, allowed set and guess. */
import type * as z from 'zod';
import type { Finding } from './findings.js';

/** What a rule may say beyond its text. */
export type RuleDetails = Partial<Pick<Finding, 'code' | 'path' | 'allowed' | 'guess' | 'at'>>;

/** The part of zod's refinement context that rules use. */
export interface RuleContext {
  addIssue(issue: { code: 'custom'; message: string; path: (string | number)[]; params: RuleDetails }): void;
}

/** Reports at `path` below the value that the rule belongs to. */
export function refuse(context: RuleContext, text: string, details: RuleDetails = {}): void {
  context.addIssue({ code: 'custom', message: text, path: [...(details.path ?? [])], params: details });
}

/** An object as a rule sees it when some of its fields may be wrong. */
export type Loose = Readonly<Record<string, unknown>>;

/**
 * Adds a rule over several fields that is asked even when one of them is wrong, so that all issues come at once.
 * The rule must therefore not trust the type of anything it reads.
 */
export function withRule<T extends z.ZodType>(
  schema: T,
  rule: (value: Loose, context: RuleContext) => void,
): T {
  return schema.superRefine(
    (value: unknown, context) => {
      if (typeof value === 'object' && value !== null) rule(value as Loose, context);
    },
    { when: () => true },
  );
}
