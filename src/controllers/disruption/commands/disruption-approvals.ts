/**
 * Disruptions under `--mode approve`: which commands go ahead, which wait, and whether what was approved still holds. The nodes of
 * a proposal are left alone meanwhile, unless they go whatever happens: interruption and repair never wait.
 */
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import { phaseOf, type ProposedDecision } from '../../../domain/records/decision.js';
import type { OwnDecisionReason } from '../../../domain/records/decision-reasons.js';
import type { Burden, ProposalPhase } from '../../../domain/records/proposal.js';
import { counted, usdPerHour } from '../../../domain/values/text.js';
import { describeRefusal } from '../../../planning/disrupt/methods.js';
import type { DisruptionCommand } from '../../../planning/disrupt/question/disruption.js';
import type { DriftRefusal } from '../../../planning/disrupt/question/drift-hold.js';
import type { RuleRefusal } from '../../../planning/disrupt/question/refusal.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { Recorder } from '../../../ports/recorder.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { isLeaving } from '../../../state/nodes/node-state.js';
import {
  addBurdens,
  APPROVAL_MILLIS,
  beyond,
  needsApproval,
  NO_BURDEN,
} from '../../approval/approval-settings.js';
import type { NewProposal, Proposals } from '../../approval/proposals.js';
import { recordClaim } from '../../node-claim/record-claim.js';
import type { Deliberated } from '../passes/deliberation.js';
import { commandOf, type Command } from './command.js';
import { describeCommand } from './marks.js';

export interface DisruptionApprovalsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly proposals: Proposals;
}

/** What is to be done about a proposal, now that the planner was asked again. */
export type Judgement =
  | { readonly kind: 'run'; readonly command: Command }
  /** Something passing is in the way. */
  | { readonly kind: 'wait'; readonly why: string }
  | { readonly kind: 'superseded'; readonly why: string };

/** An approved one that cannot go now is looked at again after so long; one that waits for approval, */
const RETRY_MILLIS = 60_000;
/** after so long. */
const REVIEW_MILLIS = 600_000;
/** Proposals that the planner is asked about in one look. */
const MOST_AT_ONCE = 3;

/** What passes by itself, and says nothing against the command. */
const PASSING: ReadonlySet<string> = new Set<(RuleRefusal | DriftRefusal)['code']>([
  'DriftBackOff',
  'DriftSoaking',
  'NotInitialized',
  'PodDoNotDisrupt',
  'PodOutsideWindows',
  'PodDisruptionBudget',
  'AwaitsPods',
  'Budget',
  'LoadBudget',
  'Freeze',
  'NodesMissing',
  'SurplusNodes',
  'OutsideWindows',
  'NotLookedAt',
  'ZonalShift',
]);

export class DisruptionApprovals {
  readonly #options: DisruptionApprovalsOptions;
  /** Decision's name → its phase when it was last looked at, and when the planner is asked about it again; monotonic. */
  readonly #seen = new Map<string, { readonly phase: ProposalPhase; readonly next: number }>();

  constructor(options: DisruptionApprovalsOptions) {
    this.#options = options;
  }

  /** Names of the claims that are left alone. */
  resting(): ReadonlySet<string> {
    const inForce = this.#options.proposals.inForce('Disruption');
    return new Set(inForce.flatMap(({ decision }) => decision.spec.proposal.nodeClaims));
  }

  /** Names of the claims that wait for approval, or to go. */
  proposed(): ReadonlySet<string> {
    const open = this.#open();
    return new Set(open.flatMap(({ spec }) => spec.proposal.nodeClaims));
  }

