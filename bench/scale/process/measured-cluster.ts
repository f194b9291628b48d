/** A synthetic cluster with the real Berth in it: the API server, the rest of the world, and Berth, each a process. */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOAD, WORLD } from '../roles.js';
import type { LoadRequest } from '../load/extender-load.js';
import type { Launch, WorldReply, WorldRequest } from '../world/world-process.js';
import { BerthProcess, type BerthProcessOptions } from './berth-process.js';
import { ask, heard, startRole, stop } from './owned-process.js';
import { SyntheticApi, type ApiState } from './synthetic-api.js';

export interface MeasuredClusterOptions
  extends Pick<BerthProcessOptions, 'root' | 'folder' | 'limits'>, Omit<WorldRequest, 'apiURL'> {
  /** This program, for processes in other roles. */
  readonly program: string;
  /** The built synthetic API server. */
  readonly apiBinary: string;
  readonly latencyMillis: number;
}

const POLL_MILLIS = 250;

export class MeasuredCluster {
  readonly api: SyntheticApi;
  readonly nodeNames: readonly string[];
  readonly #options: MeasuredClusterOptions;
  readonly #world: ChildProcess;
  readonly #awsURL: string;
  #load: ChildProcess | undefined;
  #berth: BerthProcess | undefined;

  private constructor(
    options: MeasuredClusterOptions,
    api: SyntheticApi,
    world: ChildProcess,
    hello: Extract<WorldReply, { awsURL: string }>,
  ) {
    this.#options = options;
    this.api = api;
    this.#world = world;
    this.#awsURL = hello.awsURL;
    this.nodeNames = hello.nodeNames;
  }

  /** With all nodes and pods that are there before; without Berth. */
  static async start(options: MeasuredClusterOptions): Promise<MeasuredCluster> {
    const { apiBinary, latencyMillis, kind, nodes, podsPerNode, share, bootSeconds, program } = options;
    const api = await SyntheticApi.start(apiBinary, latencyMillis);
    const asked: WorldRequest = { apiURL: api.url, kind, nodes, podsPerNode, share, bootSeconds };
    const world = startRole(program, WORLD, asked);
    return new MeasuredCluster(options, api, world, await heard(world));
  }

  /** @throws Error before it was started. */
  get berth(): BerthProcess {
    if (this.#berth === undefined) throw new Error('Berth was not started');
    return this.#berth;
  }

  async startBerth(): Promise<BerthProcess> {
    const { root, folder, limits } = this.#options;
    const urls = { apiURL: this.api.url, awsURL: this.#awsURL };
    this.#berth = await BerthProcess.start({ root, folder, limits, ...urls });
    return this.#berth;
  }

  /** Each CreateFleet since then that launched something, the first one first. */
  async launchesSince(at: number): Promise<readonly Launch[]> {
    const { launches } = await ask<Extract<WorldReply, { launches: unknown }>>(this.#world, 'launches');
    return launches.filter((launch) => launch.at >= at).sort((left, right) => left.at - right.at);
  }

  /** The process that calls the extender as kube-scheduler does. */
  load(): ChildProcess {
    const request: LoadRequest = { port: this.berth.extenderPort };
    return (this.#load ??= startRole(this.#options.program, LOAD, request));
  }

  /** Resolves once Berth has written nothing but its Lease for so long, or when the time is over. */
  async settle(quietSeconds: number, mostSeconds: number): Promise<void> {
    const end = Date.now() + mostSeconds * 1000;
    let written = -1;
    let since = Date.now();
    while (Date.now() < end && Date.now() - since < quietSeconds * 1000) {
      const now = settledWrites(await this.api.state());
      if (now !== written) since = Date.now();
      written = now;
      await sleep(POLL_MILLIS);
    }
  }

  async stop(): Promise<void> {
    if (this.#berth !== undefined) await stop(this.#berth.process);
    for (const child of [this.#load, this.#world, this.api.process]) if (child) await stop(child);
  }
}

function settledWrites({ audit }: ApiState): number {
  return Object.entries(audit).reduce(
    (sum, [name, { requests }]) => (/^(get|list|watch|churn) |leases/.test(name) ? sum : sum + requests),
    0,
  );
}
