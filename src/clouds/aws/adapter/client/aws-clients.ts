/** The one way to AWS: calls wait their turn, are tried again where that is safe, and fail in a port's words. */
import type { Clock } from '../../../../ports/clock.js';
import type { Logger } from '../../../../ports/logger.js';
import { hasCode } from '../../../../ports/port-error.js';
import type { Random } from '../../../../ports/random.js';
import type { CloudMetrics } from '../../../../runtime/metrics/cloud-metrics.js';
import { backoffMillis } from '../../../../runtime/concurrency/backoff.js';
import { untilAborted, withDeadline } from '../../../../runtime/time/deadline.js';
import { AwsError, awsError, type CallName, callText } from './aws-error.js';
import { Buckets } from './buckets.js';
import { type Environment, standInCredentials } from './credentials.js';
import {
  isChange,
  isRead,
  type Operation,
  type OperationName,
  OPERATIONS,
  type ServiceName,
} from './operations.js';
import { SdkClients, type SdkRequestHandler, type ServiceClients } from './sdk-clients.js';

export interface AwsClientsOptions {
  readonly region: string;
  /** One for all services, for a simulator; undefined: AWS' own, or what AWS_ENDPOINT_URL says. */
  readonly endpoint?: string | undefined;
  /** In place of HTTP, for a simulator in this process. */
  readonly requestHandler?: SdkRequestHandler | undefined;
  readonly clock: Clock;
  /** Whether `clock` is that of an embedded world: it limits attempts then, instead of the sockets' time-outs. */
  readonly isVirtual?: boolean | undefined;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Pick<
    CloudMetrics,
    'cloudRequests' | 'cloudRequestDuration' | (`sdk${string}` & keyof CloudMetrics)
  >;
  /** Called right before each changing call is sent, after it has waited for its turn: throws where it must not be sent. */
  readonly permit?: ((operation: OperationName) => void) | undefined;
  /** Called before each call that is not a mere read, dry runs included: throws where this process only reads. */
  readonly refuse?: ((operation: OperationName) => void) | undefined;
  /** The process' environment, unless a test says otherwise. */
  readonly environment?: Environment;
}

/** What the SDK's `send` takes beside the command. */
export interface SendOptions {
  readonly abortSignal: AbortSignal;
}

export type Send<O extends OperationName, T> = (
  client: ServiceClients[(typeof OPERATIONS)[O]['service']],
  options: SendOptions,
) => Promise<T>;

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whom or what it is about, for error texts. */
  readonly subject?: string | undefined;
  /** The ClientToken that `send` sends every time: with it the call may be repeated although its outcome is unknown. */
  readonly clientToken?: string | undefined;
  /** Instances that are run or terminated, which EC2 counts beside calls. */
  readonly instances?: number;
  /** No further attempt begins after it. */
  readonly deadlineMillis?: number;
  /** In all, the first included. */
  readonly maxAttempts?: number;
  /** Whether `send` asks for a dry run, which needs no permit. */
  readonly isDryRun?: boolean;
}

const DEADLINE_MILLIS = 60_000;
const MAX_ATTEMPTS = 5;
const BACKOFF = { baseMillis: 100, maxMillis: 10_000 };
/** When AWS is short of breath, less often. */
const THROTTLED_BACKOFF = { baseMillis: 1_000, maxMillis: 20_000 };
/** One attempt in a simulated world; over a network the sockets' own time-outs hold, which are in the host's time. */
const VIRTUAL_MILLIS = 30_000;

/** Connects nothing yet. One for a process, since limits and budgets are kept there. */
export function awsClients(options: AwsClientsOptions): AwsClients {
  return new AwsClients(options);
}

export class AwsClients {
  readonly region: string;
  readonly #options: AwsClientsOptions;
  readonly #clients: SdkClients;
  readonly #buckets: Buckets;
  readonly #budgets = new Map<ServiceName, RetryBudget>();

