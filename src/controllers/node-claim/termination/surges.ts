/**
 * A replica more before a pod leaves its node, for pods that ask for it (annotation berth.sh/surge): their Deployment is scaled
 * up by one, and back when that one is Ready. The pod on the leaving node has the lowest deletion cost, so the ReplicaSet deletes
 * it: it is not evicted, and no PodDisruptionBudget is asked. Each step is written to the NodeClaim before it is taken, and the
 * claim stays until the replica is taken back: the next leader continues from there.
 */
import type { NodeClaim } from '../../../domain/nodes/node-claim.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import { podKey } from '../../../domain/pods/pod.js';
import {
  readSurges,
  surgeOf,
  SURGES_ANNOTATION,
  surgesText,
  wantsSurge,
  type Surge,
} from '../../../domain/pods/surge.js';
import type { Scale } from '../../../ports/kube-writer.js';
import { hasCode } from '../../../ports/port-error.js';
import { ownerKeyOf } from '../../../state/cluster/owner-key.js';
import { deletionCostChange, LOWEST_COST } from '../../../domain/pods/deletion-cost.js';
import type { LifecycleContext } from '../lifecycle-context.js';
import { recordClaim } from '../record-claim.js';

const NONE: ReadonlySet<string> = new Set();
/** So long after the deletion of the claim its pods are evicted as any others. */
const SURGE_MILLIS = 600_000;
/** A ReplicaSet that was scaled back has chosen the pod to delete by then; if it chose another one, the surge is repeated. */
const CHOICE_MILLIS = 30_000;

type SurgesContext = Pick<LifecycleContext, 'cluster' | 'clock' | 'writer' | 'recorder' | 'logger'>;

export class Surges {
  readonly #context: SurgesContext;
  /** Deployments for which a surge is about to be written down. */
  readonly #beginning = new Set<string>();
  /** Claim's uid → what was reported about its pods. */
  readonly #reported = new Map<string, Set<string>>();

  constructor(context: SurgesContext) {
    this.#context = context;
  }

  /** Whether a Deployment has, or may have, a replica more because of the claim. */
  isAny({ name, annotations }: NodeClaim): boolean {
    return readSurges(this.#context.cluster.nodeClaims.get(name)?.annotations ?? annotations).length > 0;
  }

  /** Whether a step of a surge was written to the claim since it was read. */
  isOutdated({ name, annotations }: NodeClaim): boolean {
    const current = this.#context.cluster.nodeClaims.get(name);
    return current?.annotations.get(SURGES_ANNOTATION) !== annotations.get(SURGES_ANNOTATION);
  }

  /** One step of each surge. `leaving` are the pods that are to be evicted now; answers the uids of those that are not. */
  async advance(
    claim: NodeClaim,
    leaving: readonly ObservedPod[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const known = readSurges(claim.annotations);
    const asking = leaving.filter(wantsSurge);
    if (known.length === 0 && asking.length === 0) return NONE;
    const targets = this.#targets(claim, asking);
    const begun: Surge[] = [];
    try {
      const next: Surge[] = [];
      for (const surge of known) {
        const left = await this.#tried(surge, targets.get(surge.podUID)?.pod, signal);
        if (left !== undefined) next.push(left);
      }
      for (const { pod, deployment } of targets.values()) {
        if (known.some(({ podUID }) => podUID === pod.uid)) continue;
        const surge = await this.#begin(claim, pod, deployment, signal);
        if (surge !== undefined) begun.push(surge);
      }
      await this.#write(claim, [...next, ...begun], signal);
    } finally {
      for (const { deployment } of begun) this.#beginning.delete(deployment);
    }
    return new Set(targets.keys());
  }

  /** What was reported about the claim's pods is forgotten. */
  forget({ uid }: NodeClaim): void {
    this.#reported.delete(uid);
  }

  /** Of the pods that ask for it, those whose Deployment can have a replica more, by their uids. */
  #targets(claim: NodeClaim, asking: readonly ObservedPod[]): ReadonlyMap<string, Target> {
    const { cluster, clock } = this.#context;
    const targets = new Map<string, Target>();
    if (asking.length === 0) return targets;
    const autoscaled = cluster.autoscaledDeployments();
    const isLate = clock.now() >= (claim.deletionTimestamp ?? 0) + SURGE_MILLIS;
    for (const pod of asking) {
      const verdict = surgeOf(pod, cluster.workloadOf(pod), autoscaled);
      if ('refusal' in verdict) this.#refuse(claim, pod, verdict.refusal);
      else if (isLate) this.#refuse(claim, pod, 'no further pod was Ready within 10 minutes');
      else targets.set(pod.uid, { pod, deployment: verdict.deployment });
    }
    return targets;
  }

  /** The surge that is to be written down before the Deployment is scaled; undefined while it has to wait. */
  async #begin(
    claim: NodeClaim,
    pod: ObservedPod,
    deployment: string,
    signal: AbortSignal,
  ): Promise<Surge | undefined> {
    const { cluster, clock, writer, recorder } = this.#context;
    if (this.#beginning.has(deployment) || this.#isSurging(deployment)) return undefined;
    this.#beginning.add(deployment);
    let surge: Surge | undefined;
    try {
      const scale = await writer.readScale(deployment, signal);
      // While it is rolled out, a replica more may be one of another template.
      if (scale !== undefined && cluster.workloadOf(pod)?.wantedPods === scale.replicas) {
        const { replicas } = scale;
        surge = { deployment, podUID: pod.uid, replicas, isReturning: false, since: clock.now() };
      }
    } catch (error) {
      if (signal.aborted) throw error;
      this.#warn(deployment, error);
    } finally {
      if (surge === undefined) this.#beginning.delete(deployment);
    }
    if (surge !== undefined)
      recordClaim(recorder, claim, {
        action: 'Drain',
        reason: 'Surging',
        message: `Deployment ${deployment} gets a replica more before pod ${podKey(pod)} leaves`,
        event: 'Normal',
      });
    return surge;
  }

  /** Several nodes that have pods of one Deployment take turns. */
  #isSurging(deployment: string): boolean {
    for (const { annotations } of this.#context.cluster.nodeClaims.values())
      if (readSurges(annotations).some((surge) => surge.deployment === deployment)) return true;
    return false;
  }

  /** What could not be done is tried again in the next round. */
  async #tried(surge: Surge, pod: ObservedPod | undefined, signal: AbortSignal): Promise<Surge | undefined> {
    try {
      return await this.#step(surge, pod, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (!hasCode(error, 'Conflict')) this.#warn(surge.deployment, error);
      return surge;
    }
  }

