/**
 * The staged roll-outs of drift (berth.driftRollout), and the back-off of pools whose replacements fail. How far a roll-out is
 * follows from the nodes; that it is paused outlives what paused it, in the condition of the NodePool's PolicyStatus.
 */
import { RESUME_DRIFT_ANNOTATION } from '../../../domain/policies/drift-rollout.js';
import { policyStatusName, type PolicyStatus } from '../../../domain/policies/policy.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import type { DecisionSubject } from '../../../domain/records/decision.js';
import { podKey } from '../../../domain/pods/pod.js';
import { moment } from '../../../planning/disrupt/question/refusal.js';
import { counted } from '../../../domain/values/text.js';
import {
  driftStage,
  holdOf,
  type DriftStage,
  type Restarts,
} from '../../../planning/disrupt/budgets/drift-stage.js';
import type { NodeLife } from '../../../planning/disrupt/question/disruption.js';
import type { DriftHold } from '../../../planning/disrupt/question/drift-hold.js';
import type { PoolOffer } from '../../../planning/snapshot/cluster-input.js';
import type { Clock } from '../../../ports/clock.js';
import type { Logger } from '../../../ports/logger.js';
import type { Random } from '../../../ports/random.js';
import type { Recorder } from '../../../ports/recorder.js';
import type { Metrics } from '../../../runtime/metrics/metrics.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import type { UntimedCondition } from '../../../state/policies/policy-verdict.js';
import { DriftBackOff } from './drift-back-off.js';

export interface DriftRolloutsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

const CONDITION = 'DriftRolledOut';

type RolloutCondition = Extract<UntimedCondition, { type: typeof CONDITION }>;

/** What is rolled out in a pool, and how far it is. */
interface Progress {
  readonly target: string;
  readonly stage: DriftStage;
}

export class DriftRollouts {
  readonly backOff: DriftBackOff;
  readonly #options: DriftRolloutsOptions;
  /** Pool → what drifted nodes are to be replaced by. */
  readonly #targets = new Map<string, string>();
  /** Claim → the target that it was compared with last, of which its condition Drifted tells. */
  readonly #compared = new Map<string, string>();
  /** Claims that something has changed for of what they are compared with. */
  readonly #uncompared = new Set<string>();
  readonly #progress = new Map<string, Progress>();
  readonly #listeners = new Set<(nodePool: string) => void>();

  constructor(options: DriftRolloutsOptions) {
    this.#options = options;
    this.backOff = new DriftBackOff(options);
  }

