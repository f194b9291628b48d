/** Berth's admission webhooks in the test's own process, called by a real API server as the manifests register them. */
import '../../../../src/app/clouds.js';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { parseAllDocuments } from 'yaml';
import { decodePolicyConfigMap } from '../../../../src/apis/berth/policy-config-map.js';
import { decodeObservedNamespace } from '../../../../src/apis/kubernetes/object/observed-namespace.js';
import { createMetrics, type Metrics } from '../../../../src/runtime/metrics/metrics.js';
import { systemClock } from '../../../../src/runtime/time/system-clock.js';
import { admissionRouter } from '../../../../src/servers/admission/admission-router.js';
import { httpApp } from '../../../../src/servers/http/http-app.js';
import { listen, type HttpListener } from '../../../../src/servers/http/listen.js';
import { Refusals } from '../../../../src/servers/http/refusals.js';
import type { TlsMaterial } from '../../../../src/servers/http/tls-options.js';
import { Cluster } from '../../../../src/state/cluster/cluster.js';
import { recordingLogger } from '../../../support/recording-logger.js';
import type { Manifest } from '../../fixture/api/api-client.js';
import type { ControlPlane } from '../../fixture/control-plane.js';
import { follow } from '../../fixture/api/follow.js';
import {
  clusterScoped,
  CONFIG_MAPS,
  MUTATING_WEBHOOKS,
  NAMESPACES,
  type Resource,
  type KubeObject,
} from '../../fixture/api/kube-object.js';

export const OWN_NAMESPACE = 'berth-system';
const VALIDATING_WEBHOOKS = clusterScoped(
  'admissionregistration.k8s.io/v1',
  'ValidatingWebhookConfiguration',
);
const MANIFEST = new URL('../../../../manifests/base/webhooks.yaml', import.meta.url);

/** What the webhooks know of the cluster, kept up to date by watches. */
export class ServedWebhooks {
  readonly cluster = new Cluster();
  readonly metrics: Metrics = createMetrics();
  readonly #controlPlane: ControlPlane;
  readonly #stop = new AbortController();
  readonly #following: Promise<unknown>;
  #listener: HttpListener | undefined;

  constructor(controlPlane: ControlPlane) {
    this.#controlPlane = controlPlane;
    const { cluster } = this;
    for (const kind of ['PolicyConfigMap', 'PolicyStatus', 'Namespace', 'Lease'] as const)
      cluster.synced(kind);
    const { api } = controlPlane;
    const { signal } = this.#stop;
    const selection = { namespace: OWN_NAMESPACE, labelSelector: 'berth.sh/policy=true' };
    this.#following = Promise.all([
      follow(api, CONFIG_MAPS, {
        ...{ signal, selection },
        changed: (object) => {
          const { value } = decodePolicyConfigMap(object);
          if (value !== undefined) cluster.put('PolicyConfigMap', value);
        },
        deleted: ({ metadata }) => {
          cluster.delete('PolicyConfigMap', metadata.name);
        },
      }),
      follow(api, NAMESPACES, {
        signal,
        changed: (object) => {
          const { value } = decodeObservedNamespace(object);
          if (value !== undefined) cluster.put('Namespace', value);
        },
        deleted: ({ metadata }) => {
          cluster.delete('Namespace', metadata.name);
        },
      }),
    ]);
  }

  /** Serves them at a port, 0 for a free one; `app` stands in their place. Connections are short, so that there are many handshakes. */
  async serve(tls: TlsMaterial, port = 0, app: RequestListener = this.#app()): Promise<HttpListener> {
    const { logger } = recordingLogger();
    this.#listener = await listen({
      ...{ app, host: '127.0.0.1', port, tls, logger, clock: systemClock, refusals: this.#refusals() },
      limits: { maxRequestsPerSocket: 3 },
    });
    return this.#listener;
  }

  /** Ends the server and every connection to it. */
  async shutDown(): Promise<void> {
    await this.#listener?.close(0);
  }

  /** Registers both as the manifests do, at an address of this machine. */
  async register(url: string, authorities: string): Promise<void> {
    for (const { resource, manifest } of registrations(url, authorities))
      await this.#controlPlane.api.apply(resource, manifest);
  }

  /** How often each outcome was answered. */
  async outcomes(): Promise<Readonly<Record<string, number>>> {
    const { values } = await this.metrics.admissionRequests.get();
    return Object.fromEntries(values.map(({ labels, value }) => [String(labels.outcome), value]));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
    await this.shutDown();
  }

  #refusals(): Refusals {
    return new Refusals({
      server: 'webhooks',
      counter: this.metrics.httpRefused,
      logger: recordingLogger().logger,
    });
  }

  #app(): RequestListener {
    const { cluster, metrics } = this;
    const refusals = this.#refusals();
    const { logger } = recordingLogger();
    const options = { cluster, metrics, refusals, logger, clock: systemClock, namespace: OWN_NAMESPACE };
    return httpApp({ routers: [admissionRouter(options)], refusals });
  }
}

interface Registration {
  readonly resource: Resource<KubeObject>;
  readonly manifest: Manifest & { readonly metadata: { readonly name: string } };
}

interface WebhookConfiguration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly { readonly clientConfig: { readonly service: { readonly path: string } } }[];
}

function registrations(url: string, authorities: string): readonly Registration[] {
  const caBundle = Buffer.from(authorities).toString('base64');
  return parseAllDocuments(readFileSync(MANIFEST, 'utf8')).map((document) => {
    const { kind, metadata, webhooks } = document.toJS() as WebhookConfiguration;
    return {
      resource: kind === 'MutatingWebhookConfiguration' ? MUTATING_WEBHOOKS : VALIDATING_WEBHOOKS,
      manifest: {
        metadata,
        webhooks: webhooks.map((webhook) => {
          return { ...webhook, clientConfig: { url: url + webhook.clientConfig.service.path, caBundle } };
        }),
      },
    };
  });
}
