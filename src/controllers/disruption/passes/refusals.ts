/** Tells why nodes stay: one reason for each node, the one that says most, and again only when it changes. */
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { NodeRefusal } from '../../../planning/disrupt/question/disruption.js';
import { describeRefusal, isNews } from '../../../planning/disrupt/describe-refusal.js';
import { methodOf } from '../../../planning/disrupt/methods.js';
import type { Recorder } from '../../../ports/recorder.js';
import { recordClaim } from '../../node-claim/index.js';

export function tellRefusals(
  recorder: Recorder,
  refusals: readonly NodeRefusal[],
  claimOf: (nodeName: string) => NodeClaim | undefined,
): void {
  const told = new Set<string>();
  for (const { node, reason, refusal } of refusals) {
    const claim = told.has(node) || !isNews(refusal) ? undefined : claimOf(node);
    if (claim === undefined) continue;
    told.add(node);
    const isConsolidation = methodOf(reason)?.consolidationType !== undefined;
    recordClaim(recorder, claim, {
      action: 'Refuse',
      reason: refusal.code,
      message: `${reason}: ${describeRefusal(refusal)}`,
      trigger: 'disruption',
      event: { type: 'Normal', reason: isConsolidation ? 'Unconsolidatable' : 'DisruptionBlocked' },
    });
  }
}
