/** Disruption: which nodes go now, for which reason and with what instead; and why the others stay. */
import type { DisruptionAnswer, DisruptionInput, DisruptionOptions } from './question/disruption.js';
import { DisruptionMemory, Draft } from './draft.js';
import { METHODS } from './methods.js';

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
