/** The order of reasons and nodes. */
import { DISRUPTION_REASONS, type DisruptionReason } from './disruption.js';

interface Named {
  readonly node: string;
  readonly reason: DisruptionReason;
}

/** The most urgent first. */
export function byReason(left: Pick<Named, 'reason'>, right: Pick<Named, 'reason'>): number {
  return DISRUPTION_REASONS.indexOf(left.reason) - DISRUPTION_REASONS.indexOf(right.reason);
}

export function byNodeAndReason(left: Named, right: Named): number {
  if (left.node === right.node) return byReason(left, right);
  return left.node < right.node ? -1 : 1;
}
