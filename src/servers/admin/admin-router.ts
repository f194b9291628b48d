/** GET and PUT /log-level, GET /debug/profile?seconds=10: for the operator, on loopback only. */
import { Router, type Request, type Response } from 'express';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import { cpuProfile } from '../../runtime/process/cpu-profile.js';
import { LOG_LEVELS, type LogThreshold } from '../../runtime/process/pino-logger.js';
import { onlyLocalNames } from '../dashboard/guard.js';
import { anyBodyBytes } from '../http/json-body.js';
import type { Refusals } from '../http/refusals.js';

export interface AdminRouterOptions {
  readonly threshold: LogThreshold;
  /** The host's. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly refusals: Refusals;
}

const DEFAULT_SECONDS = '10';
/** A connection on which nothing comes for 30 seconds is closed. */
const MOST_SECONDS = 25;

/** One profile at a time. */
export function adminRouter({ threshold, clock, logger, refusals }: AdminRouterOptions): Router {
  const router = Router();
  let isProfiling = false;
  router.use(onlyLocalNames(refusals));
  router.get('/log-level', (_request, response) => {
    response.type('text/plain').send(`${threshold.level}\n`);
  });
  const readLevel = anyBodyBytes({ maxBytes: 100, clock, refusals });
  router.put('/log-level', readLevel, (request: Request, response: Response) => {
    const wanted = String(request.body).trim();
    const level = LOG_LEVELS.find((each) => each === wanted);
    if (level === undefined) {
      refusals.answer(response, 'bad-request', `expected one of ${LOG_LEVELS.join(', ')}`);
      return;
    }
    threshold.level = level;
    logger.warn('Log level changed', { level });
    response.type('text/plain').send(`${level}\n`);
  });
  router.get('/debug/profile', async ({ query }, response) => {
    const seconds = secondsOf(query['seconds'] ?? DEFAULT_SECONDS);
    if (seconds === undefined) {
      refusals.answer(
        response,
        'bad-request',
        `seconds: expected a number from 1 to ${String(MOST_SECONDS)}`,
      );
      return;
    }
    if (isProfiling) {
      refusals.answer(response, 'busy', 'a profile is being taken');
      return;
    }
    isProfiling = true;
    const gone = new AbortController();
    response.once('close', () => {
      gone.abort();
    });
    try {
      const profile = await cpuProfile(clock, seconds * 1000, gone.signal);
      response.setHeader('Content-Disposition', 'attachment; filename="berth.cpuprofile"');
      response.json(profile);
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    } finally {
      isProfiling = false;
    }
  });
  return router;
}

function secondsOf(given: unknown): number | undefined {
  const seconds = typeof given === 'string' && /^\d{1,2}$/.test(given) ? Number(given) : 0;
  return seconds >= 1 && seconds <= MOST_SECONDS ? seconds : undefined;
}
