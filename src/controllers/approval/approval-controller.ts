/**
 * Follows proposals: takes up what people say to them, approves those that need no approval any more, and ends those that
 * have lost their meaning. All that it knows is in the Decisions, so that another process continues where this one died.
 */
import { phaseOf, isProposal, type ProposedDecision } from '../../domain/records/decision.js';
import { PROPOSED_ACTS } from '../../domain/records/proposal.js';
import { counted } from '../../domain/values/text.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { whileObserving } from '../while-observing.js';
import { APPROVAL_MILLIS } from './approval-settings.js';
import { spentUnder } from './launch-approvals.js';
import type { Advance, Proposals } from './proposals.js';
import { launchRejected } from './told.js';

export interface ApprovalControllerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly recorder: Recorder;
  readonly proposals: Proposals;
  /** Otherwise proposals that were made before are ended. */
  readonly isOn: boolean;
}

/** Between two looks, unless a proposal changes. */
const LOOK_MILLIS = 5000;
const MINUTE_MILLIS = 60_000;
/** Who approves what no person had to. */
const AUTOMATIC = 'berth';

export class ApprovalController {
  readonly #options: ApprovalControllerOptions;
  #wake: () => void = () => undefined;
  #hasChanged = true;

  constructor(options: ApprovalControllerOptions) {
    this.#options = options;
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => [
      cluster.decisions.subscribe(({ before, after }) => {
        const decision = after ?? before;
        if (decision === undefined || !isProposal(decision)) return;
        this.#hasChanged = true;
        this.#wake();
      }),
    ];
    return whileObserving(
      { cluster, kinds: ['Decision', 'Pod', 'NodeClaim'], signal, subscribe },
      async () => {
        this.#options.proposals.remind();
        while (!signal.aborted) {
          this.#hasChanged = false;
          await this.#look(signal);
          await this.#pause(signal);
        }
      },
    );
  }

  /** A proposal that could not be written to has its turn again in the next look. */
  async #look(signal: AbortSignal): Promise<void> {
    const { logger, metrics, proposals } = this.#options;
    for (const decision of proposals.all()) {
      try {
        await this.#step(decision, signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn('Failed to write to a proposal', { decision: decision.name, error });
      }
    }
    for (const act of PROPOSED_ACTS)
      metrics.decisionsProposed.set({ action: act.toLowerCase() }, proposals.in('Proposed', act).length);
  }

  async #step(decision: ProposedDecision, signal: AbortSignal): Promise<void> {
    const { proposals } = this.#options;
    const advance = this.#next(decision);
    if (advance === undefined || !(await proposals.advance(decision, advance, signal))) return;
    if (advance.phase === 'Rejected') this.#tellRejection(decision, advance.outcome);
  }

  /** undefined: it stays as it is. */
  #next(decision: ProposedDecision): Advance | undefined {
    const phase = phaseOf(decision);
    if (phase !== 'Proposed' && phase !== 'Approved') return undefined;
    if (!this.#options.isOn)
      return { phase: 'Superseded', outcome: 'Berth does not run with --mode approve any more' };
    return phase === 'Proposed' ? this.#ofProposed(decision) : this.#ofApproved(decision);
  }

  #ofProposed(decision: ProposedDecision): Advance | undefined {
    const { clock, proposals } = this.#options;
    const { approveAfterMillis, proposalExpiryMillis } = proposals.settings;
    const { verdict, spec, progress } = decision;
    const age = clock.now() - spec.time;
    const moot = this.#moot(decision);
    if (moot !== undefined) return { phase: 'Superseded', outcome: moot };
    if (verdict !== undefined) {
      const { by, reason } = verdict;
      const outcome = `${verdict.verdict} by ${by === '' ? 'an unknown user' : by}${reason === '' ? '' : `: ${reason}`}`;
      return { phase: verdict.verdict === 'approved' ? 'Approved' : 'Rejected', by, outcome };
    }
    if (approveAfterMillis > 0 && age >= approveAfterMillis) {
      const outcome = `approved automatically after ${minutes(approveAfterMillis)} (--approve-after)`;
      return { phase: 'Approved', by: AUTOMATIC, outcome };
    }
    if (age >= proposalExpiryMillis)
      return {
        phase: 'Expired',
        outcome: `it was neither approved nor rejected within ${minutes(proposalExpiryMillis)}`,
      };
    return progress === undefined ? { phase: 'Proposed', outcome: '' } : undefined;
  }

  /** Why there is nothing left to launch; undefined where there is. Of disruptions the DisruptionController knows. */
  #moot({ spec: { proposal } }: ProposedDecision): string | undefined {
    if (proposal.act !== 'Launch') return undefined;
    return proposal.pods.some((uid) => this.#waits(uid)) ? undefined : 'its pods have a node or are gone';
  }

  #ofApproved(decision: ProposedDecision): Advance | undefined {
    const { clock, cluster } = this.#options;
    const { name, spec, progress } = decision;
    if (spec.proposal.act !== 'Launch') return undefined;
    const { nodes } = spentUnder(cluster.nodeClaims.values(), name);
    const done = `${counted(nodes, 'node')} launched`;
    if (!spec.proposal.pods.some((uid) => this.#waits(uid))) return { phase: 'CarriedOut', outcome: done };
    if (clock.now() < (progress?.since ?? 0) + APPROVAL_MILLIS) return undefined;
    const late = `some of its pods found no place within ${minutes(APPROVAL_MILLIS)}`;
    return { phase: 'Superseded', outcome: nodes === 0 ? late : `${done}; ${late}` };
  }

  #waits(podUID: string): boolean {
    const pod = this.#options.cluster.podByUID(podUID);
    return pod !== undefined && pod.nodeName === undefined && !pod.terminating;
  }

  #tellRejection({ spec }: ProposedDecision, why: string): void {
    const { clock, cluster, proposals, recorder } = this.#options;
    const until = clock.now() + proposals.settings.rejectionMillis;
    for (const uid of spec.proposal.pods) {
      const pod = this.#waits(uid) ? cluster.podByUID(uid) : undefined;
      if (pod !== undefined) recorder.record(launchRejected(pod, why, until));
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stop();
        signal.removeEventListener('abort', done);
        this.#wake = () => undefined;
        resolve();
      };
      const stop = clock.timer(LOOK_MILLIS, () => {
        done();
      });
      this.#wake = done;
      if (signal.aborted || this.#hasChanged) done();
      else signal.addEventListener('abort', done, { once: true });
    });
  }
}

function minutes(millis: number): string {
  return counted(Math.round(millis / MINUTE_MILLIS), 'minute');
}
