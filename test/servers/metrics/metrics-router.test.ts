/** /metrics. */
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { metricsRouter } from '../../../src/servers/metrics/metrics-router.js';
import { serve } from '../http/serving.js';

async function scraped(registry: Parameters<typeof metricsRouter>[0]['registry']) {
  const { listener, url } = await serve({ routers: [metricsRouter({ registry })] });
  const answer = await fetch(`${url}/metrics`);
  const text = await answer.text();
  await listener.close(0);
  return { status: answer.status, type: answer.headers.get('content-type'), text };
}

test('everything that is counted is exposed to Prometheus', async () => {
  const metrics = createMetrics();
  metrics.httpRefused.inc({ server: 'webhooks', cause: 'timeout' }, 3);
  const { status, type, text } = await scraped(metrics.registry);
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  expect(text).toContain('berth_http_refused_total{server="webhooks",cause="timeout"} 3\n');
});

test('a registry that fails is not exposed', async () => {
  const broken = { contentType: 'text/plain', metrics: () => Promise.reject(new Error('secret')) };
  const { status, text } = await scraped(broken);
  expect(status).toBe(500);
  expect(text).not.toContain('secret');
});
