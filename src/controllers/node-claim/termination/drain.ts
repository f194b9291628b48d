/** Draining: pods leave a node by eviction; where a PodDisruptionBudget forbids one, it is asked again later and later. */
import type { DecisionSubject } from '../../../domain/records/decision.js';
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import { isFinished, podKey } from '../../../domain/pods/pod.js';
import { hasCode, type PortError, type PortErrorCode } from '../../../ports/port-error.js';
import { tryInParallel } from '../../../runtime/concurrency/in-parallel.js';
import { describeBlocked, describeRefused, podNames } from './blocked-pods.js';
import type { Surges } from './surges.js';
import type { LifecycleContext, LifecycleSettings } from '../lifecycle-context.js';
import { recordClaim, relatedToClaim } from '../record-claim.js';
import { podProtectedUntil, toleratesDisruption } from '../../../domain/pods/movable-pods.js';
import type { Taint } from '../../../domain/values/taint.js';
import type { Clock } from '../../../ports/clock.js';
import type { Random } from '../../../ports/random.js';
import { backoffMillis } from '../../../runtime/concurrency/backoff.js';

/** A pod whose eviction was granted has started to terminate by then, or its kubelet missed the request. */
const FORGOTTEN_MILLIS = 30_000;
/** Answers about one pod, which say nothing of others → the response code for metrics. All else is trouble with the API server. */
const REFUSALS: ReadonlyMap<PortErrorCode, string> = new Map<PortErrorCode, string>([
  ['Blocked', '429'],
  ['Forbidden', '403'],
  ['Conflict', '409'],
  ['Invalid', '422'],
]);

/** How far draining is: drained, past the hard stop, or to be continued. */
export type DrainProgress =
  | { readonly kind: 'drained' | 'stopped' }
  | { readonly kind: 'draining'; readonly waiting: number; readonly requeueAfterMillis: number };

/** What draining works with. */
export type DrainContext = Pick<
  LifecycleContext,
  'cluster' | 'writer' | 'clock' | 'random' | 'recorder' | 'metrics' | 'settings'
>;

/** How a node is drained. */
export interface DrainTerms {
  /** For which it is, in metrics and Decisions. */
  readonly reason: string;
  /** The hard stop, in milliseconds since 1970; undefined when there is none: then no pod is deleted. */
  readonly deadline: number | undefined;
  /** Pods that tolerate it stay; that of a node that goes unless given. */
  readonly taint?: Taint | undefined;
}

export class Drainer {
  readonly #context: DrainContext;
  readonly #evictions: Evictions;
  readonly #surges: Surges | undefined;
  /** Claim's uid → what was last told about the pods that stay. */
  readonly #told = new Map<string, string>();

  /** Without surges, no pod gets a replica more before it leaves. */
  constructor(context: DrainContext, surges?: Surges) {
    this.#context = context;
    this.#surges = surges;
    this.#evictions = new Evictions(context);
  }

