/**
 * Records why things are done: each decision as a Decision, an Event, a log line and a metric. Log lines and metrics
 * at once; objects later, at a bounded rate, and not at all where that would delay a controller.
 */
import {
  type Decision,
  type DecisionAction,
  type DecisionSpec,
  type DecisionSubject,
  MOST_RELATED,
} from '../../domain/records/decision.js';
import type { Clock } from '../../ports/clock.js';
import type { DecisionWriter, EventWriter } from '../../ports/kube-writer.js';
import type { Logger } from '../../ports/logger.js';
import { hasCode, PortError } from '../../ports/port-error.js';
import type { Random } from '../../ports/random.js';
import type { NewDecision, Recorder } from '../../ports/recorder.js';
import { backoffMillis } from '../../runtime/concurrency/backoff.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import { TokenBucket } from '../../runtime/concurrency/token-bucket.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { eventOf, Events, type EventWrite } from './events.js';
import { createHash } from 'node:crypto';
import { RecentKeys } from './recent-keys.js';
import { subjectKey } from './subject-key.js';

/** Beyond what must go, so that they need not be sorted for each. */
const SLACK = 50;

export interface RecordingControllerOptions {
  readonly kube: DecisionWriter & EventWriter;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Decisions kept; the oldest are deleted. */
  readonly mostDecisions?: number | undefined;
  /** Whether a Decision must stay, however old it is. */
  readonly isNeeded?: ((decision: Decision) => boolean) | undefined;
}

const MOST_DECISIONS = 5000;
const WRITES_PER_SECOND = 5;
/** In each lane of pending writes. */
const MOST_PENDING = 1000;
/** Characters, as the schema of Decisions has it. */
const MOST_WORDS = 1024;
const MOST_MESSAGE = 8192;
const MOST_CONSIDERED = 16_384;
const TRIES = 3;
const RETRY_MILLIS = 1000;
const MOST_RETRY_MILLIS = 30_000;

/** What there may be thousands of at once: the first to be left out. */
const COMMON: ReadonlySet<DecisionAction> = new Set(['Refuse', 'Place', 'Nominate']);

export class RecordingController implements Recorder {
  readonly #options: RecordingControllerOptions;
  readonly #refusals = new Refusals();
  readonly #events = new Events();
  readonly #pending = new PendingWrites({ most: MOST_PENDING });
  readonly #retention: Retention;
  readonly #bucket: TokenBucket;

  constructor(options: RecordingControllerOptions) {
    const { clock, cluster, mostDecisions: most = MOST_DECISIONS, isNeeded = () => false } = options;
    this.#options = options;
    this.#retention = new Retention({ most, decisions: cluster.decisions, isNeeded });
    this.#bucket = new TokenBucket({ capacity: 1, refillPerSecond: WRITES_PER_SECOND, clock });
  }

  record(decision: NewDecision): void {
    try {
      this.#record(decision);
    } catch (error) {
      this.#options.logger.error('Failed to record decision', { error });
    }
  }

