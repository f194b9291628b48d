/** The admission webhooks served on loopback, with a cluster that a test puts together. */
import '../../../src/app/clouds.js';
import { admissionRouter } from '../../../src/servers/admission/admission-router.js';
import type { ReadPolicyConfigMap } from '../../../src/apis/berth/read-policy-config-map.js';
import { httpApp } from '../../../src/servers/http/http-app.js';
import { listen, type HttpListener } from '../../../src/servers/http/listen.js';
import { Refusals } from '../../../src/servers/http/refusals.js';
import { createMetrics, type Metrics } from '../../../src/runtime/metrics/metrics.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';
import { recordingLogger, type LogLine } from '../../support/recording-logger.js';
import type { AdmissionResponse } from './asked.js';

export interface Webhooks {
  readonly listener: HttpListener;
  readonly metrics: Metrics;
  readonly lines: readonly LogLine[];
  /** Posts an AdmissionReview; throws when it is not answered with one. */
  ask(path: '/mutate-pods' | '/validate-policies', review: unknown): Promise<AdmissionResponse>;
}

export interface WebhooksOptions {
  /** Of the webhooks, not of the server. */
  readonly clock?: Clock | undefined;
  readonly readPolicies?: ReadPolicyConfigMap;
}

export async function serveWebhooks(
  cluster: Cluster,
  { clock = systemClock, readPolicies }: WebhooksOptions = {},
): Promise<Webhooks> {
  const { logger, lines } = recordingLogger();
  const metrics = createMetrics();
  const refusals = new Refusals({ server: 'webhooks', counter: metrics.httpRefused, logger });
  const router = admissionRouter({
    cluster,
    clock,
    logger,
    metrics,
    refusals,
    namespace: 'berth-system',
    readPolicies,
  });
  const app = httpApp({ routers: [router], refusals });
  const listener = await listen({ app, host: '127.0.0.1', port: 0, clock: systemClock, logger, refusals });
  return {
    listener,
    metrics,
    lines,
    ask: async (path, review) => {
      const answer = await fetch(`${listener.url}${path}?timeout=2s`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(review),
      });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${String(answer.status)} ${text}`);
      const body = JSON.parse(text) as { readonly response: AdmissionResponse };
      return body.response;
    },
  };
}