  #open(): readonly ProposedDecision[] {
    const inForce = this.#options.proposals.inForce('Disruption');
    return inForce.map(({ decision }) => decision).filter((decision) => phaseOf(decision) !== 'Rejected');
  }

  /** The first commands that stay within the thresholds together go ahead, and all that are forced. */
  sorted(commands: readonly Command[]): {
    readonly ahead: readonly Command[];
    readonly waiting: readonly Command[];
  } {
    const { settings } = this.#options.proposals;
    const waiting = new Set<Command>();
    let total = NO_BURDEN;
    for (const command of commands) {
      if (command.isForced) continue;
      const sum = addBurdens(total, burdenOfCommand(command.planned));
      if (needsApproval(settings, sum)) waiting.add(command);
      else total = sum;
    }
    return { ahead: commands.filter((each) => !waiting.has(each)), waiting: [...waiting] };
  }

  /** Writes the proposals, and tells their claims. Those that there is no room for are found again later. */
  async propose(commands: readonly Command[], signal: AbortSignal): Promise<void> {
    const { cluster, logger, proposals, recorder } = this.#options;
    for (const command of commands) {
      if (!proposals.hasRoom('Disruption')) return;
      const claims = command.claims.flatMap((name) => cluster.nodeClaims.get(name) ?? []);
      const [first] = claims;
      if (first === undefined || claims.length < command.claims.length) continue;
      const draft = draftOf(command, [first, ...claims.slice(1)]);
      try {
        const name = await proposals.propose(draft, signal);
        for (const claim of claims)
          recordClaim(recorder, claim, {
            action: 'Refuse',
            reason: 'AwaitsApproval' satisfies OwnDecisionReason,
            message: `${command.reason}: its disruption waits for approval: ${draft.message}; approve it with \`berth approve ${name}\``,
            trigger: 'disruption',
            event: { type: 'Normal', reason: 'DisruptionBlocked' },
          });
      } catch (error) {
        if (signal.aborted) throw error;
        logger.warn('Failed to propose a disruption', { nodeClaims: command.claims, error });
      }
    }
  }

  /**
   * Proposals to be looked at now: those whose nodes have begun to go, approved ones, and those that have waited for long.
   * `isRunning`: a command about the claim is being carried out; `cooling`: claims whose command was canceled.
   */
  due(isRunning: (claim: string) => boolean, cooling: ReadonlySet<string>): readonly ProposedDecision[] {
    const open = this.#open();
    const names = new Set(open.map(({ name }) => name));
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
    return open
      .filter(({ spec }) => !spec.proposal.nodeClaims.some(isRunning))
      .filter((decision) => this.#isDue(decision) || this.#hasBegun(decision, cooling))
      .sort((one, other) => Number(isApproved(other)) - Number(isApproved(one)))
      .slice(0, MOST_AT_ONCE);
  }

  #isDue(decision: ProposedDecision): boolean {
    const now = this.#options.clock.monotonic();
    const known = this.#seen.get(decision.name);
    if (known === undefined && !isApproved(decision)) this.#looked(decision);
    if (known?.phase === phaseOf(decision)) return known.next <= now;
    return isApproved(decision);
  }

  #looked(decision: ProposedDecision): void {
    const next = this.#options.clock.monotonic() + (isApproved(decision) ? RETRY_MILLIS : REVIEW_MILLIS);
    this.#seen.set(decision.name, { phase: phaseOf(decision), next });
  }

  #hasBegun(decision: ProposedDecision, cooling: ReadonlySet<string>): boolean {
    const { nodeClaims } = decision.spec.proposal;
    return this.staying(decision).length < nodeClaims.length || nodeClaims.some((name) => cooling.has(name));
  }

  /** Names of the claims that are still there and stay. */
  staying({ spec }: ProposedDecision): readonly string[] {
    const { cluster } = this.#options;
    return spec.proposal.nodeClaims.filter((name) => {
      const claim = cluster.nodeClaims.get(name);
      return claim !== undefined && !isLeaving(claim, cluster.nodeOfClaim(name));
    });
  }

  /** The planner was asked about its claims alone. */
  judge(decision: ProposedDecision, deliberated: Deliberated): Judgement {
    const { cluster } = this.#options;
    const { reason, proposal } = decision.spec;
    this.#looked(decision);
    const { commands, refusals } = deliberated.answer;
    const planned = commands.find((each) => each.reason === reason);
    if (planned !== undefined) {
      const command = commandOf(cluster, planned, deliberated);
      const why = problemOf(command, proposal);
      if (why !== undefined) return { kind: 'superseded', why };
      const allows = (found: Command): boolean => problemOf(found, proposal) === undefined;
      return { kind: 'run', command: { ...command, allows } };
    }
    const refused = refusals.filter((each) => each.reason === reason);
    const passing = refused.find(({ refusal }) => PASSING.has(refusal.code));
    if (passing !== undefined) return { kind: 'wait', why: describeRefusal(passing.refusal) };
    const [refusal] = refused;
    const why =
      refusal === undefined ? 'the planner does not find it any more' : describeRefusal(refusal.refusal);
    return { kind: 'superseded', why: `it would not be done now: ${why}` };
  }

  /** Whether it was approved so long ago that it is given up. */
  isLate({ progress }: ProposedDecision): boolean {
    return this.#options.clock.now() >= (progress?.since ?? 0) + APPROVAL_MILLIS;
  }

  async supersede(decision: ProposedDecision, why: string, signal: AbortSignal): Promise<void> {
    await this.#options.proposals.advance(this.#now(decision), { phase: 'Superseded', outcome: why }, signal);
  }

  /** Its nodes go or are gone. */
  async done(decision: ProposedDecision, signal: AbortSignal): Promise<void> {
    const { nodes } = decision.spec.proposal;
    const advance = { phase: 'CarriedOut', outcome: `${counted(nodes, 'node')} removed` } as const;
    await this.#options.proposals.advance(this.#now(decision), advance, signal);
  }

  /** As it was written last. */
  #now(decision: ProposedDecision): ProposedDecision {
    const known = this.#options.proposals.all('Disruption').find(({ uid }) => uid === decision.uid);
    return known ?? decision;
  }
}

