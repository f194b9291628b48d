/** The page's server: what it answers, what it refuses, and the stream that tells changes. */
import { get } from 'node:http';
import { PageWorld, type Instance } from '../../web/fixture/page-world.js';
import { Dashboard } from '../../../src/servers/dashboard/dashboard.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { serve } from '../http/serving.js';
import { Refusals } from '../../../src/servers/http/refusals.js';
import { observation } from '../../support/builders/observation.js';
import { recordingLogger } from '../../support/recording-logger.js';

const INSTANCE: Instance = { name: 'general-1', type: 'm7g.large', cpu: '2', memory: '8Gi', price: 0.2 };

let world: PageWorld;
let url: string;
beforeEach(async () => {
  world = new PageWorld();
  url = await world.serve();
});
afterEach(() => world.close());

async function json(path: string): Promise<unknown> {
  const answer = await fetch(url + path);
  expect(answer.headers.get('content-type')).toBe('application/json');
  return answer.json();
}

/** Events as they come; `next` waits for one of a name. */
async function stream(at = url) {
  const stop = new AbortController();
  const answer = await fetch(`${at}/api/events`, { signal: stop.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (name: string): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = new RegExp(`^event: ${name}\\ndata: (.*)\\n\\n`, 'm').exec(text);
      if (found !== null) {
        text = text.slice(found.index + found[0].length);
        return JSON.parse(found[1] ?? '') as Record<string, unknown>;
      }
      const part = await reader?.read();
      if (part?.value === undefined) throw new Error(`the stream ended before ${name}`);
      text += part.value;
    }
  };
  return {
    status: answer.status,
    next,
    stop: () => {
      stop.abort();
    },
  };
}

