/** Berth's extender in the test's process, fed by the control plane's watches and asked by its kube-scheduler. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler } from 'express';
import { kubeFeed } from '../../../../src/adapters/kube/feed/kube-feed.js';
import { KubeClient, KubeconfigSource } from '../../../../src/adapters/kube/transport/index.js';
import { kubeWriter } from '../../../../src/adapters/kube/writer/kube-writer.js';
import type { ClusterFeed, ObservedKind, ObservedKinds } from '../../../../src/ports/cluster-feed.js';
import type { KubeWriter } from '../../../../src/ports/kube-writer.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { systemRandom } from '../../../../src/runtime/process/system-random.js';
import { extenderRouter, type ExtenderSettings } from '../../../../src/servers/extender/extender-router.js';
import { httpApp } from '../../../../src/servers/http/http-app.js';
import { Refusals } from '../../../../src/servers/http/refusals.js';
import { Cluster } from '../../../../src/state/cluster/cluster.js';
import { RoomLedger } from '../../../../src/state/ledger/room-ledger.js';
import { recordingLogger } from '../../../support/recording-logger.js';
import type { ControlPlane } from '../../fixture/control-plane.js';
import { nodeNamesOf, type ExtenderArgs } from '../../fixture/extender-wire.js';
import { LEASES, NAMESPACES } from '../../fixture/api/kube-object.js';
import { schedulerWithExtenders } from '../../fixture/recording-extender.js';
import { applyCustomResources } from '../apply-custom-resources.js';

const KINDS: readonly ObservedKind[] = ['Pod', 'Node', 'NodeClaim', 'Reservation', 'Lease'];
const NAMESPACE = 'berth-system';

/** One call that came in, answered or not. */
export interface ServedCall {
  readonly verb: string;
  /** `namespace/name` */
  readonly pod: string;
  readonly nodeNames: readonly string[];
  /** performance.now() */
  readonly atMillis: number;
}

export class ServedExtender {
  readonly known = new Cluster();
  readonly ledger = new RoomLedger({ cluster: this.known, clock: systemClock });
  readonly passes: string[] = [];
  /** Verbs of the calls that kube-scheduler did not wait for. */
  readonly abandoned: string[] = [];
  /** Connections that were opened to it. */
  connections = 0;
  /** Nodes that the extender never hears of. */
  readonly hidden = new Set<string>();
  /** How it misbehaves from now on. */
  fault: {
    readonly delayMillis?: number;
    /** Its thread is busy with something else before it hears of the call. */
    readonly busyMillis?: number;
    readonly status?: number;
    /** It keeps no connection. */
    readonly closes?: boolean;
  } = {};
  readonly #calls: ServedCall[] = [];
  readonly #stop = new AbortController();
  readonly #server: Server;
  #port = 0;
  #client: KubeClient | undefined;
  #feeding: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;

  /** Listening on a free port; it judges nothing until it is connected. */
  static async start(settings: ExtenderSettings = {}): Promise<ServedExtender> {
    const extender = new ServedExtender(settings);
    await extender.up();
    return extender;
  }

  private constructor(settings: ExtenderSettings) {
    const { logger } = recordingLogger();
    const refusals = new Refusals({ server: 'extender', counter: { inc: () => undefined }, logger });
    const metrics = {
      extenderRequests: { inc: () => undefined },
      extenderDuration: { observe: () => undefined },
      extenderAbandoned: {
        inc: ({ verb }: { readonly verb: string }) => {
          this.abandoned.push(verb);
        },
      },
      extenderPasses: {
        inc: ({ cause }: { readonly cause: string }) => {
          this.passes.push(cause);
        },
      },
    };
    const router = extenderRouter({
      ...{ cluster: this.known, ledger: this.ledger, clock: systemClock, logger, metrics, refusals },
      options: settings,
    });
    const app = httpApp({ routers: [router], refusals });
    const misbehaving: RequestHandler = async (request, response) => {
      // A call that is cut off while it comes in is no call.
      this.#record(request).catch(() => undefined);
      const { delayMillis, busyMillis = 0, status, closes = false } = this.fault;
      if (closes) response.setHeader('Connection', 'close');
      keepBusy(busyMillis);
      if (delayMillis !== undefined) await sleep(delayMillis);
      if (status === undefined) app(request, response);
      else response.writeHead(status).end();
    };
    this.#server = createServer(misbehaving as unknown as (request: IncomingMessage) => void);
    this.#server.on('connection', () => this.connections++);
  }

