/** The routes that kube-scheduler calls; whatever happens, it must not be kept from scheduling. */
import { Router, type Response } from 'express';
import { LEADER_LEASE } from '../../domain/records/lease.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { LeaseFreshness } from '../../state/cluster/lease-freshness.js';
import type { RoomLedger } from '../../state/ledger/room-ledger.js';
import { bodyBytes } from '../http/json-body.js';
import { EXTENDER_SIZE } from '../http/limits.js';
import type { Refusals } from '../http/refusals.js';
import { Calls } from './calls.js';
import {
  extenderVerbs,
  passUnread,
  type ExtenderQuestion,
  type ExtenderVerb,
  type ExtenderVerbs,
} from './extender-verbs.js';
import { readBody } from './wire-body.js';
import { WireError } from './wire-fields.js';

/** Why a call is answered with all that it asks about. */
export type PassCause = 'error' | 'not-synced' | 'overload' | 'stale-leader';

export interface ExtenderMetrics {
  readonly extenderRequests: {
    inc(labels: { readonly verb: ExtenderVerb; readonly outcome: string }): void;
  };
  readonly extenderDuration: { observe(labels: { readonly verb: ExtenderVerb }, seconds: number): void };
  readonly extenderPasses: { inc(labels: { readonly cause: PassCause }): void };
  /** Those that kube-scheduler did not wait for. */
  readonly extenderAbandoned: { inc(labels: { readonly verb: ExtenderVerb }): void };
}

export interface ExtenderSettings {
  /** Evict for pods although room for them is being planned or launched. false. */
  readonly preemptWhileLaunching?: boolean | undefined;
  /** Nodes that a pod without a plan and without preferences gets of those on which no room is held. All. */
  readonly maxNodesToScore?: number | undefined;
  /** How long after its creation at most a pod without a plan counts as being planned. 30 s. */
  readonly planningMillis?: number | undefined;
  /** Calls at once beyond which nothing is judged any more. 64. */
  readonly maxInFlight?: number | undefined;
}

export interface ExtenderRouterOptions {
  readonly cluster: Cluster;
  readonly ledger: RoomLedger;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ExtenderMetrics;
  readonly refusals: Refusals;
  /** Without a sign of life of the leader for so long its plans are void. 30 s. */
  readonly leaseMaxAgeMillis?: number | undefined;
  readonly options?: ExtenderSettings | undefined;
}

/** POST /scheduler/filter, /scheduler/prioritize and /scheduler/preempt. */
export function extenderRouter(options: ExtenderRouterOptions): Router {
  const { cluster, ledger, clock, refusals, leaseMaxAgeMillis = 30_000, options: settings = {} } = options;
  const verbs = extenderVerbs({
    ...{ cluster, ledger, clock },
    mostNodes: settings.maxNodesToScore ?? Infinity,
    preempting: {
      preemptWhileLaunching: settings.preemptWhileLaunching ?? false,
      demandTerms: cluster.demandTerms,
      planningMillis: settings.planningMillis ?? 30_000,
    },
  });
  const lease = new LeaseFreshness({ cluster, clock, lease: LEADER_LEASE, maxAgeMillis: leaseMaxAgeMillis });
  const { logger, metrics } = options;
  const most = settings.maxInFlight ?? 64;
  const calls = new Calls({ most, clock, logger, abandoned: metrics.extenderAbandoned });
  const passCause = (): PassCause | undefined => {
    if (calls.areTooMany) return 'overload';
    if (!cluster.isSynced('Pod', 'Node', 'NodeClaim', 'Reservation', 'Lease')) return 'not-synced';
    return lease.isFresh() ? undefined : 'stale-leader';
  };
  const body = bodyBytes({ ...EXTENDER_SIZE, clock, refusals });
  const router = Router();
  for (const verb of ['filter', 'prioritize', 'preempt'] as const)
    router.post(`/scheduler/${verb}`, calls.follow(verb), body, (request, response) => {
      const start = clock.monotonic();
      const bytes = request.body as Buffer;
      const outcome = answer(bytes, { verb, verbs, response, cause: passCause(), ...options });
      metrics.extenderRequests.inc({ verb, outcome });
      metrics.extenderDuration.observe({ verb }, (clock.monotonic() - start) / 1000);
    });
  return router;
}

interface Call extends Pick<ExtenderRouterOptions, 'metrics' | 'logger' | 'refusals'> {
  readonly verb: ExtenderVerb;
  readonly verbs: ExtenderVerbs;
  readonly response: Response;
  /** Why nothing is judged; undefined to judge. */
  readonly cause: PassCause | undefined;
}

/** Answers, and says what came of it. What is not judged is not parsed either, if its answer can do without. */
function answer(bytes: Buffer, call: Call): string {
  const { verb, response, cause, refusals } = call;
  const unread = cause === undefined ? undefined : passUnread(verb, bytes);
  if (cause !== undefined && unread !== undefined) return pass(unread, cause, call);
  const body = readBody(bytes, EXTENDER_SIZE.maxValues);
  if ('cause' in body) {
    refusals.answer(response, body.cause, body.message);
    return 'invalid';
  }
  try {
    return judge(call.verbs[verb](body), call);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    refusals.answer(response, 'bad-request', error.message);
    return 'invalid';
  }
}

/** @throws WireError when the request cannot be read. */
function judge(question: ExtenderQuestion, call: Call): string {
  const { verb, response, cause, logger } = call;
  if (cause !== undefined) return pass(question.pass(), cause, call);
  try {
    const { text, outcome } = question.answer();
    send(response, text);
    return outcome;
  } catch (error) {
    if (error instanceof WireError) throw error;
    logger.error('Extender request failed; allowed all nodes', { verb, error });
    return pass(question.pass(), 'error', call);
  }
}

function pass(text: string, cause: PassCause, { response, metrics }: Call): string {
  metrics.extenderPasses.inc({ cause });
  send(response, text);
  return 'passed';
}

/** In one piece, so that it has a Content-Length: kube-scheduler reads no further, and keeps the connection only then. */
function send(response: Response, text: string): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(text, 'latin1');
}