/** With a Host of one's own, which fetch does not allow. */
function statusFor(host: string, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/api/state`, { method, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.end();
  });
}

describe('the page’s files', () => {
  test('come with their types, and with headers that let nothing foreign in', async () => {
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect((await fetch(`${url}/page.js`)).headers.get('content-type')).toBe(
      'text/javascript; charset=utf-8',
    );
  });

  test('name nothing but each other: no inline script or style, no other host', async () => {
    const html = await (await fetch(url)).text();
    const named = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    for (const name of named) expect([name, (await fetch(`${url}/${name}`)).status]).toEqual([name, 200]);
    expect(html).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|\sstyle=|https?:/);
  });

  test.each(['/nothing.js', '/../package.json', '/%2e%2e/package.json', '/constructor', '/__proto__'])(
    '%s is not found',
    async (path) => {
      expect((await fetch(url + path)).status).toBe(404);
    },
  );
});

describe('who may ask', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is refused', async (method) => {
    const answer = await fetch(`${url}/api/state`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test.each([
    ['127.0.0.1:8090', 200],
    ['localhost', 200],
    ['[::1]:8090', 200],
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost.evil.example:8090', 403],
  ])('on loopback, a request to %s gets %d', async (host, status) => {
    expect(await statusFor(host)).toBe(status);
  });

  test('HEAD has the headers and no body', async () => {
    const answer = await fetch(`${url}/api/state`, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await fetch(`${url}/api/events`, { method: 'HEAD' })).status).toBe(200);
  });
});

describe('/api', () => {
  test('state has boxes, pods with their shares, and costs', async () => {
    world.running(INSTANCE, [['shop/web-1', '500m', '1Gi']]);
    const waiting = world.pod('shop/web-2', { cpu: '64' });
    world.refuse(waiting, ['general', 'no type is large enough', 'add larger types']);
    expect(await json('/api/state')).toMatchObject({
      synced: true,
      now: { nodes: 1, coming: 0, pending: 1, hourly: 0.2 },
      cost: { rows: [{ key: 'shop', pods: 1, hourly: expect.closeTo(0.05, 9) as number }], total: 0.2 },
      boxes: [
        {
          id: 'NodeClaim/general-1',
          pool: 'general',
          type: 'm7g.large',
          phase: 'Ready',
          price: 0.2,
          cpu: 2000,
        },
      ],
      pods: [
        { key: 'shop/web-1', state: 'Bound', share: 0.25 },
        {
          key: 'shop/web-2',
          state: 'Refused',
          reason: 'InsufficientResource',
          message: 'NodePool general: no type is large enough',
        },
      ],
    });
  });

  test('a box tells that its node is cordoned and why its claim is drifted, until it no longer is', async () => {
    const claim = world.running(INSTANCE, []);
    expect(await json('/api/state')).toMatchObject({ boxes: [{ cordoned: false }] });
    world.cordon(claim);
    const drifted = world.drift(claim, 'amiFamily was AL2 and is AL2023');
    expect(await json('/api/state')).toMatchObject({
      boxes: [
        {
          ...{ cordoned: true, drifted: 'amiFamily was AL2 and is AL2023' },
          ...{ zone: 'eu-west-3a', capacityType: 'spot' },
        },
      ],
    });
    const conditions = drifted.status.conditions.map((each) =>
      each.type === 'Drifted' ? { ...each, status: 'False' as const } : each,
    );
    world.cluster.put('NodeClaim', {
      ...drifted,
      resourceVersion: '999',
      status: { ...drifted.status, conditions },
    });
    expect(await json('/api/state')).not.toHaveProperty('boxes.0.drifted');
  });

  test('timeline holds what was, and now at its end', async () => {
    world.running(INSTANCE, []);
    await world.clock.advance(10_000);
    const { points } = (await json('/api/timeline')) as { points: { time: number; nodes: number }[] };
    expect(points[0]).toMatchObject({ nodes: 0 });
    expect(points.at(-1)).toMatchObject({ nodes: 1, hourly: 0.2, time: world.clock.now() });
  });

  test('observation is what was found, and null where nothing is or Berth has stopped observing', async () => {
    expect(await json('/api/observation')).toEqual({ observation: null });
    const updatedAt = world.clock.now();
    world.cluster.put('Observation', observation({ updatedAt }));
    const { system, since, total, now, periods } = observation();
    const shown = { system, since, updatedAt, total, now, periods };
    expect(await json('/api/observation')).toEqual({ observation: shown });
    await world.clock.advance(7_200_001);
    expect(await json('/api/observation')).toEqual({ observation: null });
  });

  test('cost groups as asked, and says what it can be asked', async () => {
    world.running(INSTANCE, [['shop/web-1', '500m', '1Gi']]);
    expect(await json('/api/cost?by=nodepool')).toMatchObject({ by: 'nodepool', rows: [{ key: 'general' }] });
    expect(await json('/api/cost?by=label&label=team')).toMatchObject({ rows: [{ key: '', pods: 1 }] });
    const wrong = await fetch(`${url}/api/cost?by=mood`);
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('it must be namespace, nodepool or label');
    expect((await fetch(`${url}/api/cost?by=label&label=a%20b`)).status).toBe(400);
  });

  test('stories are those of existing objects', async () => {
    world.pod('shop/web-1', { cpu: '1' });
    expect(await json('/api/stories/Pod/shop/web-1')).toMatchObject({
      subject: { kind: 'Pod', name: 'web-1' },
    });
    for (const path of ['Pod/web-1', 'Pod/shop/web-2', 'Secret/a', 'Node/a/b', 'constructor/a'])
      expect([path, (await fetch(`${url}/api/stories/${path}`)).status]).toEqual([path, 404]);
  });
});

describe('the stream', () => {
  test('begins with a snapshot and tells what changes, follows a pod to its node, and what goes', async () => {
    const pod = world.pod('shop/web-1', { cpu: '500m' });
    const { next, stop } = await stream();
    expect(await next('snapshot')).toMatchObject({
      boxes: [],
      pods: [{ key: 'shop/web-1', state: 'Waiting' }],
    });
    const claim = world.plan(INSTANCE, [pod]);
    expect(await next('change')).toMatchObject({
      boxes: [{ id: 'NodeClaim/general-1', phase: 'Launching' }],
      pods: [{ state: 'Planned', planned: { kind: 'NodeClaim', name: 'general-1' } }],
      decisions: [{ action: 'Place', subject: 'general-1' }],
    });
    const ready = world.register(world.launch(claim));
    world.bind(pod, ready);
    expect(await next('change')).toMatchObject({
      boxes: [{ id: 'NodeClaim/general-1', phase: 'Ready' }],
      pods: [{ state: 'Bound', share: 0.25 }],
    });
    world.cluster.delete('Pod', 'shop/web-1');
    expect(await next('change')).toMatchObject({ gonePods: ['shop/web-1'] });
    expect(await next('tick')).toMatchObject({ now: { nodes: 1, pending: 0 } });
    stop();
  });

  test('tells the same to two readers, and each its own snapshot', async () => {
    const one = await stream();
    world.pod('shop/web-1', { cpu: '1' });
    const two = await stream();
    expect(await two.next('snapshot')).toMatchObject({ pods: [{ key: 'shop/web-1' }] });
    expect(await one.next('snapshot')).toMatchObject({ pods: [] });
    expect(await one.next('change')).toMatchObject({ pods: [{ key: 'shop/web-1' }] });
    one.stop();
    two.stop();
  });

  test('tells of failures that the process has logged, and that there are none', async () => {
    expect(await json('/api/state')).toMatchObject({ failures: null });
    world.logger.error('planning failed', { error: new Error('no answer') });
    expect(await json('/api/state')).toMatchObject({
      failures: { count: 1, last: { at: world.clock.now(), text: 'planning failed: no answer' } },
    });
  });

  test('is refused beyond the limit, and free again when a reader goes', async () => {
    const { logger } = recordingLogger();
    const options = {
      cluster: world.cluster,
      clock: world.clock,
      pace: systemClock,
      files: {},
      version: '0',
    };
    const dashboard = new Dashboard({ ...options, isLocal: true, mostReaders: 1 });
    const refusals = new Refusals({ server: 'dashboard', counter: { inc: () => undefined }, logger });
    const { listener, url: at } = await serve({ routers: [dashboard.router(refusals)] });
    const first = await stream(at);
    expect((await fetch(`${at}/api/events`)).status).toBe(503);
    first.stop();
    let status = 503;
    for (let tries = 0; status !== 200 && tries < 200; tries++) {
      const again = await stream(at);
      again.stop();
      ({ status } = again);
    }
    expect(status).toBe(200);
    dashboard.close();
    await listener.close(0);
  });

  test('ends with the dashboard, so that the server can end', async () => {
    const { next } = await stream();
    await next('snapshot');
    world.dashboard.close();
    await expect(next('never')).rejects.toThrow('the stream ended');
  });
});