  /** One round. */
  async drain(
    claim: NodeClaim,
    { name: node }: ObservedNode,
    { reason, deadline, taint }: DrainTerms,
    signal: AbortSignal,
  ): Promise<DrainProgress> {
    const { cluster, clock, settings } = this.#context;
    const now = clock.now();
    const pods = cluster.podsOn(node);
    this.#settle(claim, pods);
    const step = drainStep({ pods, now, deadline, taint });
    const kept = await this.#surges?.advance(claim, step.evict, signal);
    const evict = step.evict.filter(({ uid }) => kept?.has(uid) !== true);
    // The claim has been written to: the next round has it as it is now.
    if (this.#surges?.isOutdated(claim) === true)
      return { kind: 'draining', waiting: step.waiting, requeueAfterMillis: 1 };
    if (step.waiting === 0) return this.#done('drained', claim);
    if (deadline !== undefined && now >= deadline) return this.#done('stopped', claim);
    const failures = [
      ...(await tryInParallel(step.remove, (removal) => this.#remove(claim, removal, signal))),
      ...(await tryInParallel(
        evict.filter((pod) => this.#evictions.waitMillis(claim, pod) <= 0),
        (pod) => this.#evict(claim, { pod, reason }, signal),
      )),
    ];
    if (!signal.aborted) this.#report(claim, { ...step, evict });
    if (failures.length > 0) throw failures[0];
    const soon = evict.map((pod) => this.#evictions.waitMillis(claim, pod));
    const next = Math.min(settings.pollMillis, (step.nextAt ?? Infinity) - now, ...soon);
    return { kind: 'draining', waiting: step.waiting, requeueAfterMillis: Math.max(next, 1) };
  }

  #done(kind: 'drained' | 'stopped', claim: NodeClaim): DrainProgress {
    this.#evictions.forget(claim);
    this.#surges?.forget(claim);
    this.#told.delete(claim.uid);
    return { kind };
  }

  #settle(claim: NodeClaim, staying: readonly ObservedPod[]): void {
    for (const pod of this.#evictions.takeGone(claim, staying))
      this.#context.recorder.settle(subjectOf(pod), 'Drain', 'it is gone');
  }

  /** The claim is gone, or its node is not drained any more: what was asked, and told, is forgotten. */
  forget(claim: NodeClaim): void {
    this.#done('stopped', claim);
  }

  async #evict(
    claim: NodeClaim,
    { pod, reason }: { readonly pod: ObservedPod; readonly reason: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { writer, recorder, metrics } = this.#context;
    try {
      if (!(await writer.evictPod(pod, signal))) return;
    } catch (error) {
      if (!hasCode(error, ...REFUSALS.keys())) throw error;
      metrics.evictionRequests.inc({ code: REFUSALS.get(error.code) ?? '' });
      this.#evictions.refused(claim, pod, error);
      return;
    }
    metrics.evictionRequests.inc({ code: '200' });
    if (!this.#evictions.granted(claim, pod)) return;
    metrics.podsDrained.inc({ reason });
    recorder.record({
      subject: subjectOf(pod),
      action: 'Drain',
      reason: 'Evicted',
      message: `its node is being drained: ${reason}`,
      trigger: `NodeClaim ${claim.name}`,
      considered: '',
      saving: undefined,
      related: relatedToClaim(claim),
      event: { type: 'Normal', reason: 'Evicted' },
    });
  }

  async #remove(
    claim: NodeClaim,
    { pod, gracePeriodSeconds }: DrainStep['remove'][number],
    signal: AbortSignal,
  ): Promise<void> {
    const { writer, metrics } = this.#context;
    const wasThere = await writer.deletePod(pod, gracePeriodSeconds, signal);
    if (!wasThere || !this.#evictions.removed(claim, pod)) return;
    metrics.podsDrained.inc({ reason: 'Forceful Termination' });
    recordClaim(this.#context.recorder, claim, {
      action: 'Drain',
      reason: 'TerminationGracePeriodExpiring',
      message: `deleted pod ${podKey(pod)} with a grace period of ${String(gracePeriodSeconds)} s: the termination grace period of the node ends`,
      event: 'Warning',
    });
  }

  /** Told again only when it is others, or something else, that keeps the node. */
  #report(claim: NodeClaim, { evict, refusing }: DrainStep): void {
    const refused = evict.flatMap((pod) => {
      const refusal = this.#evictions.refusalOf(claim, pod);
      return refusal === undefined ? [] : [{ pod, refusal }];
    });
    const blocked = refused.filter(({ refusal }) => refusal.code === 'Blocked').map(({ pod }) => pod);
    const others = refused.filter(({ refusal }) => refusal.code !== 'Blocked');
    const parts = [
      ...(blocked.length > 0 ? [describeBlocked(this.#context.cluster, blocked)] : []),
      ...(others.length > 0 ? [describeRefused(others.map(({ refusal }) => refusal.message))] : []),
      ...(refusing.length > 0 ? [`karpenter.sh/do-not-disrupt is set on ${podNames(refusing)}`] : []),
    ];
    const message = parts.join('; ');
    if (message === '' || this.#told.get(claim.uid) === message) return;
    this.#told.set(claim.uid, message);
    recordClaim(this.#context.recorder, claim, {
      action: 'Drain',
      reason: 'FailedDraining',
      message,
      event: 'Warning',
    });
  }
}

function subjectOf({ namespace, name, uid }: ObservedPod): DecisionSubject {
  return { kind: 'Pod', namespace, name, uid };
}

// One step of draining a node: which pods to evict, which to delete, which to wait for.

interface DrainQuestion {
  /** Bound to the node. */
  readonly pods: readonly ObservedPod[];
  /** Milliseconds since 1970, here and below. */
  readonly now: number;
  /** The hard stop; undefined when there is none. */
  readonly deadline: number | undefined;
  readonly taint?: Taint | undefined;
}

interface DrainStep {
  /** To be asked of the Eviction API. */
  readonly evict: readonly ObservedPod[];
  /** To be deleted whatever budgets say, so that they end by the hard stop. */
  readonly remove: readonly { readonly pod: ObservedPod; readonly gracePeriodSeconds: number }[];
  /** How many pods keep the node; 0 when it is drained. */
  readonly waiting: number;
  /** Pods that ask not to be disrupted, and are not until the hard stop. */
  readonly refusing: readonly ObservedPod[];
  /** When time alone changes the answer; undefined when it does not. */
  readonly nextAt: number | undefined;
}

const CRITICAL_CLASSES: ReadonlySet<string | undefined> = new Set([
  'system-cluster-critical',
  'system-node-critical',
]);
/** A pod that is still there so long after its grace period is stuck; the node goes without it (Karpenter waits as long). */
const STUCK_MILLIS = 60_000;

/**
 * Pods that others hold up are gone first, in Karpenter's tiers: a tier is evicted when the one before is gone. Never waited for:
 * finished pods, mirror pods, those that tolerate the taint (they mean to stay until the end), and those that are stuck.
 */
export function drainStep({ pods, now, deadline, taint }: DrainQuestion): DrainStep {
  const staying = pods.filter((pod) => !isFinished(pod) && isDrained(pod, now, taint));
  const tier = Math.min(...staying.map(tierOf));
  const turn = staying.filter((pod) => tierOf(pod) === tier && !pod.terminating);
  const late = staying.filter((pod) => deadline !== undefined && now >= mustEndAt(pod, deadline));
  const refusing = turn.filter((pod) => podProtectedUntil(pod, now) !== undefined && !late.includes(pod));
  return {
    evict: turn.filter((pod) => !refusing.includes(pod) && !late.includes(pod)),
    remove: late.flatMap((pod) => removal(pod, now, deadline ?? now)),
    waiting: staying.length,
    refusing,
    nextAt: soonest(staying, now, deadline),
  };
}

/** Pods of DaemonSets after those that they serve, critical ones after all others. */
function tierOf({ owner, priorityClassName }: ObservedPod): number {
  const isCritical = CRITICAL_CLASSES.has(priorityClassName);
  return (isCritical ? 2 : 0) + (owner?.kind === 'DaemonSet' ? 1 : 0);
}

/** Whether a drain takes the pod from its node, or would if it had not ended. */
export function isDrained(pod: ObservedPod, now: number, taint?: Taint): boolean {
  if (pod.mirror || isStuck(pod, now)) return false;
  return !toleratesDisruption(pod, taint);
}

function isStuck({ deletionTimestamp }: ObservedPod, now: number): boolean {
  return deletionTimestamp !== undefined && now >= deletionTimestamp + STUCK_MILLIS;
}

/** When its deletion has to begin for its own grace period to fit; for one on its way out, when it is too late. */
function mustEndAt(
  { terminationGracePeriodSeconds, deletionTimestamp }: ObservedPod,
  deadline: number,
): number {
  if (deletionTimestamp === undefined) return deadline - terminationGracePeriodSeconds * 1000;
  return deletionTimestamp > deadline ? -Infinity : Infinity;
}

/** At least a second, since 0 would remove the object while its containers run on. */
function removal(
  pod: ObservedPod,
  now: number,
  deadline: number,
): readonly { readonly pod: ObservedPod; readonly gracePeriodSeconds: number }[] {
  const left = Math.max(1, Math.floor((deadline - now) / 1000));
  return [{ pod, gracePeriodSeconds: Math.min(pod.terminationGracePeriodSeconds, left) }];
}

function soonest(
  pods: readonly ObservedPod[],
  now: number,
  deadline: number | undefined,
): number | undefined {
  const times = pods.flatMap((pod) => [
    ...(deadline === undefined ? [] : [mustEndAt(pod, deadline), deadline]),
    ...(pod.deletionTimestamp === undefined ? [] : [pod.deletionTimestamp + STUCK_MILLIS]),
    podProtectedUntil(pod, now) ?? Infinity,
  ]);
  const next = Math.min(...times.filter((time) => time > now));
  return next === Infinity ? undefined : next;
}

interface EvictionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Pick<LifecycleSettings, 'evictionBaseMillis' | 'evictionMaxMillis'>;
}

/** A pod that was to be evicted. */
interface Asked {
  readonly pod: ObservedPod;
  /** How often it was refused; 0 when it is on its way out. */
  readonly refusals: number;
  /** The last answer, when that was a refusal. */
  readonly refusal: PortError | undefined;
  /** Deleted whatever its budget says. */
  readonly isRemoved: boolean;
  /** Until then nothing is asked; monotonic. */
  readonly askAgainAt: number;
}

/** What the Eviction API said about pods, so that none is asked about, or told of, more often than it takes. */
class Evictions {
  readonly #options: EvictionsOptions;
  /** Claim's uid → pod's uid → what was asked. */
  readonly #asked = new Map<string, Map<string, Asked>>();

  constructor(options: EvictionsOptions) {
    this.#options = options;
  }

  /** How long the pod is not to be asked about, in milliseconds; 0 or less when it may be. */
  waitMillis(claim: NodeClaim, { uid }: ObservedPod): number {
    return (this.#asked.get(claim.uid)?.get(uid)?.askAgainAt ?? -Infinity) - this.#options.clock.monotonic();
  }

  refusalOf(claim: NodeClaim, { uid }: ObservedPod): PortError | undefined {
    return this.#asked.get(claim.uid)?.get(uid)?.refusal;
  }

  /** The pod's budget forbids it, or something else does: it is asked about later and later. */
  refused(claim: NodeClaim, pod: ObservedPod, refusal: PortError): void {
    const { random, settings } = this.#options;
    const refusals = (this.#asked.get(claim.uid)?.get(pod.uid)?.refusals ?? 0) + 1;
    const wait = backoffMillis({
      attempt: refusals,
      baseMillis: settings.evictionBaseMillis,
      maxMillis: settings.evictionMaxMillis,
      random,
    });
    this.#remember(claim, { pod, refusals, refusal, isRemoved: false }, wait);
  }

  /** The pod is on its way out. Answers whether that is news. */
  granted(claim: NodeClaim, pod: ObservedPod): boolean {
    const isNews = this.#asked.get(claim.uid)?.get(pod.uid)?.refusals !== 0;
    this.#remember(claim, { pod, refusals: 0, refusal: undefined, isRemoved: false }, FORGOTTEN_MILLIS);
    return isNews;
  }

  /** The pod was deleted past what its budget says. Answers whether that is news. */
  removed(claim: NodeClaim, pod: ObservedPod): boolean {
    const isNews = this.#asked.get(claim.uid)?.get(pod.uid)?.isRemoved !== true;
    this.#remember(claim, { pod, refusals: 0, refusal: undefined, isRemoved: true }, FORGOTTEN_MILLIS);
    return isNews;
  }

  /** Pods whose eviction was granted and that are not among these any more; they are forgotten with that. */
  takeGone(claim: NodeClaim, staying: readonly ObservedPod[]): readonly ObservedPod[] {
    const asked = this.#asked.get(claim.uid);
    if (asked === undefined) return [];
    const uids = new Set(staying.map(({ uid }) => uid));
    const gone = [...asked.values()].filter(({ pod }) => !uids.has(pod.uid));
    for (const { pod } of gone) asked.delete(pod.uid);
    return gone.filter(({ refusals, isRemoved }) => refusals === 0 && !isRemoved).map(({ pod }) => pod);
  }

  forget(claim: NodeClaim): void {
    this.#asked.delete(claim.uid);
  }

  #remember(claim: NodeClaim, asked: Omit<Asked, 'askAgainAt'>, waitMillis: number): void {
    const ofClaim = this.#asked.get(claim.uid) ?? new Map<string, Asked>();
    this.#asked.set(claim.uid, ofClaim);
    ofClaim.set(asked.pod.uid, { ...asked, askAgainAt: this.#options.clock.monotonic() + waitMillis });
  }
}
