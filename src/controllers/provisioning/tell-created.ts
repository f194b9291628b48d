/** Counts a NodeClaim that was created because nodes are missing, and records for what. */
import { MIN_VALUES_RELAXED_ANNOTATION, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { OwnDecisionReason } from '../../domain/records/decision-reasons.js';
import type { PlannedClaim } from '../../planning/plan.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';

export interface CreatedNews {
  /** Follows `an instance of NodePool <name>`, without a full stop. */
  readonly why: string;
  readonly trigger: string;
  readonly related?: Parameters<Recorder['record']>[0]['related'];
}

/** Types named in a message. */
const FEW = 5;

export function tellCreated(
  { metrics, recorder }: { readonly metrics: Metrics; readonly recorder: Recorder },
  { name, uid, annotations, spec: { nodePool } }: NodeClaim,
  { instanceTypes }: Pick<PlannedClaim, 'instanceTypes'>,
  { why, trigger, related }: CreatedNews,
): void {
  const isRelaxed = annotations.get(MIN_VALUES_RELAXED_ANNOTATION) === 'true';
  metrics.nodeClaimsCreated.inc({
    nodepool: nodePool,
    reason: 'provisioned',
    min_values_relaxed: String(isRelaxed),
  });
  recorder.record({
    subject: { kind: 'NodeClaim', namespace: '', name, uid },
    action: 'Place',
    reason: 'Provisioned' satisfies OwnDecisionReason,
    message: `an instance of NodePool ${nodePool}${why}`,
    trigger,
    considered: instanceTypes.slice(0, FEW).join(', '),
    saving: undefined,
    ...(related && { related }),
    event: undefined,
  });
}