  constructor(options: AwsClientsOptions) {
    const { region, endpoint, requestHandler, isVirtual = false, clock, logger } = options;
    const { environment = process.env } = options;
    this.region = region;
    this.#options = options;
    this.#buckets = new Buckets(clock);
    this.#clients = new SdkClients({
      region,
      endpoint,
      requestHandler,
      hasTimeouts: !isVirtual,
      credentials: standInCredentials({ endpoint, isInProcess: requestHandler !== undefined, environment }),
      warn: (text) => {
        logger.warn('AWS HTTP client warning', { text });
      },
    });
  }

  /**
   * Makes a call. `send` is asked again for every attempt, so it makes its command each time.
   * @throws AwsError; PortError Cancelled, when the signal is aborted; what `refuse` throws.
   */
  async call<O extends OperationName, T>(name: O, send: Send<O, T>, options: CallOptions = {}): Promise<T> {
    const { clock } = this.#options;
    this.#check(name);
    const operation: Operation = OPERATIONS[name];
    const { subject, deadlineMillis = DEADLINE_MILLIS } = options;
    const call = { action: `${operation.service}:${name}`, subject };
    const startedAt = clock.monotonic();
    const deadline = startedAt + deadlineMillis;
    for (let attempt = 1; ; attempt++) {
      await this.#enter(operation, call, deadline, options);
      if (isChange(name) && options.isDryRun !== true) this.#options.permit?.(name);
      const result = await this.#attempt(name, send, call, options);
      if (result.error === undefined) {
        this.#count(name, undefined, { startedAt, attempt });
        return result.value;
      }
      const isSafe = operation.repeatable || options.clientToken !== undefined;
      const wait = this.#waitAfter(result.error, operation, { attempt, isSafe, options });
      if (wait === undefined || clock.monotonic() + wait >= deadline) {
        this.#count(name, result.error, { startedAt, attempt });
        throw result.error;
      }
      await clock.sleep(wait, options.signal);
    }
  }

  /**
   * Makes a call with DryRun set, and returns if AWS would have done it.
   * @throws AwsError, Forbidden naming the missing permission, or Invalid; PortError Cancelled.
   */
  async dryRun<O extends OperationName>(
    name: O,
    send: Send<O, unknown>,
    options: CallOptions = {},
  ): Promise<void> {
    try {
      await this.call(name, send, { ...options, isDryRun: true });
    } catch (error) {
      if (!(error instanceof AwsError) || error.awsCode !== 'DryRunOperation') throw error;
    }
  }

  /** Ends idle connections. */
  close(): void {
    this.#clients.close();
  }

  #check(name: OperationName): void {
    if (!isRead(name)) this.#options.refuse?.(name);
  }

  /** Waits for its turn, but not longer than the call may take. */
  async #enter(
    { bucket }: Operation,
    call: CallName,
    deadline: number,
    { instances = 0, signal }: CallOptions,
  ): Promise<void> {
    const { clock } = this.#options;
    const millis = Math.max(0, deadline - clock.monotonic());
    const operation = callText(call);
    try {
      await withDeadline({ clock, millis, signal, operation }, (own) =>
        this.#buckets.enter(bucket, instances, own),
      );
    } catch (error) {
      throw hasCode(error, 'TimedOut') ? neverSent(operation) : error;
    }
  }

  async #attempt<O extends OperationName, T>(
    name: O,
    send: Send<O, T>,
    call: CallName,
    { signal }: CallOptions,
  ): Promise<Attempt<T>> {
    const { clock, metrics } = this.#options;
    const { service } = OPERATIONS[name];
    const startedAt = clock.monotonic();
    const count = (outcome: string, failure?: AwsError): void => {
      const seconds = (clock.monotonic() - startedAt) / 1000;
      const labels = requestLabels(name, failure);
      metrics.sdkAttempts.inc(labels);
      metrics.sdkAttemptDuration.observe(labels, seconds);
      metrics.cloudRequests.inc({ service, operation: name, outcome });
      metrics.cloudRequestDuration.observe({ service, operation: name }, seconds);
    };
    try {
      const client = this.#clients[service] as ServiceClients[(typeof OPERATIONS)[O]['service']];
      const value = await this.#within(callText(call), signal, (abortSignal) =>
        send(client, { abortSignal }),
      );
      count('ok');
      this.#budget(service).succeeded();
      return { value, error: undefined };
    } catch (error) {
      const failure = awsError(error, call);
      count(failure.code, failure);
      return { error: failure };
    }
  }

  /** A call with all its attempts. */
  #count(
    name: OperationName,
    failure: AwsError | undefined,
    { startedAt, attempt }: { readonly startedAt: number; readonly attempt: number },
  ): void {
    const { clock, metrics } = this.#options;
    const labels = requestLabels(name, failure);
    metrics.sdkRequests.inc(labels);
    metrics.sdkRequestDuration.observe(labels, (clock.monotonic() - startedAt) / 1000);
    metrics.sdkRetries.observe(labels, attempt - 1);
  }

  #within<T>(
    operation: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { clock, requestHandler, isVirtual = requestHandler !== undefined } = this.#options;
    if (isVirtual) return withDeadline({ clock, millis: VIRTUAL_MILLIS, signal, operation }, work);
    return untilAborted(signal ?? new AbortController().signal, operation, work);
  }

  /** How long to wait before the next attempt; undefined: there is none. */
  #waitAfter(
    error: AwsError,
    { service, bucket }: Operation,
    { attempt, isSafe, options }: { attempt: number; isSafe: boolean; options: CallOptions },
  ): number | undefined {
    const isThrottled = error.code === 'RateLimited';
    if (isThrottled) this.#buckets.empty(bucket);
    const { maxAttempts = MAX_ATTEMPTS, signal } = options;
    if (signal?.aborted === true || attempt >= maxAttempts) return undefined;
    if (error.again === 'never' || (error.again === 'if-repeatable' && !isSafe)) return undefined;
    if (!this.#budget(service).trySpend(error.code === 'TimedOut')) return undefined;
    const backoff = isThrottled ? THROTTLED_BACKOFF : BACKOFF;
    const wait = backoffMillis({ attempt, ...backoff, random: this.#options.random });
    return Math.max(wait, error.retryAfterMillis ?? 0);
  }

  #budget(service: ServiceName): RetryBudget {
    const known = this.#budgets.get(service);
    if (known !== undefined) return known;
    const budget = new RetryBudget();
    this.#budgets.set(service, budget);
    return budget;
  }
}

/** Its turn did not come: that it certainly did not happen is what sets it apart from a time-out. */
function neverSent(operation: string): AwsError {
  return new AwsError('RateLimited', {
    operation,
    message: 'client-side throttling: too many requests are waiting',
    awsCode: '',
    status: undefined,
    requestID: undefined,
    again: 'always',
  });
}

type Attempt<T> =
  { readonly value: T; readonly error: undefined } | { readonly value?: undefined; readonly error: AwsError };

// How many retries all calls of a service may make together: when everything fails, asking again only adds to the load.

const FULL = 500;
const RETRY_COSTS = 5;
/** The outcome of the call is unknown, so the server may be overloaded. */
const TIMED_OUT_COSTS = 10;

/** Spent by retries, refilled by calls that succeed. A hundred retries in a row are allowed. */
class RetryBudget {
  #left = FULL;

  /** Answers whether there may be another retry, and counts it. */
  trySpend(isTimeOut: boolean): boolean {
    const cost = isTimeOut ? TIMED_OUT_COSTS : RETRY_COSTS;
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }

  /** A call came through. */
  succeeded(): void {
    this.#left = Math.min(FULL, this.#left + RETRY_COSTS);
  }
}

/** As the metrics of AWS' SDK for Go have them: the service in capitals, and no code where there was no response. */
function requestLabels(
  name: OperationName,
  failure: AwsError | undefined,
): Readonly<Record<'service' | 'action' | 'code', string>> {
  const status = failure === undefined ? 200 : failure.status;
  return {
    service: OPERATIONS[name].service.toUpperCase(),
    action: name,
    code: status === undefined ? '' : String(status),
  };
}