  /** Called when the condition of a NodePool changes, until the answer is called. */
  onChange(listener: (nodePool: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Before anything compared with it is written: claims compared with another are no proof of it. */
  aim(nodePool: string, target: string): void {
    const before = this.#targets.get(nodePool);
    if (before === target) return;
    this.#targets.set(nodePool, target);
    if (before !== undefined) this.backOff.forget(nodePool);
  }

  /** What the claim is compared with has changed: its condition Drifted may be out of date until it is compared again. */
  changed(claim: string): void {
    this.#uncompared.add(claim);
  }

  /** The claim's condition Drifted says what became of the comparison; undefined: with nothing that is rolled out in stages. */
  compared(claim: string, target: string | undefined): void {
    this.#uncompared.delete(claim);
    if (target !== undefined) this.#compared.set(claim, target);
  }

  /** Claims that may prove to have drifted, or may be gone. */
  get uncompared(): ReadonlySet<string> {
    return this.#uncompared;
  }

  /** When the next soak ends, in milliseconds since 1970; Infinity where none does. */
  get nextAt(): number {
    const soaking = [...this.#progress.values()].flatMap(({ stage }) =>
      stage.stage === 'Soaking' ? [stage.until] : [],
    );
    return Math.min(Infinity, ...soaking);
  }

  /** How far each pool is now, which its condition, its metric and its Decisions tell. Nodes are named as their claims. */
  look(pools: readonly PoolOffer[], nodes: () => readonly NodeLife[]): void {
    const staged = pools.filter(isStaged);
    const names = new Set(staged.map(({ pool }) => pool.name));
    for (const name of this.#progress.keys()) if (!names.has(name)) this.#forget(name);
    if (staged.length === 0) return;
    const { cluster } = this.#options;
    for (const name of this.#compared.keys())
      if (cluster.nodeClaims.get(name) === undefined) this.#compared.delete(name);
    const all = nodes();
    for (const { pool } of staged) {
      const progress = this.#progressOf(pool, all);
      if (progress !== undefined) this.#told(pool.name, progress);
    }
  }

  /** What holds drifted nodes of pools back, by the nodes as they are given. */
  holds(pools: readonly PoolOffer[], nodes: () => readonly NodeLife[]): ReadonlyMap<string, DriftHold> {
    const holds = new Map<string, DriftHold>();
    const all = pools.some(isStaged) ? nodes() : [];
    for (const offer of pools) {
      const { name } = offer.pool;
      const staged = isStaged(offer) ? this.#stageHold(offer.pool, all) : undefined;
      const hold = staged?.refusal.code === 'DriftPaused' ? staged : (this.#backOffHold(name) ?? staged);
      if (hold !== undefined) holds.set(name, hold);
    }
    return holds;
  }

  /** The condition of the NodePool's PolicyStatus; undefined where its drift is not rolled out in stages. */
  condition(nodePool: string): RolloutCondition | undefined {
    const status = this.#status(nodePool);
    const value = status?.lastAccepted?.value;
    if (value?.kind !== 'NodePool' || value.nodePool.disruption.driftRollout === undefined) return undefined;
    const progress = this.#progress.get(nodePool);
    if (progress !== undefined) return conditionOf(progress);
    // After a restart, until it is known again: what it was paused for may be gone.
    return status?.conditions.find(({ type }) => type === CONDITION) as RolloutCondition | undefined;
  }

  #backOffHold(nodePool: string): DriftHold | undefined {
    const until = this.backOff.until(nodePool);
    const failures = this.backOff.failures(nodePool);
    return until === undefined
      ? undefined
      : { room: 0, refusal: { code: 'DriftBackOff', nodePool, failures, until } };
  }

  /** While it is not known what the pool asks for, nothing is begun. */
  #stageHold(pool: NodePool, nodes: readonly NodeLife[]): DriftHold | undefined {
    const { name } = pool;
    const progress = this.#progressOf(pool, nodes);
    if (progress !== undefined) return holdOf(progress.stage, name, progress.target);
    return holdOf({ stage: 'Canary', canaries: 1, room: 0 }, name, '');
  }

  /** undefined while it is not known what the pool asks for. */
  #progressOf(
    { name, disruption: { driftRollout } }: NodePool,
    nodes: readonly NodeLife[],
  ): Progress | undefined {
    const target = this.#targets.get(name);
    if (target === undefined || driftRollout === undefined) return undefined;
    const own = nodes.filter(({ nodePool }) => nodePool === name);
    const stage = driftStage(driftRollout, {
      nodes: own.map((node) => ({ ...node, compared: this.#compared.get(node.name) === target })),
      failures: this.backOff.failures(name),
      restartsOn: this.#restartsOn,
      paused: this.#pausedBefore(name, target),
      resumed: this.#status(name)?.annotations.get(RESUME_DRIFT_ANNOTATION) === target,
      now: this.#options.clock.now(),
    });
    return { target, stage };
  }

  /** Why the roll-out of the target was paused, as far as this process or the one before it saw. */
  #pausedBefore(nodePool: string, target: string): string | undefined {
    const known = this.#progress.get(nodePool);
    if (known !== undefined)
      return known.target === target && known.stage.stage === 'Paused' ? known.stage.why : undefined;
    const condition = this.#status(nodePool)?.conditions.find(({ type }) => type === CONDITION);
    const prefix = targetText(target);
    if (condition?.reason !== 'Paused' || !condition.message.startsWith(prefix)) return undefined;
    return condition.message.slice(prefix.length);
  }

  readonly #restartsOn = (claim: string): Restarts | undefined => {
    const { cluster } = this.#options;
    const node = cluster.nodeOfClaim(claim);
    let most: Restarts | undefined;
    for (const pod of node === undefined ? [] : cluster.podsOn(node.name))
      if (pod.restarts > (most?.count ?? 0)) most = { pod: podKey(pod), count: pod.restarts };
    return most;
  };

  #told(nodePool: string, progress: Progress): void {
    const { metrics } = this.#options;
    const before = this.#progress.get(nodePool);
    this.#progress.set(nodePool, progress);
    if (before !== undefined && textOf(before) === textOf(progress)) return;
    if (before !== undefined) metrics.driftRollout.remove({ nodepool: nodePool, stage: before.stage.stage });
    metrics.driftRollout.set({ nodepool: nodePool, stage: progress.stage.stage }, 1);
    const wasPaused = before?.stage.stage === 'Paused';
    if (progress.stage.stage === 'Paused' && !wasPaused) this.#tellPaused(nodePool, progress.stage.why);
    if (progress.stage.stage !== 'Paused' && wasPaused)
      this.#options.recorder.settle(this.#subject(nodePool), 'Freeze', 'the roll-out of drift continues');
    for (const listener of this.#listeners) listener(nodePool);
  }

  #tellPaused(nodePool: string, why: string): void {
    const { logger, recorder } = this.#options;
    const status = this.#status(nodePool);
    // After a restart it is known already.
    if (status?.conditions.some(({ type, reason }) => type === CONDITION && reason === 'Paused') === true)
      return;
    logger.warn('Paused the roll-out of drift', { nodePool, why });
    recorder.record({
      subject: this.#subject(nodePool),
      action: 'Freeze',
      reason: 'DriftPaused',
      message: `the roll-out of drift is paused: ${why}`,
      trigger: 'disruption',
      considered: '',
      saving: undefined,
      event: { type: 'Warning', reason: 'DriftPaused' },
    });
  }

  #forget(nodePool: string): void {
    const known = this.#progress.get(nodePool);
    if (known === undefined) return;
    this.#progress.delete(nodePool);
    this.#options.metrics.driftRollout.remove({ nodepool: nodePool, stage: known.stage.stage });
    for (const listener of this.#listeners) listener(nodePool);
  }

  #subject(nodePool: string): DecisionSubject {
    const uid = this.#status(nodePool)?.uid ?? '';
    return { kind: 'PolicyStatus', namespace: '', name: policyStatusName('NodePool', nodePool), uid };
  }

  #status(nodePool: string): PolicyStatus | undefined {
    return this.#options.cluster.policyStatuses.get(policyStatusName('NodePool', nodePool));
  }
}

