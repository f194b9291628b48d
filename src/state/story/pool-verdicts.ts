/** A refusal pool by pool: what each lacks, and what would have to change. */
import type { Decision, DecisionReason } from '../../domain/records/decision.js';
import { describeChange } from '../../planning/describe-reason.js';
import type { StoryOption } from './story.js';

export interface PoolVerdict extends StoryOption {
  /** The nearest change that would help; '' where none is known. */
  readonly change: string;
}

/** One for each pool of a refusal, the nearest first; without a name where the reason is about no pool. */
export function poolVerdicts({ message, reasons = [] }: Decision['spec']): readonly PoolVerdict[] {
  if (reasons.length === 0)
    return message === '' ? [] : [{ name: '', verdict: message, chosen: false, change: '' }];
  const pools = [...new Set(reasons.map(({ nodePool }) => nodePool))];
  return pools.map((pool) =>
    verdict(
      pool,
      reasons.filter(({ nodePool }) => nodePool === pool),
    ),
  );
}

function verdict(pool: string, reasons: readonly DecisionReason[]): PoolVerdict {
  return {
    name: pool === '' ? '' : `NodePool ${pool}`,
    verdict: reasons[0]?.constraint ?? '',
    chosen: false,
    change: describeChange(reasons),
  };
}
