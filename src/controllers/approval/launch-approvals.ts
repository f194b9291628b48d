/**
 * Launches under `--mode approve`: which pods are planned now, which of their launches wait, and whether what was approved still
 * holds. A pod that waits is not planned, and kube-scheduler binds it all the same where room becomes free.
 */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey } from '../../domain/pods/pod.js';
import { phaseOf, type ProposedDecision } from '../../domain/records/decision.js';
import type { OwnDecisionReason } from '../../domain/records/decision-reasons.js';
import {
  MOST_PROPOSED_PODS,
  PROPOSAL_ANNOTATION,
  PROPOSAL_PRICE_ANNOTATION,
  type Burden,
} from '../../domain/records/proposal.js';
import type { Labels } from '../../domain/values/labels.js';
import { counted, usdPerHour } from '../../domain/values/text.js';
import type { Plan, PlannedClaim } from '../../planning/plan.js';
import type { Clock } from '../../ports/clock.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { podGangOf } from '../../state/cluster/gangs.js';
import { addBurdens, beyond, NO_BURDEN } from './approval-settings.js';
import type { NewProposal, Proposals } from './proposals.js';
import { burdenOf, splitPlan, type LaunchUnit, type SplitPlan } from './split-plan.js';
import { awaitsApproval, tooManyProposals } from './told.js';

export interface LaunchApprovalsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly proposals: Proposals;
}

/** What of the demand is planned now. */
export interface ApprovalTurn {
  readonly pods: readonly ObservedPod[];
  /** The approval under which they are launched; undefined for pods that nothing was proposed for. */
  readonly approved: ProposedDecision | undefined;
  /** When there is more to do, in milliseconds from now; undefined: when a proposal changes. */
  readonly againMillis: number | undefined;
}

/** What came of launches that need approval. */
export interface Proposed {
  /** Pods that wait now. */
  readonly waiting: readonly ObservedPod[];
  /** Pods whose launch could not be proposed for the number of those that wait. */
  readonly crowdedOut: readonly ObservedPod[];
  /** Pods whose launch could not be written. */
  readonly failed: readonly {
    readonly what: string;
    readonly pods: readonly ObservedPod[];
    readonly error: unknown;
  }[];
}

/** An approved launch that has pods left is planned again so often. */
const RETRY_MILLIS = 10_000;
/** Types and pods named in a message. */
const FEW = 5;

export class LaunchApprovals {
  readonly #options: LaunchApprovalsOptions;
  /** Decision's name → when its pods are planned again; monotonic. */
  readonly #retries = new Map<string, number>();
  #wasApproved = false;

  constructor(options: LaunchApprovalsOptions) {
    this.#options = options;
  }

