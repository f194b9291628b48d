/** The log level at run time, and profiles. */
import { request } from 'node:http';
import { adminRouter } from '../../../src/servers/admin/admin-router.js';
import { Refusals } from '../../../src/servers/http/refusals.js';
import type { LogThreshold } from '../../../src/runtime/process/pino-logger.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { serve, type Serving } from '../http/serving.js';

interface Scene extends Serving {
  readonly threshold: LogThreshold;
  readonly put: (body: string) => Promise<Response>;
}

const scenes: Scene[] = [];

async function served(): Promise<Scene> {
  const threshold: LogThreshold = { level: 'info' };
  const { logger } = recordingLogger();
  const refusals = new Refusals({ server: 'admin', counter: { inc: () => undefined }, logger });
  const serving = await serve({
    routers: [adminRouter({ threshold, clock: systemClock, logger, refusals })],
  });
  const put = (body: string) => fetch(`${serving.url}/log-level`, { method: 'PUT', body });
  const scene = { ...serving, threshold, put };
  scenes.push(scene);
  return scene;
}

afterEach(async () => {
  await Promise.all(scenes.splice(0).map(({ listener }) => listener.close(0)));
});

test('the log level is read and set while the process runs', async () => {
  const { url, threshold, put } = await served();
  expect(await (await fetch(`${url}/log-level`)).text()).toBe('info\n');
  expect((await put('debug\n')).status).toBe(200);
  expect(threshold.level).toBe('debug');
});

test('another word than a level is refused with the levels there are, and changes nothing', async () => {
  const { threshold, put } = await served();
  const answer = await put('verbose');
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('expected one of debug, info, warn, error'),
  ]);
  expect(threshold.level).toBe('info');
});

test('a profile has functions and samples of its time, one at once', async () => {
  const { url } = await served();
  const first = fetch(`${url}/debug/profile?seconds=1`);
  await systemClock.sleep(200);
  expect((await fetch(`${url}/debug/profile?seconds=1`)).status).toBe(409);
  const profile = (await (await first).json()) as { nodes: unknown[]; startTime: number; endTime: number };
  expect(profile.nodes.length).toBeGreaterThan(0);
  expect(profile.endTime - profile.startTime).toBeGreaterThan(900_000);
  expect((await fetch(`${url}/debug/profile?seconds=3600`)).status).toBe(400);
});

test('a site whose name resolves to this machine reaches nothing', async () => {
  const { url } = await served();
  const status = await new Promise((resolve) => {
    request(`${url}/log-level`, { headers: { host: 'evil.example' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).end();
  });
  expect(status).toBe(403);
});
