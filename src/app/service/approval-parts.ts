/** What records decisions, has people approve them, and tells people: built together, for each needs the one before. */
import { webhookChannel } from '../../adapters/notifications/webhook-channel.js';
import { ApprovalController } from '../../controllers/approval/approval-controller.js';
import { LaunchApprovals } from '../../controllers/approval/launch-approvals.js';
import { Proposals } from '../../controllers/approval/proposals.js';
import { DisruptionApprovals } from '../../controllers/disruption/commands/disruption-approvals.js';
import { Notifications } from '../../controllers/notifying/notifications.js';
import { notifyingRecorder } from '../../controllers/notifying/notifying-recorder.js';
import { RecordingController } from '../../controllers/recording/recording-controller.js';
import type { KubeWriter } from '../../ports/kube-writer.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Base } from './base.js';

export interface ApprovalParts {
  readonly recorder: Recorder;
  /** undefined where nothing waits for approval. */
  readonly launchApprovals: LaunchApprovals | undefined;
  readonly approvals: DisruptionApprovals | undefined;
  readonly controllers: readonly { run(signal: AbortSignal): Promise<void> }[];
}

export function approvalParts(base: Base, kube: KubeWriter): ApprovalParts {
  const { cluster, clock, random, metrics, logger, options } = base;
  const common = { cluster, kube, clock, random, logger, metrics };
  const notifications = notificationsOf(base);
  const proposals = new Proposals({
    ...common,
    settings: options,
    tell: (kind, text) => notifications?.tell(kind, text),
  });
  const recording = new RecordingController({
    ...common,
    mostDecisions: options.decisionsKept,
    isNeeded: (decision) => proposals.isNeeded(decision),
  });
  const recorder = notifyingRecorder({ recorder: recording, notifications, clock });
  const isOn = options.mode === 'approve';
  const approving = { ...common, recorder, proposals };
  return {
    recorder,
    launchApprovals: isOn ? new LaunchApprovals(approving) : undefined,
    approvals: isOn ? new DisruptionApprovals(approving) : undefined,
    controllers: [
      recording,
      new ApprovalController({ ...approving, isOn }),
      ...(notifications === undefined ? [] : [notifications]),
    ],
  };
}

/** What notifies people; undefined where no notification is wanted. */
function notificationsOf({ clock, random, logger, metrics, options }: Base): Notifications | undefined {
  const { notifyURL: url, notifyOn: kinds, clusterName = '' } = options;
  if (url === undefined) return undefined;
  const channel = webhookChannel({ url, clock });
  return new Notifications({ channel, kinds, clusterName, clock, random, logger, metrics });
}
