/** An extender over a cluster in memory, and the calls that kube-scheduler makes of it. */
import express from 'express';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Server } from 'node:http';
import { Refusals } from '../../../src/servers/http/refusals.js';
import { extenderRouter, type ExtenderSettings } from '../../../src/servers/extender/extender-router.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { RoomLedger } from '../../../src/state/ledger/room-ledger.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';

export interface HttpAnswer {
  readonly status: number;
  readonly body: unknown;
}

export class ExtenderWorld {
  readonly clock = new VirtualClock();
  readonly cluster = new Cluster();
  readonly ledger = new RoomLedger({ cluster: this.cluster, clock: this.clock });
  readonly passes: string[] = [];
  readonly outcomes: string[] = [];
  /** Verbs of the calls that were not waited for. */
  readonly abandoned: string[] = [];
  readonly log = recordingLogger();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  /** Listening on loopback; synced, and with a leader that is alive, unless told otherwise. */
  static async start(settings: ExtenderSettings = {}, synced = true): Promise<ExtenderWorld> {
    const world = new ExtenderWorld();
    const { clock, cluster, ledger, log } = world;
    const logger = log.logger;
    const refusals = new Refusals({ server: 'extender', counter: { inc: () => undefined }, logger });
    const metrics = {
      extenderRequests: {
        inc: ({ verb, outcome }: { verb: string; outcome: string }) => {
          world.outcomes.push(`${verb} ${outcome}`);
        },
      },
      extenderDuration: { observe: () => undefined },
      extenderAbandoned: {
        inc: ({ verb }: { verb: string }) => {
          world.abandoned.push(verb);
        },
      },
      extenderPasses: {
        inc: ({ cause }: { cause: string }) => {
          world.passes.push(cause);
        },
      },
    };
    const app = express();
    app.use(extenderRouter({ cluster, ledger, clock, logger, metrics, refusals, options: settings }));
    world.#server = app.listen(0, '127.0.0.1');
    world.#server.on('connection', (socket) => {
      world.#sockets.add(socket);
      socket.once('close', () => world.#sockets.delete(socket));
    });
    await once(world.#server, 'listening');
    if (synced) world.sync();
    world.renewLease();
    return world;
  }

  sync(): void {
    for (const kind of ['Pod', 'Node', 'NodeClaim', 'Reservation', 'Lease'] as const)
      this.cluster.synced(kind);
  }

  renewLease(renewedAt = this.clock.now()): void {
    const known = this.cluster.leases.get('berth');
    this.cluster.put('Lease', {
      name: 'berth',
      resourceVersion: String(Number(known?.resourceVersion ?? 0) + 1),
      holder: 'leader',
      acquiredAt: 0,
      renewedAt,
      durationSeconds: 15,
      transitions: 0,
    });
  }

  /** Connections that are open, as the server sees them. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Resolves once it is so, which takes the server a few turns. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await nextTurn();
  }

  /** Where it listens. */
  get url(): string {
    const { port } = this.#server?.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}`;
  }

  async call(verb: 'filter' | 'prioritize' | 'preempt', body: unknown): Promise<HttpAnswer> {
    const response = await fetch(`${this.url}/scheduler/${verb}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  async stop(): Promise<void> {
    this.ledger.close();
    this.#server?.closeAllConnections();
    this.#server?.close();
    if (this.#server !== undefined) await once(this.#server, 'close');
  }
}

/** A pod as the API server has it. */
export function wirePod(name: string, cpu = '1', metadata: object = {}): object {
  return {
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', ...metadata },
    spec: { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu } } }] },
    status: { phase: 'Pending' },
  };
}
