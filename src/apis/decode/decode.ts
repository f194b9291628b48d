/** One document against one schema. */
import type * as z from 'zod';
import { describeZodIssue } from './describe-zod-issue.js';
import type { Findings } from './findings.js';
import { withoutNulls } from './schema-tree.js';

/** The document as the schema describes it, defaults applied; undefined, and errors in `findings`, when it does not fit. */
export function decodeValue<T extends z.ZodType>(
  schema: T,
  value: unknown,
  findings: Findings,
): z.output<T> | undefined {
  const result = schema.safeParse(withoutNulls(value, schema), { reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    for (const describe of describeZodIssue(issue, schema)) findings.error(describe);
  }
  return undefined;
}
