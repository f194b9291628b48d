/** The real bundle as a process: `berth controller`, on loopback alone, with the probe required into it. */
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { plannerMemoryMiB, type ProcessMemory } from '../../../src/adapters/planner/index.js';
import { CLUSTER_NAME, QUEUE_NAME, REGION } from '../../../world/demo/embedded/embedded-region.js';
import { kubeconfigText } from '../../../world/demo/embedded/kubeconfig-text.js';
import { mainHeapMiB, type ContainerLimits } from './container.js';
import { isRunning, start } from './owned-process.js';

export interface BerthProcessOptions {
  /** Of the checkout. */
  readonly root: string;
  /** For its log, its kubeconfig and what the probe writes. */
  readonly folder: string;
  readonly apiURL: string;
  readonly awsURL: string;
  readonly limits: ContainerLimits;
}

const MEBIBYTE = 2 ** 20;
const POLL_MILLIS = 100;
/** From the order to end a profile until its file is there. */
const PROFILE_MILLIS = 30_000;
/** Safeguards that would slow a launch of thousands of nodes on purpose. */
const RAISED = { 'max-nodes-per-minute': '100000', 'max-hourly-cost': '1000000' };

export class BerthProcess {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly startedAt = Date.now();
  readonly extenderPort: number;
  readonly folder: string;
  readonly #health: string;
  readonly #metrics: string;
  #profiles = 0;

  private constructor(child: ChildProcess, folder: string, ports: readonly number[]) {
    if (child.pid === undefined) throw new Error('Berth cannot be started');
    this.process = child;
    this.pid = child.pid;
    this.folder = folder;
    const [extender = 0, metrics = 0, health = 0] = ports;
    this.extenderPort = extender;
    this.#metrics = `http://127.0.0.1:${String(metrics)}/metrics`;
    this.#health = `http://127.0.0.1:${String(health)}/readyz`;
  }

  static async start({ root, folder, apiURL, awsURL, limits }: BerthProcessOptions): Promise<BerthProcess> {
    // Profiles of an earlier run would be taken for this one's.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, kubeconfigText(apiURL));
    const ports = await freePorts(3);
    const [extender, metrics, health] = ports.map((port) => `127.0.0.1:${String(port)}`);
    const flags = {
      ...{
        roles: 'loops,extender,metrics',
        kubeconfig,
        cloud: 'aws',
        'aws-endpoint': awsURL,
        region: REGION,
      },
      ...{ 'cluster-name': CLUSTER_NAME, 'interruption-queue': QUEUE_NAME, ...RAISED },
      // As it would choose in the container.
      'planner-memory': String(plannerMemoryMiB(memoryOf(limits))),
      ...{ 'extender-address': extender, 'metrics-address': metrics, 'health-address': health },
    };
    const written = Object.entries(flags).map(([name, value]) => `--${name}=${String(value)}`);
    const log = openSync(join(folder, 'berth.log'), 'w');
    const child = start(
      process.execPath,
      [
        ...limits.nodeFlags,
        ...['--require', join(root, 'bench/scale/probe.cjs'), join(root, 'dist/berth.js'), 'controller'],
        ...written,
      ],
      {
        stdio: ['ignore', log, log],
        env: { PATH: process.env['PATH'], NODE_OPTIONS: limits.nodeOptions, BERTH_PROBE: folder },
      },
    );
    closeSync(log);
    return new BerthProcess(child, folder, ports);
  }

  /** Resolves when all lists have been read. @throws Error when the process ends before. */
  async ready(): Promise<void> {
    while (!(await this.#isReady())) {
      if (!isRunning(this.process)) throw new Error(`Berth ended:\n${this.#log().slice(-2000)}`);
      await sleep(POLL_MILLIS);
    }
  }

  /** The value of a series as the page spells it (`name{label="value"}`); 0 when there is none. */
  async metric(series: string): Promise<number> {
    const page = await (await fetch(this.#metrics)).text();
    const line = page.split('\n').find((each) => each.startsWith(`${series} `)) ?? '';
    return Number(line.slice(series.length));
  }

  /** Lines of the log with this message, as JSON. */
  logged(message: string): readonly Readonly<Record<string, unknown>>[] {
    const lines = this.#log()
      .split('\n')
      .filter((line) => line.includes(`"message":"${message}"`));
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  }

  beginProfile(): void {
    this.process.kill('SIGUSR2');
  }

  /** Answers the profile's file. */
  async endProfile(): Promise<string> {
    const file = join(this.folder, `main-${String(this.#profiles++)}.cpuprofile`);
    this.process.kill('SIGUSR2');
    for (let waited = 0; waited < PROFILE_MILLIS; waited += POLL_MILLIS) {
      try {
        readFileSync(file);
        return file;
      } catch {
        await sleep(POLL_MILLIS);
      }
    }
    throw new Error('Berth writes no profile');
  }

  #log(): string {
    return readFileSync(join(this.folder, 'berth.log'), 'utf8');
  }

  async #isReady(): Promise<boolean> {
    try {
      const answer = await fetch(this.#health);
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }
}

function memoryOf(limits: ContainerLimits): ProcessMemory {
  const { memoryMiB } = limits;
  const mainHeap = mainHeapMiB(limits) * MEBIBYTE;
  return { constrained: memoryMiB * MEBIBYTE, total: totalmem(), mainHeap };
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
