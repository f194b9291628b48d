/** Opens the servers of a process, each on its address, and gives those with TLS their certificates as they change. */
import { admissionRouter } from '../../servers/admission/admission-router.js';
import { Dashboard } from '../../servers/dashboard/dashboard.js';
import { extenderRouter } from '../../servers/extender/extender-router.js';
import { healthRouter } from '../../servers/health/health-router.js';
import type { Probe } from '../../servers/health/probe.js';
import { httpApp } from '../../servers/http/http-app.js';
import { listen, type HttpListener } from '../../servers/http/listen.js';
import { Refusals } from '../../servers/http/refusals.js';
import type { TlsOptions } from '../../servers/http/tls-options.js';
import { adminRouter } from '../../servers/admin/admin-router.js';
import { metricsRouter } from '../../servers/metrics/metrics-router.js';
import { PAGE_FILES } from '../page-files.js';
import { isLoopback, type Address } from './options/address.js';
import type { LogThreshold } from '../../runtime/process/pino-logger.js';
import type { Base } from './base.js';

/** PEM texts by file name: `ca.crt`, `webhook.crt`, `webhook.key`, … */
export type Certificates = ReadonlyMap<string, string>;

type ServerName = 'admin' | 'webhooks' | 'extender' | 'metrics' | 'health' | 'dashboard';
type Routers = Parameters<typeof httpApp>[0]['routers'];

/** Common name of kube-scheduler's certificate (certs/README.md). */
const SCHEDULER_NAME = 'berth-scheduler';
/** Shorter than the time a container has to end. */
const GRACE_MILLIS = 10_000;

export class Servers {
  readonly #base: Base;
  readonly #listeners: HttpListener[] = [];
  /** What ends the page's streams, which would else last as long as the server. */
  #endStreams: () => void = () => undefined;
  /** Servers with TLS: their certificate's file, and the listener of changes. */
  readonly #secure: { readonly file: string; readonly listener: HttpListener }[] = [];

  constructor(base: Base) {
    this.#base = base;
  }

  async serveHealth(probes: readonly (() => Probe)[]): Promise<void> {
    await this.#open('health', this.#base.options.healthAddress, () => [healthRouter({ probes })]);
  }

  /** For the one who operates it, from this machine alone. */
  async serveAdmin(address: Address, threshold: LogThreshold): Promise<void> {
    const { wall: clock, logger } = this.#base;
    await this.#open('admin', address, (refusals) => [adminRouter({ threshold, clock, logger, refusals })]);
  }

  async serveMetrics(): Promise<void> {
    const { registry } = this.#base.metrics;
    await this.#open('metrics', this.#base.options.metricsAddress, () => [metricsRouter({ registry })]);
  }

  /** Serves the page at this address, and keeps its history until the signal is aborted. */
  async serveDashboard(address: Address, signal: AbortSignal): Promise<{ readonly url: string }> {
    const { cluster, clock, wall: pace, version, failures } = this.#base;
    const { namespace } = this.#base.options;
    const isLocal = isLoopback(address);
    const seen = { cluster, clock, pace, version, namespace, failures };
    const dashboard = new Dashboard({ ...seen, files: PAGE_FILES, isLocal });
    this.#endStreams = () => {
      dashboard.close();
    };
    const listener = await this.#open('dashboard', address, (refusals) => [dashboard.router(refusals)]);
    void dashboard.run(signal);
    return listener;
  }

  async serveWebhooks(certificates: Certificates): Promise<void> {
    const { options, cluster, clock, logger, metrics, policyReaders } = this.#base;
    const { namespace } = options;
    const readPolicies = policyReaders.submitted?.read;
    const tls = tlsOf('webhook', certificates);
    policyReaders.submitted?.start();
    const listener = await this.#open(
      'webhooks',
      options.webhookAddress,
      (refusals) => [admissionRouter({ cluster, clock, logger, metrics, refusals, namespace, readPolicies })],
      tls,
    );
    this.#secure.push({ file: 'webhook', listener });
  }

  /** Plain on loopback, where the sidecar's kube-scheduler is; elsewhere kube-scheduler proves who it is. */
  async serveExtender(certificates: Certificates | undefined): Promise<void> {
    const { options, cluster, ledger, clock, logger, metrics } = this.#base;
    const { preemptWhileLaunching, maxNodesToScore } = options;
    const routers = (refusals: Refusals): Routers => [
      extenderRouter({
        cluster,
        ledger,
        clock,
        logger,
        metrics,
        refusals,
        leaseMaxAgeMillis: 2 * options.leaseDurationMillis,
        options: { preemptWhileLaunching, maxNodesToScore },
      }),
    ];
    if (certificates === undefined) {
      if (!isLoopback(options.extenderAddress))
        throw new Error('the extender requires certificates unless it listens on loopback only');
      await this.#open('extender', options.extenderAddress, routers);
      return;
    }
    const tls = {
      ...tlsOf('extender', certificates),
      requireClientCert: true,
      clientNames: [SCHEDULER_NAME],
    };
    const listener = await this.#open('extender', options.extenderAddress, routers, tls);
    this.#secure.push({ file: 'extender', listener });
  }

  /** Open connections stay as they are. */
  changeCertificates(certificates: Certificates): void {
    for (const { file, listener } of this.#secure) listener.updateTls(tlsOf(file, certificates));
  }

  async close(): Promise<void> {
    this.#endStreams();
    await Promise.all(this.#listeners.map((listener) => listener.close(GRACE_MILLIS)));
  }

  async #open(
    server: ServerName,
    { host, port }: Address,
    routers: (refusals: Refusals) => Routers,
    tls?: TlsOptions,
  ): Promise<HttpListener> {
    const { wall: clock, logger, metrics } = this.#base;
    const refusals = new Refusals({ server, counter: metrics.httpRefused, logger });
    const app = httpApp({ routers: routers(refusals), refusals });
    const listener = await listen({ app, host, port, tls, clock, logger, refusals });
    this.#listeners.push(listener);
    return listener;
  }
}

function tlsOf(file: string, certificates: Certificates): TlsOptions {
  const [key, cert, clientCa] = [`${file}.key`, `${file}.crt`, 'ca.crt'].map(
    (name) => certificates.get(name) ?? '',
  );
  return { key: key ?? '', cert: cert ?? '', clientCa };
}
