/** Which nodes of a fleet of few go, which stay, and in which order. */
import { describeRefusal } from '../../../src/planning/disrupt/methods.js';
import type { DisruptionInput } from '../../../src/planning/disrupt/question/disruption.js';
import { answerTo, codesOf, commandsOf } from '../../planning/disrupt/answers.js';

export { answerTo, LARGE, SMALL, wasteful } from '../../planning/disrupt/answers.js';

/** `Reason node node`, in the order in which they go. */
export function going(input: DisruptionInput): readonly string[] {
  return commandsOf(answerTo(input));
}

/** `node Reason Code` of each node that stays for a rule. */
export function staying(input: DisruptionInput): readonly string[] {
  return codesOf(answerTo(input));
}

/** What is said of the nodes that stay. */
export function saidOf(input: DisruptionInput): readonly string[] {
  return answerTo(input).refusals.map(({ refusal }) => describeRefusal(refusal));
}
