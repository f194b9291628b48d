/** GET /healthz (the process answers) and /readyz (it may be sent requests; else what is missing). */
import { Router, type Request, type Response } from 'express';
import type { Probe } from './probe.js';

export interface HealthOptions {
  /** Asked at every request; an error is a probe that is not ready. */
  readonly probes: readonly (() => Probe)[];
}

/** Both answer text, or JSON where the client prefers it. */
export function healthRouter({ probes }: HealthOptions): Router {
  const router = Router();
  router.get('/healthz', (request, response) => {
    send(request, response, { status: 200, text: 'ok\n', json: { alive: true } });
  });
  router.get('/readyz', (request, response) => {
    const results = probes.map(resultOf);
    const ready = results.every((probe) => probe.ready);
    const lines = [...results.map(lineOf), ready ? 'readyz check passed' : 'readyz check failed'];
    send(request, response, {
      status: ready ? 200 : 503,
      text: `${lines.join('\n')}\n`,
      json: { ready, probes: results },
    });
  });
  return router;
}

function resultOf(probe: () => Probe): Probe {
  try {
    return probe();
  } catch (error) {
    return { name: probe.name === '' ? 'probe' : probe.name, ready: false, detail: String(error) };
  }
}

/** As kube-apiserver writes them. */
function lineOf({ name, ready, detail }: Probe): string {
  const said = detail ?? (ready ? 'ok' : 'failed');
  return `[${ready ? '+' : '-'}] ${name}: ${said}`;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: object;
}

function send(request: Request, response: Response, { status, text, json }: Answer): void {
  response.status(status).setHeader('Cache-Control', 'no-store');
  if (request.accepts(['text/plain', 'application/json']) === 'application/json') response.json(json);
  else response.type('text/plain').send(text);
}
