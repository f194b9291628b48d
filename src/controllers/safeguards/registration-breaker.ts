/**
 * Stops buying for a NodePool whose instances never become nodes that are Ready: a wrong image, user data or network. After so many in
 * a row it launches nothing for a while, then one instance on trial: if that gets as far as the last one did not, all is well, if not it
 * waits twice as long.
 */
import { isTrue } from '../../domain/values/condition.js';
import { isLaunchOpen, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { PolicyCondition } from '../../domain/policies/policy-conditions.js';
import { policyStatusName } from '../../domain/policies/policy.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { RecordedEvent, Recorder } from '../../ports/recorder.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import type { Change } from '../../state/cluster/store.js';

export interface RegistrationBreakerOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Failures in a row that open it. */
  readonly failures: number;
}

/** The condition of a NodePool's PolicyStatus, named as Karpenter's. */
const REGISTRATION_CONDITION = 'NodeRegistrationHealthy';

export type RegistrationCondition = Extract<PolicyCondition, { type: typeof REGISTRATION_CONDITION }> & {
  readonly message: string;
};

/** From the moment it opens to the first trial; doubled with every trial that fails, */
const BASE_MILLIS = 300_000;
/** up to this. */
const MOST_MILLIS = 3_600_000;
/** Why a claim ended without a node, where that says something about its NodePool: not when a user or the spot market took it. */
const FAILURES: ReadonlySet<string> = new Set([
  'RegistrationTimeout',
  'InstanceGone',
  'InstanceStopping',
  'InstanceTerminating',
  'InstanceUnhealthy',
  'InitializationTimeout',
]);

/** What the instances of a NodePool fail to become: reason of the condition, and in words. */
const STAGES = {
  Registered: {
    reason: 'RegistrationFailed',
    failed: 'failed to register as nodes',
    recovered: 'registered',
  },
  Initialized: {
    reason: 'InitializationFailed',
    failed: 'registered but were never Ready',
    recovered: 'is Ready',
  },
} as const;
type Stage = keyof typeof STAGES;

interface Circuit {
  /** In a row; those that fail earlier count as well. */
  failures: number;
  /** What the last one did not become, and the next has to. */
  stage: Stage;
  /** How often it opened in a row; 0 while it is closed. */
  opened: number;
  /** No trial before; monotonic. */
  until: number;
  /** The claim that is launched on trial, in as many attempts as that takes. */
  trial: string | undefined;
}

/** Of a NodePool whose instances become nodes. */
function closed(): Circuit {
  return { failures: 0, stage: 'Registered', opened: 0, until: 0, trial: undefined };
}

export class RegistrationBreaker {
  readonly #options: RegistrationBreakerOptions;
  readonly #circuits = new Map<string, Circuit>();
  readonly #listeners = new Set<(nodePool: string) => void>();

  constructor(options: RegistrationBreakerOptions) {
    this.#options = options;
  }

