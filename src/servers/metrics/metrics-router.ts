/** GET /metrics: everything that is counted, for Prometheus. */
import { Router } from 'express';

/** A registry of prom-client. */
export interface MetricsRegistry {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** The registry's metrics as text. */
export function metricsRouter({ registry }: { readonly registry: MetricsRegistry }): Router {
  const router = Router();
  router.get('/metrics', async (_request, response) => {
    const text = await registry.metrics();
    response.setHeader('Content-Type', registry.contentType);
    response.end(text);
  });
  return router;
}
