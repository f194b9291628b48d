/** The Cloud port over a memory cloud in another process. */
import type { Labels } from '../../domain/labels.js';
import type { LaunchRequest } from '../../domain/node-claim.js';
import type {
  Cloud,
  LaunchAnswer,
  LaunchCall,
  LaunchIntent,
  Machine,
  NodeClassSource,
  ResolvedNodeClass,
} from '../../ports/cloud.js';
import type { Clock } from '../../ports/clock.js';
import { PortError, type PortErrorCode } from '../../ports/port-error.js';
import { withDeadline } from '../../runtime/deadline.js';
import { decodeWire, encodeWire } from './wire-json.js';

export interface RemoteMemoryCloudOptions {
  /** As `serveMemoryCloud` answered it. */
  readonly url: string;
  readonly clock: Clock;
  /** For each call; 10,000 by default. */
  readonly timeoutMillis?: number | undefined;
}

interface WireAnswer {
  readonly result?: unknown;
  readonly error?: {
    readonly code: PortErrorCode;
    readonly message: string;
    readonly retryAfterMillis?: number;
  };
}

export class RemoteMemoryCloud implements Cloud {
  readonly #url: string;
  readonly #clock: Clock;
  readonly #timeoutMillis: number;

  constructor({ url, clock, timeoutMillis = 10_000 }: RemoteMemoryCloudOptions) {
    this.#url = url;
    this.#clock = clock;
    this.#timeoutMillis = timeoutMillis;
  }

  async resolveNodeClass(source: NodeClassSource, signal?: AbortSignal): Promise<ResolvedNodeClass> {
    return (await this.#call('resolveNodeClass', [source], signal)) as ResolvedNodeClass;
  }

  async prepareLaunch(intent: LaunchIntent, signal?: AbortSignal): Promise<LaunchRequest> {
    return (await this.#call('prepareLaunch', [intent], signal)) as LaunchRequest;
  }

  async launch(call: LaunchCall, signal?: AbortSignal): Promise<LaunchAnswer> {
    return (await this.#call('launch', [call], signal)) as LaunchAnswer;
  }

  async machines(tags: Labels, signal?: AbortSignal): Promise<readonly Machine[]> {
    return (await this.#call('machines', [tags], signal)) as readonly Machine[];
  }

  async tagMachines(ids: readonly string[], tags: Labels, signal?: AbortSignal): Promise<void> {
    await this.#call('tagMachines', [ids, tags], signal);
  }

  async terminate(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#call('terminate', [ids], signal);
  }

  /** @throws PortError: the other side's, TimedOut, Cancelled, or Unavailable when there is no connection. */
  #call(operation: keyof Cloud, parameters: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    const deadline = { clock: this.#clock, millis: this.#timeoutMillis, signal, operation };
    return withDeadline(deadline, async (ownSignal) => {
      const answer = await this.#post(operation, encodeWire(parameters), ownSignal);
      if (answer.error === undefined) return answer.result;
      const { code, retryAfterMillis } = answer.error;
      // A PortError puts its operation before its message, there as here.
      const message = answer.error.message.replace(`${operation}: `, '');
      throw new PortError(code, { operation, message, retryAfterMillis });
    });
  }

  async #post(operation: string, body: string, signal: AbortSignal): Promise<WireAnswer> {
    const headers = { 'content-type': 'application/json' };
    try {
      const response = await fetch(`${this.#url}/${operation}`, { method: 'POST', headers, body, signal });
      return decodeWire(await response.text()) as WireAnswer;
    } catch (cause) {
      throw new PortError('Unavailable', {
        operation,
        message: `no answer from ${this.#url}: ${String(cause)}`,
        cause,
      });
    }
  }
}
