/** The calls of kube-scheduler that are under way, and those whose answers it did not wait for. */
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { ExtenderVerb } from './extender-verbs.js';

/**
 * kube-scheduler closes the connection of a call that it gives up, and keeps that of any other for 90 s. A connection that
 * it closes this soon after an answer was closed before the answer came: a busy thread reads the call, answers it, and
 * only then reads the end of the connection.
 */
const UNREAD_MILLIS = 1_000;
/** The log has a line about them no more often than this. */
const LOG_MILLIS = 60_000;

export interface CallsOptions {
  /** Calls at once beyond which nothing is judged any more. */
  readonly most: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly abandoned: { inc(labels: { readonly verb: ExtenderVerb }): void };
}

interface Call {
  readonly verb: ExtenderVerb;
  /** On the clock's monotonic time, as the next. */
  readonly begunAt: number;
  readonly answeredAt: number;
}

export class Calls {
  readonly #options: CallsOptions;
  /** The last answer on each connection. */
  readonly #answered = new WeakMap<Socket, Call | undefined>();
  #underWay = 0;
  #unlogged = 0;
  #loggedAt = -Infinity;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Whether more calls have begun, and are not answered, than can be judged. */
  get areTooMany(): boolean {
    return this.#underWay > this.#options.most;
  }

  /** Follows each call from its headers to the end of its answer, and a little longer. */
  follow(verb: ExtenderVerb): RequestHandler {
    const { clock } = this.#options;
    return ({ socket }, response, next) => {
      this.#underWay++;
      const begunAt = clock.monotonic();
      let isAnswered = false;
      this.#watch(socket);
      response.once('finish', () => {
        isAnswered = true;
        // Other answers, and those that end the connection, do not tell who closes it.
        const isKept = response.shouldKeepAlive && response.statusCode === 200;
        if (isKept) this.#answered.set(socket, { verb, begunAt, answeredAt: clock.monotonic() });
      });
      response.once('close', () => {
        this.#underWay--;
        if (!isAnswered) this.#abandon({ verb, begunAt });
      });
      next();
    };
  }

  #watch(socket: Socket): void {
    const isKnown = this.#answered.has(socket);
    this.#answered.set(socket, undefined);
    if (isKnown) return;
    const left = (): void => {
      const last = this.#answered.get(socket);
      this.#answered.set(socket, undefined);
      if (last === undefined) return;
      if (this.#options.clock.monotonic() - last.answeredAt <= UNREAD_MILLIS) this.#abandon(last);
    };
    // Neither comes of a connection that is closed from here.
    socket.once('end', left);
    socket.once('error', left);
  }

  #abandon({ verb, begunAt }: Pick<Call, 'verb' | 'begunAt'>): void {
    const { clock, logger, abandoned } = this.#options;
    abandoned.inc({ verb });
    this.#unlogged++;
    const now = clock.monotonic();
    if (now - this.#loggedAt < LOG_MILLIS) return;
    logger.warn('kube-scheduler did not wait for extender requests and schedules their pods without Berth', {
      verb,
      millis: Math.round(now - begunAt),
      requests: this.#unlogged,
    });
    this.#loggedAt = now;
    this.#unlogged = 0;
  }
}