  settle(subject: DecisionSubject, action: DecisionAction, outcome: string): void {
    const what = `outcome of ${action} ${subject.kind}/${subject.name}`;
    const write = async (signal: AbortSignal): Promise<void> => {
      const decision = this.#openDecision(subject, action);
      if (decision !== undefined)
        this.#take(
          await this.#options.kube.putDecisionStatus(
            decision,
            { outcome: outcome.slice(0, MOST_WORDS) },
            signal,
          ),
        );
    };
    const isNeeded = (): boolean => this.#openDecision(subject, action) !== undefined;
    this.#enqueue({ what, isNeeded, write }, action);
  }

  /** Writes until the signal is aborted; what waits then stays for the next time. On the leader only. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pending = this.#pending.take();
      if (pending === undefined) await this.#pending.filled(signal);
      else if (pending.isNeeded?.() ?? true) await this.#send(pending, signal);
    }
  }

  #record({ event, refused, ...decision }: NewDecision): void {
    const { clock, logger, metrics } = this.#options;
    const { subject, action, reason, message, trigger } = decision;
    metrics.decisions.inc({ action, reason });
    if (!this.#refusals.isNews(decision, refused)) return;
    const { kind, namespace, name } = subject;
    const level = event?.type === 'Warning' ? 'warn' : 'info';
    logger[level]('decided', { action, reason, kind, namespace, name, why: message, trigger });
    const spec = clipped({ ...decision, time: clock.now() });
    this.#enqueue(this.#decisionWrite(spec), action);
    const write = event === undefined ? undefined : this.#events.count(spec, event);
    if (write !== undefined) this.#enqueue(this.#eventWrite(write), action);
  }

  #enqueue(pending: PendingWrite, action: DecisionAction): void {
    if (!this.#pending.add(pending, !COMMON.has(action))) this.#options.metrics.decisionsDropped.inc();
  }

  #decisionWrite(spec: DecisionSpec): PendingWrite {
    const name = decisionName(spec);
    const { kube } = this.#options;
    const write = async (signal: AbortSignal): Promise<void> => {
      await this.#makeRoom(signal);
      try {
        this.#take(await kube.createDecision(name, spec, signal));
      } catch (error) {
        // It was written, and only the answer lost.
        if (!hasCode(error, 'AlreadyExists')) throw error;
      }
    };
    return { what: `decision ${name}`, write };
  }

  #eventWrite({ kind, series }: EventWrite): PendingWrite {
    const { kube } = this.#options;
    const create = (signal: AbortSignal): Promise<void> => kube.createEvent(eventOf(series), signal);
    const write = async (signal: AbortSignal): Promise<void> => {
      try {
        await (kind === 'create' ? create(signal) : kube.repeatEvent(eventOf(series), signal));
      } catch (error) {
        if (kind === 'repeat' && hasCode(error, 'NotFound')) await create(signal);
        else if (!hasCode(error, 'AlreadyExists')) throw error;
      }
    };
    return { what: `event ${series.first.name}`, write };
  }

  /** One deletion per decision that is made, and more while there are too many. */
  async #makeRoom(signal: AbortSignal): Promise<void> {
    const { kube, cluster } = this.#options;
    for (let old = this.#retention.next(); old !== undefined; old = this.#retention.next()) {
      try {
        await kube.deleteDecision(old, signal);
      } catch (error) {
        if (!hasCode(error, 'NotFound')) throw error;
      }
      cluster.delete('Decision', old.name);
      await this.#bucket.take(1, signal);
    }
  }

  /** The latest of its kind that nothing has been said to have come of. */
  #openDecision(subject: DecisionSubject, action: DecisionAction): Decision | undefined {
    let latest: Decision | undefined;
    for (const decision of this.#options.cluster.decisionsOf(subject)) {
      const { spec, outcome } = decision;
      const isMeant = outcome === '' && spec.action === action && spec.subject.uid === subject.uid;
      if (isMeant && spec.time >= (latest?.spec.time ?? 0)) latest = decision;
    }
    return latest;
  }

  #take(decision: Decision): void {
    this.#options.cluster.put('Decision', decision);
  }

  /** Tries a few times. Never rejects. */
  async #send(pending: PendingWrite, signal: AbortSignal): Promise<void> {
    const { clock, logger, metrics, random } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const error = await this.#try(pending, signal);
      if (error === undefined || hasCode(error, 'Cancelled')) return;
      if (!(error instanceof PortError && error.retryable) || attempt >= TRIES) {
        metrics.decisionsDropped.inc();
        logger.warn('Failed to write decision or event', { what: pending.what, error });
        return;
      }
      const wait = backoffMillis({ attempt, baseMillis: RETRY_MILLIS, maxMillis: MOST_RETRY_MILLIS, random });
      const millis = Math.min(error.retryAfterMillis ?? wait, MOST_RETRY_MILLIS);
      await clock.sleep(millis, signal).catch(() => undefined);
    }
  }

  /** Answers what went wrong, if anything did. */
  async #try({ write }: PendingWrite, signal: AbortSignal): Promise<unknown> {
    try {
      await this.#bucket.take(1, signal);
      await write(signal);
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

function clipped({ message, trigger, considered, related, ...rest }: DecisionSpec): DecisionSpec {
  return {
    ...rest,
    ...(related === undefined ? {} : { related: related.slice(0, MOST_RELATED) }),
    message: message.slice(0, MOST_MESSAGE),
    trigger: trigger.slice(0, MOST_WORDS),
    considered: considered.slice(0, MOST_CONSIDERED),
  };
}

/** `<UTC time to the millisecond>.<action>.<hash>`, as `20260701t120000123z.launch.9f86d08188`. */
function decisionName(spec: DecisionSpec): string {
  const time = new Date(spec.time).toISOString().toLowerCase().replaceAll(/[-:.]/g, '');
  return `${time}.${spec.action.toLowerCase()}.${hashOf(spec)}`;
}

function hashOf({ subject, action, reason, message, trigger }: DecisionSpec): string {
  const { kind, namespace, name, uid } = subject;
  const identity = JSON.stringify([kind, namespace, name, uid, action, reason, message, trigger]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 10);
}

// Which refusals are news.

const REMEMBERED = 20_000;

class Refusals {
  /** Subject → why it was last refused what. */
  readonly #reasons = new RecentKeys<string>(REMEMBERED);

  /** Whether the decision is anything but a refusal of what its subject was last refused, for the same reason. */
  isNews({ subject, action, reason }: Omit<DecisionSpec, 'time'>, refused = ''): boolean {
    const key = subjectKey(subject);
    if (action !== 'Refuse') {
      this.#reasons.delete(key);
      return true;
    }
    const why = `${reason} ${refused}`;
    const isNews = this.#reasons.get(key) !== why;
    this.#reasons.set(key, why);
    return isNews;
  }
}

/** One request. */
interface PendingWrite {
  /** For log lines. */
  readonly what: string;
  /** Whether there is still something to write; where this is not given there is. */
  readonly isNeeded?: () => boolean;
  readonly write: (signal: AbortSignal) => Promise<void>;
}

interface PendingWritesOptions {
  /** How many writes may wait in each of the two lanes. */
  readonly most: number;
}

/** Pending writes of Decisions and events: a bounded queue, urgent ones first. */
class PendingWrites {
  readonly #most: number;
  readonly #urgent: PendingWrite[] = [];
  readonly #others: PendingWrite[] = [];
  #wake: () => void = () => undefined;

  constructor({ most }: PendingWritesOptions) {
    this.#most = most;
  }

  /** Answers whether there was room for it. */
  add(pending: PendingWrite, isUrgent: boolean): boolean {
    const lane = isUrgent ? this.#urgent : this.#others;
    if (lane.length >= this.#most) return false;
    lane.push(pending);
    this.#wake();
    return true;
  }

  /** Removes and returns the next write. */
  take(): PendingWrite | undefined {
    return this.#urgent.shift() ?? this.#others.shift();
  }

  /** Resolves when there is something, or when the signal is aborted. */
  filled(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (this.#urgent.length + this.#others.length > 0 || signal.aborted) {
        resolve();
        return;
      }
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
    });
  }
}

interface RetentionOptions {
  /** Decisions kept. */
  readonly most: number;
  readonly decisions: { readonly size: number; values(): Iterable<Decision> };
  readonly isNeeded: (decision: Decision) => boolean;
}

/** Which Decisions are too many. */
class Retention {
  readonly #options: RetentionOptions;
  /** Newest first. */
  #doomed: Decision[] = [];

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** The oldest one, when there are as many as may be kept: it has to go before another is made. */
  next(): Decision | undefined {
    const { most, decisions, isNeeded } = this.#options;
    if (decisions.size < most) return undefined;
    if (this.#doomed.length === 0) {
      const oldestFirst = [...decisions.values()].filter((each) => !isNeeded(each)).sort(byAge);
      this.#doomed = oldestFirst.slice(0, decisions.size - most + SLACK).reverse();
    }
    return this.#doomed.pop();
  }
}

function byAge(a: Decision, b: Decision): number {
  return a.spec.time - b.spec.time || (a.name < b.name ? -1 : 1);
}
