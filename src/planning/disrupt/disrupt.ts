/** Disruption: which nodes go now, for which reason and with what instead; and why the others stay. */
import { consolidate, removeEmpty, steerable } from './consolidate.js';
import type { DisruptionAnswer, DisruptionInput, DisruptionOptions } from './disruption.js';
import { Draft } from './draft.js';
import { removeForced, replaceOutdated } from './replace-nodes.js';

/**
 * Decides about every node: those that must go first, then drift and expiration with replacements, then empty nodes,
 * then what saves most. Same input and options, same answer, whatever the order of the input; never throws.
 */
export function disrupt(input: DisruptionInput, options: DisruptionOptions): DisruptionAnswer {
  const draft = new Draft(input, options);
  removeForced(draft);
  replaceOutdated(draft);
  removeEmpty(draft);
  const candidates = steerable(draft);
  const cursor = consolidate(draft);
  const { commands, refusals, simulator } = draft;
  return { commands, refusals, candidates, cursor, simulations: simulator.made };
}
