/**
 * Disruption: which nodes go now, for which reason and with what instead; and why the others stay. The methods are in their order:
 * the most urgent first, and each presumes what those before it have decided.
 */
import type { Method } from './method.js';
import { consolidation } from './methods/consolidation.js';
import { drift } from './methods/drift.js';
import { emptiness } from './methods/emptiness.js';
import { expiration } from './methods/expiration.js';
import { interruption } from './methods/interruption.js';
import { unhealthy } from './methods/unhealthy.js';
import type { DisruptionAnswer, DisruptionInput, DisruptionOptions } from './question/disruption.js';
import { DisruptionMemory, Draft } from './draft.js';
import { RULE_TEXTS, type Refusal, type RefusalTexts } from './question/refusal.js';

export const METHODS: readonly Method[] = [
  interruption,
  unhealthy,
  expiration,
  drift,
  emptiness,
  consolidation,
];
const TEXTS: readonly RefusalTexts[] = [RULE_TEXTS, ...METHODS.flatMap(({ refusals }) => refusals ?? [])];
const WORDS = new Map(TEXTS.flatMap(({ words }) => Object.entries(words)));
const QUIET = new Set(TEXTS.flatMap(({ quiet }) => quiet));

/** The method with this reason; undefined when there is none. */
export function methodOf(reason: string | undefined): Method | undefined {
  return METHODS.find((method) => method.reason === reason);
}

/**
 * Decides about every node, method after method. Same input and options, same answer, whatever the order of the input;
 * never throws of itself. What is remembered of earlier questions makes this one quicker.
 * @param checkpoint called between pieces of work; what it throws ends the work, without an answer, and nothing that is
 * remembered is wrong then.
 */
export function disrupt(
  input: DisruptionInput,
  options: DisruptionOptions,
  memory = new DisruptionMemory(),
  checkpoint: () => void = () => undefined,
): DisruptionAnswer {
  checkpoint();
  const draft = new Draft(input, options, { methods: METHODS, memory, checkpoint });
  draft.placeDemand();
  for (const method of METHODS) method.decide(draft);
  const { commands, refusals, steerable: candidates, emptying, cursor, simulator } = draft;
  return { commands, refusals, candidates, emptying, cursor, simulations: simulator.made };
}

/** The refusal in one sentence: what stands in the way, and the nearest thing that would have to change. */
export function describeRefusal(refusal: Refusal): string {
  return WORDS.get(refusal.code)?.(refusal as never) ?? refusal.code;
}

/** Whether people should hear of the refusal: not of what passes by itself, or was asked for. */
export function isNews({ code }: Refusal): boolean {
  return !QUIET.has(code);
}
