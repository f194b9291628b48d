/**
 * Reasons of Decisions that are neither reasons of events nor codes of planning or disruption: docs/reference/reasons.md is
 * written from this table and theirs.
 */

/** What a Decision with it says, and what a user does about it. Texts without a full stop. */
interface DecisionRow {
  readonly when: string;
  /** '' where nothing has to be done. */
  readonly remedy: string;
}

export const DECISION_REASONS = {
  AwaitsApproval: {
    when: 'a launch for the pod, or the disruption of the node, waits for approval (`--mode approve`)',
    remedy: '`berth approve` or `berth reject` with the name that the message has',
  },
  DisruptionTakenBack: {
    when: 'a disruption was canceled before the node was removed; the message has the reason',
    remedy: '',
  },
  InsufficientCapacity: {
    when: 'none of the offerings that are compatible with the NodeClaim is available',
    remedy: 'allow more instance types, zones or capacity types if it persists',
  },
  LaunchRejected: {
    when: 'the launch that was proposed for the pod was rejected; it is not proposed again for a while',
    remedy: 'delete the Decision to have it proposed again',
  },
  OrphanedInstance: { when: 'an instance without a NodeClaim was terminated', remedy: '' },
  Paused: { when: 'the pod was not planned because Berth is paused', remedy: '`berth resume` ends it' },
  PendingPods: {
    when: 'a launch for pending pods is proposed (`--mode approve`)',
    remedy: '`berth approve` or `berth reject`',
  },
  PlaceNotWritten: {
    when: 'the NodeClaim or Reservation of the pod could not be written; the pod will be planned again',
    remedy: 'check the permissions of Berth and the admission webhooks if it repeats',
  },
  PoliciesNotReady: {
    when: 'the pod was planned without policies that are not ready; the message names them',
    remedy: 'fix the policies that the message names',
  },
  Provisioned: {
    when: 'a NodeClaim was created for the pods that the message names, or for `spec.replicas` or `berth.minimumNodes` of its NodePool',
    remedy: '',
  },
  SpotInterruption: {
    when: 'the spot instance is reclaimed in two minutes; it is replaced and drained',
    remedy: '',
  },
  TooManyProposals: {
    when: 'a launch for the pod needs approval, and as many launches as `--max-proposals` wait for it already',
    remedy: 'approve or reject some of them',
  },
  Unschedulable: { when: 'the pod has no place and no NodePool gave a reason', remedy: '' },
} as const satisfies Readonly<Record<string, DecisionRow>>;

export type OwnDecisionReason = keyof typeof DECISION_REASONS;