export function isApproved(decision: ProposedDecision): boolean {
  return phaseOf(decision) === 'Approved';
}

function burdenOfCommand({ nodes, claims, placements, unplaced }: DisruptionCommand): Burden {
  const price = claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  return { price, nodes: nodes.length, evictions: placements.length + unplaced.length };
}

/** In what a command is not what was approved. */
function problemOf(
  { claims, planned }: Command,
  proposal: ProposedDecision['spec']['proposal'],
): string | undefined {
  const approved = new Set(proposal.nodeClaims);
  if (claims.length !== approved.size || !claims.every((name) => approved.has(name)))
    return `${counted(claims.length, 'node')} would go now instead of ${String(approved.size)}`;
  const other = planned.claims.find(({ nodePool }) => !proposal.nodePools.includes(nodePool));
  if (other !== undefined) return `a replacement comes from NodePool ${other.nodePool} now`;
  return beyond(burdenOfCommand(planned), proposal);
}

function draftOf(command: Command, claims: readonly [NodeClaim, ...NodeClaim[]]): NewProposal {
  const { planned, reason } = command;
  const burden = burdenOfCommand(planned);
  const [first] = claims;
  const nodePools = [...new Set(planned.claims.map(({ nodePool }) => nodePool))].sort();
  const launched = burden.price > 0 ? `, ${usdPerHour(burden.price)} launched` : '';
  return {
    proposal: {
      act: 'Disruption',
      ...burden,
      nodePools,
      pods: [],
      nodeClaims: [...command.claims].sort(),
    },
    subject: { kind: 'NodeClaim', namespace: '', name: first.name, uid: first.uid },
    reason,
    message: `${describeCommand(command, first)}; ${counted(burden.nodes, 'node')} removed, ${counted(burden.evictions, 'pod')} evicted${launched}`,
    considered: planned.considered,
    saving: planned.saving,
    related: claims.flatMap(({ name, status }) => [
      ...(name === first.name ? [] : [{ kind: 'NodeClaim', namespace: '', name }]),
      ...(status.nodeName === undefined ? [] : [{ kind: 'Node', namespace: '', name: status.nodeName }]),
    ]),
  };
}
