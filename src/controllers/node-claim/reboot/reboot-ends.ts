/** How reboots end: the node is back and takes pods again, or it is replaced. */
import {
  REBOOTING_TAINT,
  withRebootChange,
  type ClaimReboot,
  type RebootResult,
} from '../../../domain/nodes/claim-reboot.js';
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../../domain/nodes/observed-node.js';
import { unhealthy } from '../../../planning/disrupt/methods/unhealthy.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { Recorder } from '../../../ports/recorder.js';
import type { Metrics } from '../../../runtime/metrics/metrics.js';
import type { ClusterWriter } from '../../cluster-writer.js';
import { withConditions } from '../claim-conditions.js';
import { recordClaim, settleClaim } from '../record-claim.js';

interface RebootEndsOptions {
  readonly writer: ClusterWriter;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'reboots' | 'rebootDuration' | 'rebootRecovery'>;
}

/** A claim with its node and the reboot that is under way. */
export interface RebootStep {
  readonly claim: NodeClaim;
  readonly node: ObservedNode;
  readonly reboot: ClaimReboot;
}

export class RebootEnds {
  readonly #options: RebootEndsOptions;

  constructor(options: RebootEndsOptions) {
    this.#options = options;
  }

  /** Initialization follows: devices may take longer than Ready. */
  async succeeded({ claim, node, reboot }: RebootStep, signal: AbortSignal): Promise<void> {
    const { writer, clock, recorder, logger, metrics } = this.#options;
    await writer.patchNode(node, { taints: { remove: [REBOOTING_TAINT] } }, signal);
    const now = clock.now();
    const change = { type: 'Rebooting', status: 'False', reason: 'RebootSucceeded' } as const;
    const conditions = withConditions(claim, [change], now);
    const reboots = withRebootChange(claim, { endedAt: now, result: 'succeeded' });
    await writer.updateStatus(claim, { reboots, conditions }, signal);
    this.#count(reboot, 'succeeded', now);
    const seconds = (now - (reboot.issuedAt ?? now)) / 1000;
    metrics.rebootRecovery.observe(seconds);
    const message = `node ${node.name} is Ready again ${String(Math.round(seconds))} s after its reboot`;
    logger.info('Rebooted node', { nodeClaim: claim.name, node: node.name, seconds });
    settleClaim(recorder, claim, 'Disrupt', message);
    recordClaim(recorder, claim, { action: 'Register', reason: 'RebootObserved', message, event: 'Normal' });
  }

  /**
   * The node goes for the reason for which it was rebooted, and within the same bound; but for a request that the cloud calls wrong,
   * which says nothing about the node. The taint stays on a node that goes: its own follows.
   */
  async failed(
    { claim, node, reboot }: RebootStep,
    { result, why }: { readonly result: Exclude<RebootResult, 'succeeded'>; readonly why: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { writer, clock, recorder, logger } = this.#options;
    const stays = result === 'invalid_request';
    if (stays) await writer.patchNode(node, { taints: { remove: [REBOOTING_TAINT] } }, signal);
    const now = clock.now();
    const change = { type: 'Rebooting', status: 'False', reason: 'RebootFailed', message: why } as const;
    const conditions = withConditions(claim, [change], now);
    const reboots = withRebootChange(claim, { endedAt: now, result });
    const { terminationGracePeriodSeconds } = reboot;
    const disruption = { reason: unhealthy.reason, decidedAt: now, terminationGracePeriodSeconds };
    await writer.updateStatus(claim, { reboots, conditions, ...(!stays && { disruption }) }, signal);
    this.#count(reboot, result, now);
    const message = `${why}; ${stays ? 'the node stays as it is' : 'the node is replaced'}`;
    logger.warn('Reboot failed', { nodeClaim: claim.name, node: node.name, result, why });
    if (stays) settleClaim(recorder, claim, 'Disrupt', message);
    recordClaim(recorder, claim, { action: 'Disrupt', reason: 'RebootFailed', message, event: 'Warning' });
  }

  #count({ requestedAt }: ClaimReboot, result: RebootResult, now: number): void {
    const { reboots, rebootDuration } = this.#options.metrics;
    reboots.inc({ result });
    rebootDuration.observe({ result }, (now - requestedAt) / 1000);
  }
}
