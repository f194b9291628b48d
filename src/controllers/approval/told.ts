/** Telling the pods of a launch that a person has to approve, or has rejected. */
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { OwnDecisionReason } from '../../domain/records/decision-reasons.js';
import type { NewDecision } from '../../ports/recorder.js';

/** The launch waits; `name` is that of its Decision. */
export function awaitsApproval(pod: ObservedPod, name: string, what: string): NewDecision {
  return refusal(pod, {
    reason: 'AwaitsApproval',
    why: `a launch for it waits for approval: ${what}`,
    change: `approve it with \`berth approve ${name}\``,
  });
}

/** So many proposals wait already that the launch is not proposed yet. */
export function tooManyProposals(pod: ObservedPod, most: number): NewDecision {
  return refusal(pod, {
    reason: 'TooManyProposals',
    why: `a launch for it needs approval, and ${String(most)} launches wait for it already (--max-proposals)`,
    change: 'approve or reject some of them: `berth get decisions`',
  });
}

/** The launch was rejected; `why` says by whom. `until` is in milliseconds since 1970. */
export function launchRejected(pod: ObservedPod, why: string, until: number): NewDecision {
  return refusal(pod, {
    reason: 'LaunchRejected',
    why: `its launch was ${why}`,
    change: `it is proposed again at ${new Date(until).toISOString()}, or when the Decision is deleted`,
  });
}

interface Words {
  readonly reason: OwnDecisionReason;
  readonly why: string;
  readonly change: string;
}

function refusal({ namespace, name, uid }: ObservedPod, { reason, why, change }: Words): NewDecision {
  return {
    subject: { kind: 'Pod', namespace, name, uid },
    action: 'Refuse',
    reason,
    message: `${why}; ${change}`,
    reasons: [{ code: reason, nodePool: '', constraint: why, wanted: '', got: '', change }],
    trigger: 'batch',
    considered: '',
    saving: undefined,
    event: { type: 'Warning', reason: 'FailedScheduling' },
  };
}
