/** The proposals of the cluster: what waits, what was approved, what was rejected; and the only place that writes them. */
import { createHash } from 'node:crypto';
import {
  isProposal,
  phaseOf,
  type Decision,
  type DecisionRelated,
  type DecisionSpec,
  type DecisionSubject,
  MOST_RELATED,
  type ProposedDecision,
} from '../../domain/records/decision.js';
import type { Proposal, ProposalPhase, ProposedAct } from '../../domain/records/proposal.js';
import type { Clock } from '../../ports/clock.js';
import type { DecisionWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode } from '../../ports/port-error.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { DEFAULT_APPROVAL_SETTINGS, type ApprovalSettings } from './approval-settings.js';

export interface ProposalsOptions {
  readonly cluster: Cluster;
  readonly kube: DecisionWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly settings?: Partial<ApprovalSettings> | undefined;
  /** Notifies people of proposals; without it no notification is sent. */
  readonly tell?: ((kind: 'proposed' | 'decided' | 'expired', text: string) => void) | undefined;
}

export interface NewProposal {
  readonly proposal: Proposal;
  readonly subject: DecisionSubject;
  readonly reason: string;
  readonly message: string;
  readonly considered: string;
  readonly saving: number | undefined;
  readonly related: readonly DecisionRelated[];
}

export interface Advance {
  readonly phase: ProposalPhase;
  /** Who decided it; kept where no other user did. */
  readonly by?: string | undefined;
  readonly outcome: string;
}

/** Characters, as the schema of Decisions has it. */
const MOST_OUTCOME = 1024;

export class Proposals {
  readonly settings: ApprovalSettings;
  readonly #options: ProposalsOptions;

  constructor(options: ProposalsOptions) {
    this.#options = options;
    this.settings = { ...DEFAULT_APPROVAL_SETTINGS, ...options.settings };
  }

  /** All of them, finished ones too, the oldest first. */
  all(act?: ProposedAct): readonly ProposedDecision[] {
    const found: ProposedDecision[] = [];
    for (const decision of this.#options.cluster.proposals())
      if (act === undefined || decision.spec.proposal.act === act) found.push(decision);
    return found.sort((one, other) => one.spec.time - other.spec.time || (one.name < other.name ? -1 : 1));
  }

  /** Those in a phase, the oldest first. */
  in(phase: ProposalPhase, act?: ProposedAct): readonly ProposedDecision[] {
    return this.all(act).filter((decision) => phaseOf(decision) === phase);
  }

  /** Those that keep Berth from acting of itself, each with when that ends: in milliseconds since 1970, or Infinity. */
  inForce(act: ProposedAct): readonly { readonly decision: ProposedDecision; readonly until: number }[] {
    const now = this.#options.clock.now();
    return this.all(act).flatMap((decision) => {
      const until = this.#until(decision);
      return until > now ? [{ decision, until }] : [];
    });
  }

  /** Tells people once more what waits: another process may have died before it did. */
  remind(): void {
    for (const { name, spec } of this.in('Proposed'))
      this.#options.tell?.('proposed', proposalText(name, spec));
  }

  /** Whether a Decision must not be deleted yet. */
  isNeeded(decision: Decision): boolean {
    return isProposal(decision) && this.#until(decision) > this.#options.clock.now();
  }

  #until(decision: ProposedDecision): number {
    const phase = phaseOf(decision);
    if (phase === 'Proposed' || phase === 'Approved') return Infinity;
    if (phase !== 'Rejected') return -Infinity;
    return (decision.progress?.since ?? decision.spec.time) + this.settings.rejectionMillis;
  }

  /** Whether there is room for another one. */
  hasRoom(act: ProposedAct): boolean {
    return this.in('Proposed', act).length < this.settings.mostProposals;
  }

  /** Writes it, and answers its name. @throws PortError */
  async propose(draft: NewProposal, signal: AbortSignal): Promise<string> {
    const { clock, logger, metrics } = this.#options;
    const { related, proposal, reason, message } = draft;
    const name = this.#newName(draft);
    const spec = {
      ...draft,
      related: related.slice(0, MOST_RELATED),
      time: clock.now(),
      action: 'Propose' as const,
      trigger: proposal.act === 'Launch' ? 'batch' : 'disruption',
    };
    await this.#create(name, spec, signal);
    metrics.decisions.inc({ action: spec.action, reason });
    metrics.proposals.inc({ action: proposal.act.toLowerCase(), phase: 'Proposed' });
    logger.info('Proposed for approval', { decision: name, reason, why: message });
    this.#options.tell?.('proposed', proposalText(name, spec));
    return name;
  }

  async #create(name: string, spec: ProposedDecision['spec'], signal: AbortSignal): Promise<void> {
    const { cluster, kube } = this.#options;
    try {
      cluster.put('Decision', await kube.createDecision(name, spec, signal));
    } catch (error) {
      // It was written, and only the answer lost: the watch brings it.
      if (!hasCode(error, 'AlreadyExists')) throw error;
    }
  }

  /**
   * `launch-3f9a2c1b`: short, for it is typed; the same for the same proposal, so that a process that did not hear the answer
   * does not write it twice. One that was made before gets a number.
   */
  #newName({ proposal, reason }: NewProposal): string {
    const { act, pods, nodeClaims } = proposal;
    const identity = JSON.stringify([act, reason, [...pods].sort(), [...nodeClaims].sort()]);
    const hash = createHash('sha256').update(identity).digest('hex').slice(0, 8);
    const base = `${(act === 'Launch' ? act : reason).toLowerCase()}-${hash}`;
    const { decisions } = this.#options.cluster;
    for (let time = 1; ; time++) {
      const name = time === 1 ? base : `${base}-${String(time)}`;
      if (decisions.get(name) === undefined) return name;
    }
  }

  /** Writes how far it is now. Answers whether it was: another client may have changed or deleted it. @throws PortError */
  async advance(
    decision: ProposedDecision,
    { phase, by, outcome }: Advance,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { cluster, kube, clock, logger, metrics } = this.#options;
    const { name, spec, progress } = decision;
    const change = {
      outcome: outcome.slice(0, MOST_OUTCOME),
      progress: { phase, by: by ?? progress?.by ?? '', since: clock.now() },
    };
    try {
      cluster.put('Decision', await kube.putDecisionStatus(decision, change, signal));
    } catch (error) {
      if (!hasCode(error, 'Conflict', 'NotFound')) throw error;
      if (hasCode(error, 'NotFound')) cluster.delete('Decision', name, decision.uid);
      return false;
    }
    if (phase === 'Proposed') return true;
    metrics.proposals.inc({ action: spec.proposal.act.toLowerCase(), phase });
    logger.info('Proposal decided', { decision: name, phase, by: change.progress.by, outcome });
    this.#options.tell?.(phase === 'Expired' ? 'expired' : 'decided', `${name}: ${phase}: ${outcome}`);
    return true;
  }
}

/** What a person needs to know to decide about it. */
function proposalText(name: string, { reason, message }: Pick<DecisionSpec, 'reason' | 'message'>): string {
  return `${name} waits for approval (${reason}): ${message}. Approve it with: berth approve ${name}`;
}