  /** `pod` is undefined when the replica more is not wanted any longer. Answers the surge as it is then; undefined: it is over. */
  async #step(surge: Surge, pod: ObservedPod | undefined, signal: AbortSignal): Promise<Surge | undefined> {
    const { clock, writer } = this.#context;
    const scale = await writer.readScale(surge.deployment, signal);
    if (scale === undefined) return undefined;
    if (surge.isReturning) return this.#takeBack(surge, scale, signal);
    const isRaised = scale.replicas === surge.replicas + 1;
    // Another client has decided how many there are to be.
    if (!isRaised && scale.replicas !== surge.replicas) return undefined;
    const returning: Surge = { ...surge, isReturning: true, since: clock.now() };
    if (pod === undefined) return isRaised ? returning : undefined;
    if (!isRaised) {
      await writer.setReplicas(scale, surge.replicas + 1, signal);
      return surge;
    }
    if (this.#othersReady(pod) < surge.replicas) return surge;
    const change = deletionCostChange(pod, LOWEST_COST);
    if (change !== undefined) await writer.annotatePod(pod, change, signal);
    return returning;
  }

  async #takeBack(surge: Surge, scale: Scale, signal: AbortSignal): Promise<Surge | undefined> {
    const { cluster, clock, writer } = this.#context;
    if (scale.replicas === surge.replicas + 1) {
      await writer.setReplicas(scale, surge.replicas, signal);
      return surge;
    }
    const pod = cluster.podByUID(surge.podUID);
    if (pod === undefined || pod.terminating) return undefined;
    return clock.now() < surge.since + CHOICE_MILLIS ? surge : undefined;
  }

  /** Ready pods of the same ReplicaSet. */
  #othersReady(pod: ObservedPod): number {
    const pods = this.#context.cluster.podsOf(ownerKeyOf(pod) ?? '');
    return pods.filter(({ uid, ready, terminating }) => uid !== pod.uid && ready && !terminating).length;
  }

  async #write(claim: NodeClaim, surges: readonly Surge[], signal: AbortSignal): Promise<void> {
    const text = surgesText(surges);
    if (text === (claim.annotations.get(SURGES_ANNOTATION) ?? null)) return;
    await this.#context.writer.annotateClaim(claim, { [SURGES_ANNOTATION]: text }, signal);
  }

  #refuse(claim: NodeClaim, pod: ObservedPod, why: string): void {
    const message = `pod ${podKey(pod)} is evicted without a replica more before: ${why}`;
    const reported = this.#reported.get(claim.uid) ?? new Set();
    if (reported.has(message)) return;
    this.#reported.set(claim.uid, reported.add(message));
    const event = 'Warning';
    recordClaim(this.#context.recorder, claim, { action: 'Drain', reason: 'SurgeFailed', message, event });
  }

  #warn(deployment: string, error: unknown): void {
    this.#context.logger.warn('Failed to scale a Deployment before a pod leaves', { deployment, error });
  }
}

interface Target {
  readonly pod: ObservedPod;
  /** `namespace/name` */
  readonly deployment: string;
}
