/** Shares as documents write them. */
import * as z from 'zod';

/** From `0%` to `100%`. */
export function percentage(description: string): z.ZodString {
  return z
    .string()
    .regex(/^(?:100|[0-9]{1,2})%$/, 'must be a percentage from "0%" to "100%"')
    .describe(description);
}
