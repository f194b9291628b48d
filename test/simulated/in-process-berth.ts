/** Berth as one replica in this process, all roles on, over the simulated API and the simulated AWS; nothing of it is replaced but sockets and threads. */
import { kubeWriter } from '../../src/adapters/kube/writer/kube-writer.js';
import { inProcessHandler } from '../support/in-process-handler.js';
import { InlinePlanner } from '../support/inline-planner.js';
import { staticConnection } from '../support/static-connection.js';
import { createBase, sharedSignal, type Base } from '../../src/app/service/base.js';
import { plannedCluster, runLoops } from '../../src/app/service/loops.js';
import { makeCloud } from '../../src/app/service/make-cloud.js';
import { permits } from '../../src/app/service/permits.js';
import { readServiceOptions } from '../../src/app/service/options/options.js';
import { watchedKinds } from '../../src/app/service/watched-kinds.js';
import { LEADER_LEASE } from '../../src/domain/records/lease.js';
import type { Logger } from '../../src/ports/logger.js';
import type { Random } from '../../src/ports/random.js';
import type { Metrics } from '../../src/runtime/metrics/metrics.js';
import { LeaderElection } from '../../src/runtime/leadership/leader-election.js';
import { admissionRouter } from '../../src/servers/admission/admission-router.js';
import { extenderRouter } from '../../src/servers/extender/extender-router.js';
import { httpApp } from '../../src/servers/http/http-app.js';
import { Refusals } from '../../src/servers/http/refusals.js';
import type { AwsSimulator } from '../../world/aws/aws-simulator.js';
import type { VirtualClock } from '../support/virtual-clock.js';
import type { SimulatedApi } from '../../world/kubernetes/simulated-api.js';
import type { WireHandler, WireRequest } from '../../world/wire/wire.js';
import { inject } from './inject.js';
import { wireSend } from './wire-send.js';

export interface InProcessBerthOptions {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly api: Pick<SimulatedApi, 'handle'>;
  readonly aws: AwsSimulator;
  readonly logger: Logger;
  /** Names this replica. */
  readonly identity?: string;
  /** Flags beside those that name the world. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Hears of all that it asks of Kubernetes and AWS, before it is answered. */
  readonly onRequest?: (to: 'kubernetes' | 'aws', request: WireRequest) => void;
}

const WORLD_FLAGS: Readonly<Record<string, string>> = {
  cloud: 'aws',
  region: 'eu-west-3',
  'cluster-name': 'berth-demo',
  'interruption-queue': 'berth-demo',
};

/** A process that lives until it is killed; what it knew is then gone. */
export class InProcessBerth {
  readonly #base: Base;
  readonly #life = new AbortController();
  readonly #app: ReturnType<typeof httpApp>;
  readonly #ended: Promise<unknown>;

  constructor(options: InProcessBerthOptions) {
    const { clock, random, logger, identity = 'berth-0', flags = {} } = options;
    const [api, aws] = [heard(options, 'kubernetes'), heard(options, 'aws')];
    const given: Readonly<Record<string, string>> = { ...WORLD_FLAGS, identity, ...flags };
    const args = { words: [], value: (flag: string) => given[flag], values: () => [] };
    const serviceOptions = readServiceOptions(args, {});
    this.#base = createBase({
      options: serviceOptions,
      version: 'test',
      kinds: watchedKinds(serviceOptions),
      outside: {
        clock,
        wall: clock,
        random,
        logger,
        connection: staticConnection({ server: 'http://127.0.0.1:1' }),
        send: wireSend(api, clock),
      },
    });
    this.#app = appOf(this.#base);
    this.#ended = this.#run(aws, sharedSignal(this.#life.signal));
  }

  /** What this process measures. */
  get metrics(): Metrics {
    return this.#base.metrics;
  }

  /** What kube-scheduler asks; answers the parsed JSON. @throws Error, when it is dead or refuses. */
  async ask(path: string, body: unknown): Promise<unknown> {
    const role = path.startsWith('/scheduler/') ? 'extender' : 'webhooks';
    if (this.#life.signal.aborted || !this.#base.options.roles.includes(role))
      throw new Error('connection refused');
    const { status, text } = await inject(this.#app, path, body);
    if (status !== 200) throw new Error(`status ${String(status)}: ${text}`);
    return JSON.parse(text) as unknown;
  }

  /** Ends it as SIGTERM does: its Lease is given back. */
  async stop(): Promise<void> {
    this.#life.abort();
    await this.#ended;
  }

  async #run(aws: WireHandler, signal: AbortSignal): Promise<void> {
    const base = this.#base;
    const { clock, random, logger, metrics, client, options } = base;
    const writer = kubeWriter({ client, namespace: options.namespace, reportingInstance: options.identity });
    const election = new LeaderElection({
      ...{ clock, random, logger, metrics },
      store: writer,
      name: LEADER_LEASE,
      identity: options.identity,
    });
    const planned = plannedCluster(base);
    const planner = new InlinePlanner({ cluster: planned, clock });
    const isLeader = (): boolean => election.isLeader();
    const permitted = permits(base, isLeader);
    const kube = kubeWriter({
      ...{ client, namespace: options.namespace, reportingInstance: options.identity },
      permit: permitted.kube,
    });
    const cloudSource = await makeCloud(base, {
      nodeWriter: kube,
      permit: permitted.cloud,
      refuse: base.guard.cloud,
      wire: inProcessHandler(aws),
    });
    await Promise.all([
      base.feed.run(signal),
      election.run(signal, (own) => runLoops({ base, kube, cloudSource, planner, planned, isLeader }, own)),
    ]);
    cloudSource.close();
    client.close();
  }
}

function heard({ api, aws, onRequest }: InProcessBerthOptions, to: 'kubernetes' | 'aws'): WireHandler {
  const { handle } = to === 'aws' ? aws : api;
  return (request, signal) => {
    onRequest?.(to, request);
    return handle(request, signal);
  };
}

function appOf({ cluster, ledger, clock, logger, metrics, options }: Base): ReturnType<typeof httpApp> {
  const refusals = new Refusals({ server: 'extender', counter: metrics.httpRefused, logger });
  const common = { cluster, clock, logger, metrics, refusals };
  return httpApp({
    routers: [
      extenderRouter({ ...common, ledger }),
      admissionRouter({ ...common, namespace: options.namespace }),
    ],
    refusals,
  });
}
