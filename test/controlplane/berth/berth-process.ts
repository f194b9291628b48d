/** Berth as a process of its own: the bundle (run.sh builds it), started as its container would start it, and killed as a host would. */
import { get } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Component } from '../fixture/process/component.js';
import type { ControlPlane } from '../fixture/control-plane.js';
import { metricSum } from '../fixture/metric-sum.js';
import { freePorts } from '../fixture/process/free-port.js';

const ROOT = join(import.meta.dirname, '../../..');
const BUNDLE = join(ROOT, 'dist/berth.js');
const CLOCK = join(import.meta.dirname, 'shifted-clock.js');
const READY_MILLIS = 60_000;

export interface BerthProcessOptions {
  /** Names its log and its identity in the Lease. */
  readonly name: string;
  readonly command: 'controller' | 'extender';
  readonly kubeconfig: string;
  /** Beside which it runs. */
  readonly cluster: ControlPlane;
  /** Where webhooks and extender are served; free ports unless given. */
  readonly webhookPort?: number;
  readonly extenderPort?: number;
  /** Further flags. */
  readonly flags?: readonly string[] | undefined;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** By how much its wall clock is ahead of the host's; 0. */
  readonly clockAheadMillis?: number | undefined;
}

export class BerthProcess {
  readonly name: string;
  readonly extenderPort: number;
  readonly metricsPort: number;
  readonly component: Component;
  readonly #healthPort: number;

  private constructor(component: Component, ports: readonly [number, number, number], name: string) {
    this.component = component;
    [this.extenderPort, this.#healthPort, this.metricsPort] = ports;
    this.name = name;
  }

  /** Resolves when the process runs; `ready` waits for more. */
  static async start(options: BerthProcessOptions): Promise<BerthProcess> {
    const [extender = 0, health = 0, metrics = 0, webhook = 0, dashboard = 0] = await freePorts(5);
    const extenderPort = options.extenderPort ?? extender;
    const own = ['--kubeconfig', options.kubeconfig, ...(options.flags ?? [])];
    const addresses = {
      'extender-address': extenderPort,
      'health-address': health,
      'metrics-address': metrics,
      ...(options.command === 'controller' && {
        'webhook-address': options.webhookPort ?? webhook,
        'dashboard-address': dashboard,
      }),
    };
    const served = Object.entries(addresses).flatMap(([flag, port]) => [
      `--${flag}`,
      `127.0.0.1:${String(port)}`,
    ]);
    const identity = options.command === 'controller' ? ['--identity', options.name] : [];
    const component = options.cluster.startProgram({
      name: options.name,
      command: process.execPath,
      env: options.env,
      arguments: [
        ...shift(options.clockAheadMillis),
        BUNDLE,
        options.command,
        ...own,
        ...served,
        ...identity,
      ],
    });
    return new BerthProcess(component, [extenderPort, health, metrics], options.name);
  }

  /** Resolves when /readyz says so. */
  async ready(): Promise<void> {
    await this.component.ready(async () => (await this.#status('/readyz')) === 200, READY_MILLIS);
  }

  /** The page of metrics, in Prometheus' text format. */
  async metrics(): Promise<string> {
    return (await page(this.metricsPort, '/metrics')).body;
  }

  /** The value of a series (`name{label="value"}`) or 0; the sum over all labels when only a name is given. */
  async metric(series: string): Promise<number> {
    return metricSum(await this.metrics(), series);
  }

  /** As kubelet ends a container; resolves when it has ended. */
  async terminate(): Promise<void> {
    process.kill(this.component.pid, 'SIGTERM');
    await this.component.ended();
  }

  /** As a power cut does. */
  kill(): Promise<void> {
    return this.component.kill();
  }

  async #status(path: string): Promise<number> {
    try {
      return (await page(this.#healthPort, path)).status;
    } catch {
      return 0;
    }
  }
}

function page(port: number, path: string): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      text(answer).then((body) => {
        resolve({ status: answer.statusCode ?? 0, body });
      }, reject);
    }).on('error', reject);
  });
}

/** Arguments of node that put its wall clock ahead. */
function shift(millis = 0): readonly string[] {
  return millis === 0 ? [] : ['--import', `${pathToFileURL(CLOCK).href}?millis=${String(millis)}`];
}
