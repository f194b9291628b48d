/** Keeps a PolicyStatus for every policy document: what holds, whether it can be launched from, what its nodes have. */
import { isNodeClassKind, type NodeClass } from '../../domain/policies/node-class.js';
import { NODEPOOL } from '../../domain/values/labels.js';
import { type AcceptedPolicy, type PolicyStatus, policyStatusName } from '../../domain/policies/policy.js';
import type { PoolScale } from '../../domain/policies/pool-scale.js';
import { NO_RESOURCES, type ResourceList } from '../../domain/values/resources.js';
import { isSameMap } from '../../domain/values/same.js';
import type { Clock } from '../../ports/clock.js';
import type { ObservedKind } from '../../ports/cluster-feed.js';
import type { KubeWriter, PolicyStatusContent } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import type { Random } from '../../ports/random.js';
import type { Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { type Requeue, WorkQueue } from '../../runtime/concurrency/work-queue.js';
import { acceptedPolicies, type AcceptedPolicies } from '../../state/policies/accepted-policies.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { Change } from '../../state/cluster/store.js';
import type { OverlaidCatalogue } from '../../state/policies/overlaid-catalogue.js';
import type { PolicyVerdict, UntimedCondition } from '../../state/policies/policy-verdict.js';
import { driftedNodes, poolResources } from '../../state/nodes/pool-resources.js';
import { ClusterWriter } from '../cluster-writer.js';
import type { Safeguards } from '../safeguards/safeguards.js';
import { whileObserving } from '../while-observing.js';
import {
  type KnownCondition,
  nodeClassConditions,
  overlayConditions,
  poolConditions,
  type Resolution,
  timed,
} from './policy-conditions.js';
import { tellChange, tellRetired } from './policy-news.js';
import type { ResolvedNodeClasses } from './resolved-node-classes.js';
import { claimsOf, drainClaim, orphanClaim, type RetireOptions } from './retire-policy.js';
import { conditionsText } from '../../domain/values/condition.js';

/** The conditions of NodePools whose drift is rolled out in stages. */
interface DriftConditions {
  condition(nodePool: string): UntimedCondition | undefined;
  /** Called when one changes, until the answer is called. */
  onChange(listener: (nodePool: string) => void): () => void;
}

export interface PoliciesControllerOptions {
  readonly cluster: Cluster;
  readonly kube: KubeWriter;
  readonly cloud: RetireOptions['cloud'];
  readonly resolved: ResolvedNodeClasses;
  /** Says which NodeOverlays contradict each other; without it none does. */
  readonly overlaid?: Pick<OverlaidCatalogue, 'conflicts'> | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Without them no NodePool is stopped. */
  readonly safeguards?: Pick<Safeguards, 'breaker'> | undefined;
  /** Without them no drift is rolled out in stages. */
  readonly driftRollouts?: DriftConditions | undefined;
}

const KINDS: readonly ObservedKind[] = ['PolicyConfigMap', 'PolicyStatus', 'Node', 'NodeClaim'];
const CONCURRENCY = 4;
const TIMEOUT_MILLIS = 60_000;
/** At most one write of a pool's resources in this time. */
const RESOURCES_MILLIS = 2000;
/** Subnets and images come and go unseen. */
const RESOLVE_MILLIS = 60_000;
const RESOLVE_AGAIN_MILLIS = 10_000;

export class PoliciesController {
  readonly #options: PoliciesControllerOptions;
  readonly #writer: ClusterWriter;
  readonly #queue: WorkQueue;
  /** Sorted out from the documents and statuses as they are now; undefined when one of them has changed. */
  #accepted: AcceptedPolicies | undefined;

  constructor(options: PoliciesControllerOptions) {
    this.#options = options;
    this.#writer = new ClusterWriter(options);
    this.#queue = new WorkQueue({
      ...options,
      name: 'policies',
      handle: (name, signal) => this.reconcile(name, signal),
      concurrency: CONCURRENCY,
      baseDelayMillis: 200,
      maxDelayMillis: 60_000,
      timeoutMillis: TIMEOUT_MILLIS,
    });
  }

  /** Until the signal is aborted. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => this.#subscribe(cluster);
    return whileObserving({ cluster, kinds: KINDS, signal, subscribe }, async () => {
      this.#changed();
      await this.#queue.run(signal);
    });
  }

  /** Brings the PolicyStatus of this name up to date. */
  async reconcile(name: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const { cluster } = this.#options;
    const verdict = this.#verdicts().find(({ kind, policy }) => policyStatusName(kind, policy) === name);
    const known = cluster.policyStatuses.get(name);
    if (verdict === undefined) return undefined;
    if (verdict.deletion !== undefined) return this.#retire(verdict, known, signal);
    if (verdict.gone) {
      await this.#drop(known, signal);
      return undefined;
    }
    if (isNodeClassKind(verdict.kind)) return this.#nodeClass(verdict, signal);
    const isPool = verdict.kind === 'NodePool';
    const content = {
      conditions: this.#conditions(verdict),
      resources: isPool ? poolResources(cluster, verdict.policy) : NO_RESOURCES,
      driftedNodes: isPool ? driftedNodes(cluster, verdict.policy) : 0,
    };
    await this.#write(verdict, content, signal);
    return undefined;
  }

  #conditions(verdict: PolicyVerdict): PolicyVerdict['conditions'] {
    const { cluster, overlaid, safeguards, driftRollouts } = this.#options;
    const { kind, policy } = verdict;
    if (kind === 'NodeOverlay') return overlayConditions(verdict, overlaid?.conflicts() ?? []);
    const own = [
      safeguards?.breaker.condition(policy),
      kind === 'NodePool' ? driftRollouts?.condition(policy) : undefined,
    ];
    return poolConditions(
      cluster,
      verdict,
      own.filter((condition) => condition !== undefined),
    );
  }

  #subscribe(cluster: Cluster): readonly (() => void)[] {
    const changed = (): void => {
      this.#changed();
    };
    const ofPool = (nodePool: string): void => {
      this.#queue.add(policyStatusName('NodePool', nodePool));
    };
    const { safeguards, driftRollouts } = this.#options;
    return [
      safeguards?.breaker.onChange(ofPool) ?? ((): void => undefined),
      driftRollouts?.onChange(ofPool) ?? ((): void => undefined),
      cluster.policyConfigMaps.subscribe(changed),
      cluster.policyStatuses.subscribe((change) => {
        if (isOfNodes(change)) this.#queue.add(change.key);
        else this.#changed();
      }),
      cluster.nodes.subscribe(({ before, after }) => {
        this.#poolChanged((after ?? before)?.labels.get(NODEPOOL));
      }),
      cluster.nodeClaims.subscribe(({ before, after }) => {
        const spec = (after ?? before)?.spec;
        this.#poolChanged(spec?.nodePool);
        if (spec !== undefined && after === undefined)
          this.#queue.add(policyStatusName(spec.nodeClassRef.kind, spec.nodeClassRef.name));
      }),
    ];
  }

  #changed(): void {
    this.#accepted = undefined;
    for (const { kind, policy } of this.#verdicts()) this.#queue.add(policyStatusName(kind, policy));
  }

  #poolChanged(pool: string | undefined): void {
    if (pool !== undefined) this.#queue.addAfter(policyStatusName('NodePool', pool), RESOURCES_MILLIS);
  }

  #verdicts(): readonly PolicyVerdict[] {
    const { policyConfigMaps, policyStatuses } = this.#options.cluster;
    this.#accepted ??= acceptedPolicies(policyConfigMaps.values(), policyStatuses.values());
    return this.#accepted.verdicts;
  }

  async #nodeClass(verdict: PolicyVerdict, signal: AbortSignal): Promise<Requeue | undefined> {
    // That it is accepted is written first: what the cloud says may be long in coming.
    const known = await this.#writeNodeClass(verdict, 'pending', signal);
    const value = verdict.lastAccepted?.value;
    if (value === undefined || !('nodeClass' in value) || verdict.frozen) return undefined;
    const resolution = await this.#resolve(value.nodeClass, signal);
    await this.#writeNodeClass(verdict, resolution, signal, known);
    const isAnswered = resolution !== 'pending' && 'answer' in resolution;
    return { requeueAfterMillis: isAnswered ? RESOLVE_MILLIS : RESOLVE_AGAIN_MILLIS };
  }

  async #resolve(nodeClass: NodeClass, signal: AbortSignal): Promise<Resolution> {
    try {
      return { answer: await this.#options.resolved.resolve(nodeClass, signal) };
    } catch (error) {
      if (signal.aborted) throw error;
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  }

  #writeNodeClass(
    verdict: PolicyVerdict,
    resolution: Resolution,
    signal: AbortSignal,
    written?: PolicyStatus,
  ): Promise<PolicyStatus | undefined> {
    const name = policyStatusName(verdict.kind, verdict.policy);
    const known = written ?? this.#options.cluster.policyStatuses.get(name);
    const isInForce = verdict.lastAccepted?.value !== undefined;
    const conditions = isInForce ? nodeClassConditions(verdict, resolution, known) : verdict.conditions;
    const isAnswered = resolution !== 'pending' && 'answer' in resolution;
    const resolved = isAnswered ? resolution.answer.objects : known?.resolved;
    return this.#write(verdict, { conditions, resources: NO_RESOURCES, driftedNodes: 0, resolved }, signal);
  }

  /** Writes what differs, and tells of what changed. */
  async #write(
    verdict: PolicyVerdict,
    found: { readonly conditions: readonly KnownCondition[] } & Pick<
      PolicyStatusContent,
      'resources' | 'driftedNodes' | 'resolved'
    >,
    signal: AbortSignal,
  ): Promise<PolicyStatus | undefined> {
    const { cluster, kube, clock } = this.#options;
    const { kind, policy, lastAccepted, scale } = verdict;
    const known = cluster.policyStatuses.get(policyStatusName(kind, policy));
    const content: PolicyStatusContent = {
      kind,
      policy,
      lastAccepted,
      scale,
      ...found,
      conditions: timed(found.conditions, known, clock.now()),
    };
    if (known !== undefined && isSameContent(known, content)) return known;
    const status = await kube.putPolicyStatus(content, known, signal);
    // An API server with an older definition drops what it does not know: that is no news to start again for.
    if (status.resourceVersion !== known?.resourceVersion) cluster.put('PolicyStatus', status);
    tellChange(this.#options.recorder, known, status);
    return status;
  }

  async #retire(
    { kind, policy, deletion }: PolicyVerdict,
    known: PolicyStatus | undefined,
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    const { cluster } = this.#options;
    const claims = claimsOf(cluster, kind, policy);
    if (claims.length === 0) {
      if (known !== undefined && (await this.#drop(known, signal))) {
        tellRetired(this.#options.recorder, known);
      }
      return undefined;
    }
    const retire = deletion === 'drain' ? drainClaim : orphanClaim;
    const options = { ...this.#options, writer: this.#writer, policy: `${kind} ${policy}` };
    for (const claim of claims) await retire(options, claim, signal);
    return { requeueAfterMillis: RESOURCES_MILLIS };
  }

  /** Answers whether it was there to be deleted. */
  async #drop(known: PolicyStatus | undefined, signal: AbortSignal): Promise<boolean> {
    return known !== undefined && this.#writer.deletePolicyStatus(known, signal);
  }
}

/** Whether only what a pool's nodes have has changed, which is written again and again: no policy amounts to something else by it. */
function isOfNodes({ before, after }: Change<PolicyStatus>): boolean {
  if (before === undefined || before.uid !== after?.uid) return false;
  return contentKey(before) === contentKey(after) && isSameMap(before.annotations, after.annotations);
}

/** Whether a PolicyStatus says already what is to be written. */
function isSameContent(known: PolicyStatus, content: PolicyStatusContent): boolean {
  return (
    contentKey(known) === contentKey(content) &&
    known.driftedNodes === content.driftedNodes &&
    resourcesKey(known.resources) === resourcesKey(content.resources)
  );
}

/** Of all but what the nodes have together. */
function contentKey({ lastAccepted, scale, conditions, resolved }: PolicyStatusContent): string {
  return JSON.stringify([acceptedKey(lastAccepted), scaleKey(scale), conditionsText(conditions), resolved]);
}

function acceptedKey(accepted: AcceptedPolicy | undefined): string {
  return accepted === undefined
    ? ''
    : JSON.stringify([accepted.source.configMap, accepted.source.key, accepted.hash]);
}

function scaleKey(scale: PoolScale | undefined): string {
  return scale === undefined ? '' : `${String(scale.replicas)} ${String(scale.policyReplicas)}`;
}

function resourcesKey(resources: ResourceList): string {
  return JSON.stringify([...resources].sort(([left], [right]) => (left < right ? -1 : 1)));
}
