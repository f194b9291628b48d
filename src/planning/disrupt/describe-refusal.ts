/** The words of refusals, whichever method they come from. */
import { METHODS } from './methods.js';
import { RULE_TEXTS, type Refusal, type RefusalTexts } from './question/refusal.js';

const TEXTS: readonly RefusalTexts[] = [RULE_TEXTS, ...METHODS.flatMap(({ refusals }) => refusals ?? [])];
const WORDS = new Map(TEXTS.flatMap(({ words }) => Object.entries(words)));
const QUIET = new Set(TEXTS.flatMap(({ quiet }) => quiet));

/** The refusal in one sentence: what stands in the way, and the nearest thing that would have to change. */
export function describeRefusal(refusal: Refusal): string {
  return WORDS.get(refusal.code)?.(refusal as never) ?? refusal.code;
}

/** Whether people should hear of the refusal: not of what passes by itself, or was asked for. */
export function isNews({ code }: Refusal): boolean {
  return !QUIET.has(code);
}