function isStaged({ pool, frozen }: PoolOffer): boolean {
  return frozen !== true && pool.disruption.driftRollout !== undefined;
}

function targetText(target: string): string {
  return `target ${target}: `;
}

/** But for how many more go now, which changes with every node. */
function textOf(progress: Progress): string {
  return JSON.stringify(conditionOf(progress));
}

function conditionOf({ target, stage }: Progress): RolloutCondition {
  const said = (text: string): { readonly type: typeof CONDITION; readonly message: string } => ({
    type: CONDITION,
    message: `${targetText(target)}${text}`,
  });
  switch (stage.stage) {
    case 'RolledOut':
      return { ...said('no node differs'), status: 'True', reason: 'RolledOut' };
    case 'RollingOut':
      return {
        ...said('nodes that differ are replaced as budgets let them go'),
        status: 'False',
        reason: 'RollingOut',
      };
    case 'Canary':
      return {
        ...said(`${counted(stage.canaries, 'node')} must be ready first`),
        status: 'False',
        reason: 'Canary',
      };
    case 'Soaking': {
      const text = `${counted(stage.canaries, 'node')} ready; soak until ${moment(stage.until)}`;
      return { ...said(text), status: 'False', reason: 'Soaking' };
    }
    case 'Paused':
      return { ...said(stage.why), status: 'False', reason: 'Paused' };
  }
}
