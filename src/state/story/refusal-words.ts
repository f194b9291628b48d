/** Takes a refusal's message apart: what each pool lacks, and what would have to change. */
import type { Decision } from '../../domain/decision.js';
import type { StoryOption } from './story.js';

/** `NodePool a: sentence; change; NodePool b: …`, as refusals are written; a sentence may hold semicolons itself. */
const BETWEEN_POOLS = /; (?=NodePool \S+: )/;
const POOL = /^NodePool (\S+): (.*)$/s;

export interface PoolVerdict extends StoryOption {
  /** The nearest change that would help; '' where none is named. */
  readonly change: string;
}

/** What a message says of the pools that it does not name. */
const REST = /(^|; )\d+ more NodePools?: see berth explain .*$/;

/** One for each pool that a refusal names, the nearest first, those that its message leaves out among them. */
export function refusalVerdicts({ message, considered }: Decision['spec']): readonly PoolVerdict[] {
  // Decisions of earlier versions have the names of the pools there.
  return [...poolVerdicts(message), ...(POOL.test(considered) ? poolVerdicts(considered) : [])];
}

/** One for each pool, in the order of the message; without a name where the reason is no pool's. */
export function poolVerdicts(message: string): readonly PoolVerdict[] {
  return message
    .replace(REST, '')
    .split(BETWEEN_POOLS)
    .filter((part) => part !== '')
    .map((part) => {
      const [, pool, said] = POOL.exec(part) ?? [];
      const [verdict = '', ...changes] = (said ?? part).split('; ');
      return {
        name: pool === undefined ? '' : `NodePool ${pool}`,
        verdict,
        chosen: false,
        change: changes.join('; '),
      };
    });
}