  get port(): number {
    return this.#port;
  }

  /** Its entry in a KubeSchedulerConfiguration; the overrides win. */
  entry(overrides: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
    return {
      urlPrefix: `http://127.0.0.1:${String(this.#port)}/scheduler`,
      filterVerb: 'filter',
      prioritizeVerb: 'prioritize',
      preemptVerb: 'preempt',
      weight: 15,
      nodeCacheCapable: true,
      ignorable: false,
      httpTimeout: '2s',
      ...overrides,
    };
  }

  configuration(overrides: Readonly<Record<string, unknown>> = {}): string {
    return schedulerWithExtenders([this.entry(overrides)]);
  }

  /** Brings Berth's kinds into the control plane, follows it, and plays a leader that is alive. */
  async connect(cluster: ControlPlane): Promise<KubeWriter> {
    await applyCustomResources(cluster);
    await cluster.api.create(NAMESPACES, { metadata: { name: NAMESPACE } });
    this.#renewing = this.#keepLease(cluster);
    return this.follow(cluster);
  }

  /** As another replica of one that is connected. */
  async follow(cluster: ControlPlane): Promise<KubeWriter> {
    const connection = new KubeconfigSource({ clock: systemClock, file: cluster.kubeconfig('admin') });
    const client = new KubeClient({ connection, clock: systemClock, userAgent: 'berth/test' });
    this.#client = client;
    const feed = kubeFeed({
      ...{ client, feed: this.#feed(), kinds: KINDS, namespace: NAMESPACE },
      ...{ clock: systemClock, random: systemRandom, logger: recordingLogger().logger },
    });
    this.#feeding = feed.run(this.#stop.signal);
    await this.known.whenSynced(KINDS, AbortSignal.timeout(30_000));
    return kubeWriter({ client, namespace: NAMESPACE, reportingInstance: 'test' });
  }

  get calls(): readonly ServedCall[] {
    return this.#calls;
  }

  callsFor(name: string, verb?: string): readonly ServedCall[] {
    return this.#calls.filter((call) => call.pod === `default/${name}` && (verb ?? call.verb) === call.verb);
  }

  /** Listens, on the port that it had before. */
  async up(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Nobody answers on its port any more. */
  async down(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#feeding, this.#renewing]);
    this.#client?.close();
    this.ledger.close();
    if (this.#server.listening) await this.down();
  }

  #feed(): ClusterFeed {
    const { known, hidden } = this;
    return {
      put: <K extends ObservedKind>(kind: K, object: ObservedKinds[K]) => {
        if (kind !== 'Node' || !hidden.has(object.name)) known.put(kind, object);
      },
      delete: (kind, key) => {
        known.delete(kind, key);
      },
      synced: (kind) => {
        known.synced(kind);
      },
    };
  }

  async #keepLease({ api }: ControlPlane): Promise<void> {
    const name = 'berth';
    const spec = { holderIdentity: 'test', leaseDurationSeconds: 15 };
    await api.create(LEASES, { metadata: { name, namespace: NAMESPACE }, spec });
    while (!this.#stop.signal.aborted) {
      const renewTime = new Date().toISOString().replace('Z', '000Z');
      const body = { spec: { renewTime } };
      // One that fails is followed by the next long before the Lease is stale.
      await api.patch(LEASES, { name, namespace: NAMESPACE }, { type: 'merge', body }).catch(() => undefined);
      await sleep(5_000, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  /** Reads along; whoever answers reads the same bytes. */
  async #record(request: IncomingMessage): Promise<void> {
    const atMillis = performance.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(request, 'end');
    const args = JSON.parse(Buffer.concat(chunks).toString()) as ExtenderArgs;
    const { name, namespace = '' } = args.Pod.metadata;
    const verb = request.url?.split('/').at(-1) ?? '';
    this.#calls.push({ verb, pod: `${namespace}/${name}`, nodeNames: nodeNamesOf(args), atMillis });
  }
}

function keepBusy(millis: number): void {
  const end = performance.now() + millis;
  let now = performance.now();
  while (now < end) now = performance.now();
}