  /** Pods of an approved launch, or all that nothing was proposed for: each in turn. */
  turn(demand: readonly ObservedPod[]): ApprovalTurn {
    const { free, approved, wakeMillis } = this.#sorted(demand);
    const now = this.#options.clock.monotonic();
    const later = [...approved.keys()].map(({ name }) => (this.#retries.get(name) ?? now) - now);
    const [due, ...others] = [...approved].filter(({ 0: { name } }) => (this.#retries.get(name) ?? 0) <= now);
    const again = Math.min(wakeMillis, ...later.filter((millis) => millis > 0));
    if (due === undefined || (this.#wasApproved && free.length > 0)) {
      this.#wasApproved = false;
      return { pods: free, approved: undefined, againMillis: due === undefined ? finite(again) : 0 };
    }
    this.#wasApproved = true;
    const [decision, pods] = due;
    this.#retries.set(decision.name, now + RETRY_MILLIS);
    const isMore = free.length + others.length > 0;
    return { pods, approved: decision, againMillis: isMore ? 0 : Math.min(again, RETRY_MILLIS) };
  }

  #sorted(demand: readonly ObservedPod[]): {
    readonly free: readonly ObservedPod[];
    readonly approved: ReadonlyMap<ProposedDecision, readonly ObservedPod[]>;
    /** Until the first rejection ends that a pod of the demand waits for. */
    readonly wakeMillis: number;
  } {
    const inForce = this.#options.proposals.inForce('Launch');
    const held = new Map(
      inForce.flatMap((each) => each.decision.spec.proposal.pods.map((uid) => [uid, each])),
    );
    const free: ObservedPod[] = [];
    const approved = new Map<ProposedDecision, ObservedPod[]>();
    let wakeAt = Infinity;
    for (const pod of demand) {
      const known = held.get(pod.uid);
      if (known === undefined) free.push(pod);
      else if (phaseOf(known.decision) === 'Approved')
        approved.set(known.decision, [...(approved.get(known.decision) ?? []), pod]);
      else wakeAt = Math.min(wakeAt, known.until);
    }
    for (const name of this.#retries.keys())
      if (!inForce.some(({ decision }) => decision.name === name)) this.#retries.delete(name);
    return { free, approved, wakeMillis: wakeAt - this.#options.clock.now() };
  }

  /** What of the plan goes ahead, and what waits. */
  split(plan: Plan, demand: readonly ObservedPod[]): SplitPlan {
    const { cluster, proposals } = this.#options;
    const byKey = new Map(demand.map((pod) => [podKey(pod), pod]));
    return splitPlan(plan, proposals.settings, (key) => {
      const pod = byKey.get(key);
      return pod && podGangOf(cluster, pod)?.key;
    });
  }

  /** Writes the proposals, and tells their pods. Never rejects, unless the signal is aborted. */
  async propose(
    waiting: readonly LaunchUnit[],
    demand: readonly ObservedPod[],
    signal: AbortSignal,
  ): Promise<Proposed> {
    const { proposals, recorder } = this.#options;
    const byKey = new Map(demand.map((pod) => [podKey(pod), pod]));
    const done = {
      waiting: [] as ObservedPod[],
      crowdedOut: [] as ObservedPod[],
      failed: [] as Proposed['failed'][number][],
    };
    for (const unit of waiting.flatMap(parts)) {
      const pods = unit.pods.flatMap((key) => byKey.get(key) ?? []);
      if (!proposals.hasRoom('Launch')) {
        done.crowdedOut.push(...pods);
        for (const pod of pods) recorder.record(tooManyProposals(pod, proposals.settings.mostProposals));
        continue;
      }
      const draft = draftOf(unit, pods);
      try {
        const name = await proposals.propose(draft, signal);
        done.waiting.push(...pods);
        for (const pod of pods) recorder.record(awaitsApproval(pod, name, draft.message));
      } catch (error) {
        if (signal.aborted) throw error;
        done.failed.push({ what: 'Decision of a proposed launch', pods, error });
      }
    }
    return done;
  }

  /** Why a plan for the pods of an approved launch is not what was approved; undefined when it is. */
  problem({ name, spec: { proposal } }: ProposedDecision, plan: Plan): string | undefined {
    const other = plan.claims.find(({ nodePool }) => !proposal.nodePools.includes(nodePool));
    if (other !== undefined)
      return `it takes instances of NodePool ${other.nodePool} now, and NodePool ${proposal.nodePools.join(', ')} was approved`;
    return plan.claims.length === 0
      ? undefined
      : beyond(addBurdens(burdenOf(plan.claims), this.#spent(name)), proposal);
  }

  /** What was launched under an approval and has not ended. */
  #spent(name: string): Burden {
    return spentUnder(this.#options.cluster.nodeClaims.values(), name);
  }

  /** It no longer holds: its pods are planned, and proposed, as though nothing had been said. */
  async supersede(decision: ProposedDecision, why: string, signal: AbortSignal): Promise<void> {
    const { nodes } = this.#spent(decision.name);
    const part = nodes === 0 ? '' : `${counted(nodes, 'node')} launched; for the other pods `;
    await this.#options.proposals.advance(
      decision,
      { phase: 'Superseded', outcome: `${part}${why}` },
      signal,
    );
  }
}

/** Annotations of a claim that is created under an approval. */
export function approvalAnnotations({ name }: ProposedDecision, { hourlyPrice }: PlannedClaim): Labels {
  return new Map([
    [PROPOSAL_ANNOTATION, name],
    [PROPOSAL_PRICE_ANNOTATION, String(hourlyPrice)],
  ]);
}

/** What the claims cost that were created under an approval and are not being deleted. */
export function spentUnder(claims: Iterable<NodeClaim>, name: string): Burden {
  let spent = NO_BURDEN;
  for (const { annotations, deletionTimestamp } of claims) {
    if (annotations.get(PROPOSAL_ANNOTATION) !== name || deletionTimestamp !== undefined) continue;
    const price = Number(annotations.get(PROPOSAL_PRICE_ANNOTATION) ?? 0);
    spent = addBurdens(spent, { price: Number.isFinite(price) ? price : 0, nodes: 1, evictions: 0 });
  }
  return spent;
}

/** As many proposals as it takes for none to have more pods than a Decision can list. */
function parts(unit: LaunchUnit): readonly LaunchUnit[] {
  if (unit.pods.length <= MOST_PROPOSED_PODS) return [unit];
  const found: LaunchUnit[] = [];
  let claims: PlannedClaim[] = [];
  let pods: string[] = [];
  const close = (): void => {
    if (claims.length > 0) found.push({ claims, pods, burden: burdenOf(claims) });
    claims = [];
    pods = [];
  };
  for (const claim of unit.claims) {
    if (pods.length + claim.pods.length > MOST_PROPOSED_PODS) close();
    claims.push(claim);
    pods.push(...claim.pods);
  }
  close();
  return found;
}

function draftOf({ claims, burden, pods: keys }: LaunchUnit, pods: readonly ObservedPod[]): NewProposal {
  const nodePools = [...new Set(claims.map(({ nodePool }) => nodePool))].sort();
  const most = claims.reduce((sum, { hourlyPriceMax }) => sum + hourlyPriceMax, 0);
  const upTo = most > burden.price ? `, at most ${usdPerHour(most)}` : '';
  const types = new Map<string, number>();
  for (const {
    instanceTypes: [type = ''],
  } of claims)
    types.set(type, (types.get(type) ?? 0) + 1);
  const listed = [...types].slice(0, FEW).map(([type, count]) => `${String(count)} ${type}`);
  const more = types.size > FEW ? ', …' : '';
  const [first = ''] = nodePools;
  return {
    proposal: { act: 'Launch', ...burden, nodePools, pods: pods.map(({ uid }) => uid), nodeClaims: [] },
    subject: { kind: 'NodePool', namespace: '', name: first, uid: '' },
    reason: 'PendingPods' satisfies OwnDecisionReason,
    message: `${counted(claims.length, 'node')} of NodePool ${nodePools.join(', ')} for ${counted(keys.length, 'pod')}: ${usdPerHour(burden.price)}${upTo} (${listed.join(', ')}${more})`,
    considered: '',
    saving: undefined,
    related: pods.map(({ namespace, name }) => ({ kind: 'Pod', namespace, name })),
  };
}

function finite(millis: number): number | undefined {
  return Number.isFinite(millis) ? millis : undefined;
}
