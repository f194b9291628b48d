/** The memory cloud behind HTTP: the same contract, and what can go wrong between two processes. */
import { PortError } from '../../../src/ports/port-error.js';
import { systemClock } from '../../../src/runtime/system-clock.js';
import {
  RemoteMemoryCloud,
  serveMemoryCloud,
  type ServedCloud,
} from '../../../src/simulator/memory-cloud/index.js';
import { CLOUD_LAWS } from '../../contract/cloud.js';
import { ManualClock } from '../../support/manual-clock.js';
import { launchCall, TEST_ZONES, testCloud, type TestCloud } from '../../support/fake-cloud/test-cloud.js';

test.each(CLOUD_LAWS)('RemoteMemoryCloud $behaviour', async ({ expectOf }) => {
  const { cloud, clock } = testCloud({ consistencyMillis: 3000 });
  const served = await serveMemoryCloud(cloud);
  try {
    await expectOf({
      cloud: new RemoteMemoryCloud({ url: served.url, clock: systemClock }),
      zones: TEST_ZONES,
      instanceType: 'm5.large',
      leave: (zone, machines) => {
        cloud.stock.set({ zone, instanceType: 'm5.large' }, machines);
      },
      settle: () => clock.advance(10_000),
    });
  } finally {
    await served.close();
  }
});

describe('RemoteMemoryCloud', () => {
  let world: TestCloud;
  let served: ServedCloud;
  beforeEach(async () => {
    world = testCloud();
    served = await serveMemoryCloud(world.cloud);
  });
  afterEach(() => served.close());

  test('gives up after its time-out, and the other side hears of it', async () => {
    const clock = new ManualClock();
    world.cloud.faults.next('launch', { kind: 'stalled' });
    const cloud = new RemoteMemoryCloud({ url: served.url, clock, timeoutMillis: 5000 });
    const answer = cloud.launch(launchCall(['m5.large eu-west-3a'])).catch((error: unknown) => error);
    await clock.advance(5000);
    expect(await answer).toMatchObject({ code: 'TimedOut' });
    expect(world.cloud.fleet()).toEqual([]);
  });

  test('passes on what went wrong, and how long to wait', async () => {
    world.cloud.faults.next('machines', { kind: 'throttled' });
    const cloud = new RemoteMemoryCloud({ url: served.url, clock: systemClock });
    const expected = {
      code: 'RateLimited',
      retryAfterMillis: 1000,
      message: 'machines: Request limit exceeded.',
    };
    await expect(cloud.machines(new Map())).rejects.toMatchObject(expected);
  });

  test('is Unavailable when nobody listens', async () => {
    const gone = await serveMemoryCloud(world.cloud);
    await gone.close();
    const cloud = new RemoteMemoryCloud({ url: gone.url, clock: systemClock });
    const failure: unknown = await cloud.terminate(['i-1']).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(PortError);
    expect(failure).toMatchObject({ code: 'Unavailable', retryable: true });
  });

  test('machines stay when the process that bought them is gone', async () => {
    const first = new RemoteMemoryCloud({ url: served.url, clock: systemClock });
    const { machines } = await first.launch(launchCall(['m5.large eu-west-3a']));
    const second = new RemoteMemoryCloud({ url: served.url, clock: systemClock });
    expect((await second.machines(new Map())).map(({ id }) => id)).toEqual(machines.map(({ id }) => id));
  });
});

describe('serveMemoryCloud', () => {
  test.each([
    ['GET', '/launch', 'application/json'],
    ['POST', '/toString', 'application/json'],
    ['POST', '/launch', 'text/plain'],
    ['POST', '/', 'application/json'],
  ])('refuses %s %s of %s', async (method, path, type) => {
    const { cloud } = testCloud();
    const served = await serveMemoryCloud(cloud);
    const body = method === 'POST' ? '[]' : null;
    const response = await fetch(served.url + path, { method, headers: { 'content-type': type }, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'Invalid' } });
    await served.close();
  });

  test('answers nonsense with an error, and goes on', async () => {
    const { cloud } = testCloud();
    const served = await serveMemoryCloud(cloud);
    const headers = { 'content-type': 'application/json' };
    for (const body of ['{', '[]', 'null', `["${'x'.repeat(5 * 2 ** 20)}"]`]) {
      const response = await fetch(`${served.url}/launch`, { method: 'POST', headers, body });
      expect(response.ok).toBe(false);
      await response.body?.cancel();
    }
    const remote = new RemoteMemoryCloud({ url: served.url, clock: systemClock });
    expect(await remote.machines(new Map())).toEqual([]);
    await served.close();
  });
});
