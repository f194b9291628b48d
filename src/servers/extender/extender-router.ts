/** The routes that kube-scheduler calls; whatever happens, it must not be kept from scheduling. */
import { Router, type RequestHandler, type Response } from 'express';
import { OWN_SCHEDULERS } from '../../domain/pods/demand.js';
import { LEADER_LEASE } from '../../domain/records/lease.js';
import type { Clock } from '../../ports/clock.js';
import type { Logger } from '../../ports/logger.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { LeaseFreshness } from '../../state/cluster/lease-freshness.js';
import type { RoomLedger } from '../../state/ledger/room-ledger.js';
import { EXTENDER_SIZE, jsonBody, type Refusals } from '../http/index.js';
import { extenderVerbs, type ExtenderQuestion, type ExtenderVerb } from './extender-verbs.js';
import { WireError } from './wire-fields.js';

/** Why a call is answered with all that it asks about. */
export type PassCause = 'error' | 'not-synced' | 'overload' | 'stale-leader';

export interface ExtenderMetrics {
  readonly extenderRequests: {
    inc(labels: { readonly verb: ExtenderVerb; readonly outcome: string }): void;
  };
  readonly extenderDuration: { observe(labels: { readonly verb: ExtenderVerb }, seconds: number): void };
  readonly extenderPasses: { inc(labels: { readonly cause: PassCause }): void };
}

export interface ExtenderSettings {
  /** Evict for pods although room for them is being planned or launched. false. */
  readonly preemptWhileLaunching?: boolean | undefined;
  /** Schedulers whose pods Berth plans. */
  readonly schedulers?: readonly string[] | undefined;
  /** How long after its creation a pod without a plan counts as being planned. 30 s. */
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
    preempting: {
      preemptWhileLaunching: settings.preemptWhileLaunching ?? false,
      schedulers: settings.schedulers ?? OWN_SCHEDULERS,
      planningMillis: settings.planningMillis ?? 30_000,
    },
  });
  const lease = new LeaseFreshness({ cluster, clock, lease: LEADER_LEASE, maxAgeMillis: leaseMaxAgeMillis });
  const load = new InFlight(settings.maxInFlight ?? 64);
  const passCause = (): PassCause | undefined => {
    if (load.isTooHigh) return 'overload';
    if (!cluster.isSynced('Pod', 'Node', 'NodeClaim', 'Reservation', 'Lease')) return 'not-synced';
    return lease.isFresh() ? undefined : 'stale-leader';
  };
  const body = jsonBody({ ...EXTENDER_SIZE, clock, refusals });
  const router = Router();
  for (const verb of ['filter', 'prioritize', 'preempt'] as const)
    router.post(`/scheduler/${verb}`, load.count, body, (request, response) => {
      const start = clock.monotonic();
      const question = readOrRefuse(() => verbs[verb](request.body), { response, refusals });
      const outcome =
        question === undefined ? 'invalid' : answer(question, { verb, response, passCause, ...options });
      options.metrics.extenderRequests.inc({ verb, outcome });
      options.metrics.extenderDuration.observe({ verb }, (clock.monotonic() - start) / 1000);
    });
  return router;
}

interface Call extends Pick<ExtenderRouterOptions, 'metrics' | 'logger' | 'refusals'> {
  readonly verb: ExtenderVerb;
  readonly response: Response;
  readonly passCause: () => PassCause | undefined;
}

/** Answers, and says what came of it. */
function answer(question: ExtenderQuestion, call: Call): string {
  let cause = call.passCause();
  if (cause === undefined)
    try {
      const { text, outcome } = question.answer();
      send(call.response, text);
      return outcome;
    } catch (error) {
      if (error instanceof WireError) {
        call.refusals.answer(call.response, 'bad-request', error.message);
        return 'invalid';
      }
      call.logger.error('Extender request failed; allowed all nodes', { verb: call.verb, error });
      cause = 'error';
    }
  call.metrics.extenderPasses.inc({ cause });
  send(call.response, question.pass());
  return 'passed';
}

function readOrRefuse(
  read: () => ExtenderQuestion,
  { response, refusals }: { readonly response: Response; readonly refusals: Refusals },
): ExtenderQuestion | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    refusals.answer(response, 'bad-request', error.message);
    return undefined;
  }
}

function send(response: Response, text: string): void {
  response.setHeader('Content-Type', 'application/json');
  response.end(text);
}

/** Calls that have begun and are not answered. */
class InFlight {
  readonly #most: number;
  #calls = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isTooHigh(): boolean {
    return this.#calls > this.#most;
  }

  readonly count: RequestHandler = (_request, response, next) => {
    this.#calls++;
    response.once('close', () => {
      this.#calls--;
    });
    next();
  };
}
