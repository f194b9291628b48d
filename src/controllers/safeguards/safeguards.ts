/** The safeguards of one term of the leader: the pause on Berth's namespace, the limits, and the breaker of each NodePool. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { describePause, type Pause } from '../../domain/records/pause.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Recorder } from '../../ports/recorder.js';
import { untilAborted } from '../../runtime/time/deadline.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { pauseOf } from '../../state/policies/pause-of.js';
import { whileObserving } from '../while-observing.js';
import { LaunchLimits } from './launch-limits.js';
import { RegistrationBreaker } from './registration-breaker.js';
import { DEFAULT_SAFETY_LIMITS, type SafetyLimits } from './safety-limits.js';

export interface SafeguardsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Berth's own, which has the pause annotation; berth-system. */
  readonly namespace?: string | undefined;
  readonly limits?: Partial<SafetyLimits> | undefined;
}

const NAMESPACE = 'berth-system';
/** Between two looks whether a pause is over: it has to be honoured, and its end noticed, within five seconds. */
export const PAUSE_LOOK_MILLIS = 2000;

export class Safeguards {
  readonly limits: SafetyLimits;
  readonly launches: LaunchLimits;
  readonly breaker: RegistrationBreaker;
  readonly #options: SafeguardsOptions;
  readonly #namespace: string;
  /** Claims that were let begin to drain: uid → name. */
  readonly #ending = new Map<string, string>();
  #told: Pause | undefined;

  constructor(options: SafeguardsOptions) {
    const { limits, namespace = NAMESPACE } = options;
    this.#options = options;
    this.#namespace = namespace;
    this.limits = { ...DEFAULT_SAFETY_LIMITS, ...limits };
    this.breaker = new RegistrationBreaker({ ...options, failures: this.limits.registrationFailures });
    this.launches = new LaunchLimits({ ...options, limits: this.limits, breaker: this.breaker });
  }

  /** Until the signal is aborted: counts registrations and launches, and records pauses. */
  run(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const subscribe = (): readonly (() => void)[] => [
      this.breaker.follow(),
      this.launches.follow(),
      cluster.namespaces.subscribe(() => {
        this.#tellPause();
      }),
    ];
    return whileObserving(
      { cluster, kinds: ['Namespace', 'NodeClaim', 'PolicyStatus'], signal, subscribe },
      async () => {
        this.#tellPause();
        await untilAborted(signal, 'guard', () => new Promise<never>(() => undefined));
      },
    );
  }

  /** undefined: it is not paused. While it is, nothing is launched and nothing is ended. */
  pause(): Pause | undefined {
    return pauseOf(this.#options.cluster, this.#namespace);
  }

  isPaused(): boolean {
    return this.pause() !== undefined;
  }

  /** Resolves when it is not paused. @throws PortError Cancelled, when the signal is aborted before. */
  async whenNotPaused(signal: AbortSignal): Promise<void> {
    while (this.isPaused()) await this.#options.clock.sleep(PAUSE_LOOK_MILLIS, signal);
  }

  /** Whether the claim may begin to drain; one that has begun continues. */
  mayEnd({ uid, name }: NodeClaim, isUrgent: boolean): boolean {
    const { cluster } = this.#options;
    if (!this.#ending.has(uid) && this.#ending.size >= this.limits.concurrentTerminations)
      for (const [known, claim] of this.#ending)
        if (cluster.nodeClaims.get(claim)?.uid !== known) this.#ending.delete(known);
    const isFree = this.#ending.has(uid) || this.#ending.size < this.limits.concurrentTerminations;
    if (isFree || isUrgent) this.#ending.set(uid, name);
    else this.hit('max-concurrent-terminations');
    return isFree || isUrgent;
  }

  /** The claim is gone. */
  ended({ uid }: NodeClaim): void {
    this.#ending.delete(uid);
  }

  /** A limit held something back. */
  hit(limit: string): void {
    this.#options.metrics.safetyLimitHits.inc({ limit });
  }

  #tellPause(): void {
    const { cluster, logger, metrics, recorder } = this.#options;
    const pause = this.pause();
    metrics.paused.set(pause === undefined ? 0 : 1);
    const isSame = JSON.stringify(pause) === JSON.stringify(this.#told);
    const before = this.#told;
    this.#told = pause;
    if (isSame) return;
    const uid = cluster.namespaces.get(this.#namespace)?.uid ?? '';
    const subject = { kind: 'Namespace', namespace: '', name: this.#namespace, uid };
    const rest = { subject, trigger: 'Namespace', considered: '', saving: undefined } as const;
    if (pause === undefined) {
      logger.info('Resumed launching and terminating instances', { before });
      recorder.settle(subject, 'Freeze', 'resumed');
      const message = 'resumed launching and terminating instances';
      recorder.record({
        ...rest,
        action: 'Accept',
        reason: 'Resumed',
        message,
        event: { type: 'Normal', reason: 'Resumed' },
      });
      return;
    }
    logger.warn('Paused launching and terminating instances', { ...pause });
    const message = `${describePause(pause)}; instances are neither launched nor terminated`;
    recorder.record({
      ...rest,
      action: 'Freeze',
      reason: 'Paused',
      message,
      event: { type: 'Warning', reason: 'Paused' },
    });
  }
}