  /** Takes note of what becomes of claims, until the answer is called. */
  follow(): () => void {
    return this.#options.cluster.nodeClaims.subscribe((change) => {
      this.#onClaim(change);
    });
  }

  /** Called when the condition of a NodePool changes, until the answer is called. */
  onChange(listener: (nodePool: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Those of the claims, all of one NodePool, that may be launched. */
  admits(claims: readonly [NodeClaim, ...NodeClaim[]]): readonly NodeClaim[] {
    const [first] = claims;
    const circuit = this.#circuit(first.spec.nodePool);
    if (circuit === undefined || circuit.opened === 0) return claims;
    // The claim on trial asks again when an attempt brought nothing.
    return this.#isWaiting(circuit) ? claims.filter(({ name }) => name === circuit.trial) : [first];
  }

  /** These are launched now. */
  launching(claims: readonly NodeClaim[]): void {
    for (const { name, spec } of claims) {
      const circuit = this.#circuit(spec.nodePool);
      if (circuit !== undefined && circuit.opened > 0) circuit.trial = name;
    }
  }

  /** Why the NodePool is not to be planned with; undefined when it may be. */
  problem(nodePool: string): string | undefined {
    const circuit = this.#circuit(nodePool);
    if (circuit === undefined || circuit.opened === 0 || !this.#isWaiting(circuit)) return undefined;
    const { clock } = this.#options;
    const left = Math.max(0, circuit.until - clock.monotonic());
    const next =
      left > 0
        ? `the next trial launch is at ${new Date(clock.now() + left).toISOString()}`
        : `NodeClaim ${circuit.trial ?? ''} is the current trial launch`;
    return `launches are stopped: ${failuresOf(circuit)}; ${next}. Check the image, user data and network of its node class`;
  }

  /** The condition of the NodePool's PolicyStatus; undefined where nothing ever failed. */
  condition(nodePool: string): RegistrationCondition | undefined {
    const type = REGISTRATION_CONDITION;
    const circuit = this.#circuit(nodePool);
    if (circuit === undefined) return undefined;
    if (circuit.opened === 0) return { type, status: 'True', reason: 'Registered', message: '' };
    const message = `${failuresOf(circuit)}; launches are stopped, except for one trial launch at a time`;
    return { type, status: 'False', reason: STAGES[circuit.stage].reason, message };
  }

  #onClaim({ before, after }: Change<NodeClaim>): void {
    if (after === undefined) return;
    for (const stage of ['Registered', 'Initialized'] as const)
      if (hasBecome(after, stage) && (before === undefined || !hasBecome(before, stage)))
        this.#succeeded(after, stage);
    if (before === undefined || before.status.disruption !== undefined) return;
    const failure = failureOf(after);
    if (failure !== undefined) this.#failed(after, failure);
  }

  #succeeded({ spec: { nodePool } }: NodeClaim, stage: Stage): void {
    const circuit = this.#circuit(nodePool);
    if (circuit === undefined || (circuit.stage === 'Initialized' && stage === 'Registered')) return;
    this.#circuits.set(nodePool, closed());
    if (circuit.opened === 0) return;
    const message = `an instance ${STAGES[circuit.stage].recovered}: launches are resumed`;
    this.#tell(nodePool, { type: 'Normal', reason: 'RegistrationRecovered' }, message);
  }

  #failed({ name, spec: { nodePool } }: NodeClaim, reason: string): void {
    const circuit = this.#circuit(nodePool) ?? closed();
    this.#circuits.set(nodePool, circuit);
    circuit.failures++;
    circuit.stage = reason === 'InitializationTimeout' ? 'Initialized' : 'Registered';
    const isDue = circuit.opened === 0 ? circuit.failures >= this.#options.failures : circuit.trial === name;
    if (!isDue) return;
    circuit.opened++;
    circuit.trial = undefined;
    const wait = Math.min(BASE_MILLIS * 2 ** (circuit.opened - 1), MOST_MILLIS);
    circuit.until = this.#options.clock.monotonic() + wait;
    const message = `${failuresOf(circuit)}, the last one NodeClaim ${name} (${reason}): launches are stopped for ${String(wait / 60_000)} minutes`;
    this.#options.metrics.safetyLimitHits.inc({ limit: 'max-registration-failures' });
    this.#tell(nodePool, { type: 'Warning', reason: 'RegistrationStopped' }, message);
  }

  #tell(nodePool: string, event: RecordedEvent<'PolicyStatus'>, message: string): void {
    const { cluster, logger, metrics, recorder } = this.#options;
    const isStopped = event.type === 'Warning';
    metrics.registrationStopped.set({ nodepool: nodePool }, isStopped ? 1 : 0);
    logger[isStopped ? 'warn' : 'info'](isStopped ? 'Stopped launches' : 'Resumed launches', {
      nodePool,
      message,
    });
    const name = policyStatusName('NodePool', nodePool);
    const uid = cluster.policyStatuses.get(name)?.uid ?? '';
    recorder.record({
      subject: { kind: 'PolicyStatus', namespace: '', name, uid },
      action: isStopped ? 'Freeze' : 'Launch',
      reason: event.reason,
      message,
      trigger: 'NodeClaim',
      considered: '',
      saving: undefined,
      event,
    });
    for (const listener of this.#listeners) listener(nodePool);
  }

  /** As it is known; after a restart the NodePool's condition shows that it was open, and one trial may begin. */
  #circuit(nodePool: string): Circuit | undefined {
    const known = this.#circuits.get(nodePool);
    if (known !== undefined) return known;
    const status = this.#options.cluster.policyStatuses.get(policyStatusName('NodePool', nodePool));
    const condition = status?.conditions.find(({ type }) => type === REGISTRATION_CONDITION);
    if (condition === undefined) return undefined;
    const isOpen = condition.status === 'False';
    const stage: Stage = condition.reason === STAGES.Initialized.reason ? 'Initialized' : 'Registered';
    const { failures } = this.#options;
    const circuit = isOpen
      ? { failures, stage, opened: 1, until: 0, trial: this.#underWay(nodePool, stage) }
      : closed();
    this.#circuits.set(nodePool, circuit);
    if (isOpen) this.#options.metrics.registrationStopped.set({ nodepool: nodePool }, 1);
    return circuit;
  }

  /** After a restart: a claim that was launched, or may have been, and has not got so far is the trial. */
  #underWay(nodePool: string, stage: Stage): string | undefined {
    const claims = [...this.#options.cluster.nodeClaims.values()];
    return claims.find(
      (claim) =>
        claim.spec.nodePool === nodePool &&
        (claim.status.providerID !== undefined || isLaunchOpen(claim)) &&
        this.#isAwaited(claim, stage),
    )?.name;
  }

  #isWaiting({ until, trial, stage }: Circuit): boolean {
    if (this.#options.clock.monotonic() < until) return true;
    const claim = trial === undefined ? undefined : this.#options.cluster.nodeClaims.get(trial);
    return claim !== undefined && this.#isAwaited(claim, stage);
  }

  /** A node that is Ready may wait for its start-up taints and devices as long as it likes: the next trial does not wait for that. */
  #isAwaited(claim: NodeClaim, stage: Stage): boolean {
    if (claim.deletionTimestamp !== undefined || hasBecome(claim, stage)) return false;
    return stage === 'Registered' || this.#options.cluster.nodeOfClaim(claim.name)?.ready !== true;
  }
}

/** Why its instance was given up before it had become what it should; undefined where it was not. */
function failureOf({ status }: NodeClaim): string | undefined {
  const reason = status.disruption?.reason;
  if (reason === undefined || status.providerID === undefined || !FAILURES.has(reason)) return undefined;
  return reason === 'InitializationTimeout' || !isTrue(status.conditions, 'Registered') ? reason : undefined;
}

function hasBecome({ status }: NodeClaim, stage: Stage): boolean {
  return isTrue(status.conditions, stage);
}

function failuresOf({ failures, stage }: Circuit): string {
  return `${String(failures)} consecutive instances ${STAGES[stage].failed}`;
}
