import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { WorkerPlanner } from '../../../src/adapters/planner/index.js';
import type { PlanRequest } from '../../../src/ports/planner.js';
import { disruptRequest, PLANNER_LAWS, planRequest, planText } from '../../contract/planner.js';
import { ManualClock } from '../../support/manual-clock.js';
import { recordingLogger, type LogLine } from '../../support/recording-logger.js';

const DEADLINE = 5000;

/** The thread's program as a module that needs no file. */
function compiled(program: URL): URL {
  const options = ['--bundle', '--format=esm', '--platform=node', '--log-level=warning'];
  const code = execFileSync('node_modules/.bin/esbuild', [fileURLToPath(program), ...options], {
    encoding: 'utf8',
  });
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

const entry = compiled(new URL('./faulty-worker.ts', import.meta.url));

interface Scene {
  readonly clock: ManualClock;
  readonly planner: WorkerPlanner;
  readonly lines: readonly LogLine[];
}

function scene(program = entry): Scene {
  const clock = new ManualClock();
  const { logger, lines } = recordingLogger();
  return {
    clock,
    planner: new WorkerPlanner({ entry: program, deadlineMillis: DEADLINE, clock, logger }),
    lines,
  };
}

function misbehaving(maxInstanceTypes: number): PlanRequest {
  const request = planRequest(1);
  return { ...request, options: { ...request.options, maxInstanceTypes } };
}

test.each(PLANNER_LAWS)('WorkerPlanner $behaviour', async ({ expectOf }) => {
  const { planner } = scene();
  await expectOf(planner);
  await planner.close();
});

describe('WorkerPlanner', () => {
  test('ends a thread that has no plan by the deadline, and starts another for the next request', async () => {
    const { clock, planner, lines } = scene();
    const late = planner.plan(misbehaving(1001)).catch((error: unknown) => error);
    const next = planner.plan(planRequest(3));
    await clock.advance(DEADLINE);
    expect(await late).toMatchObject({ code: 'TimedOut', retryable: true });
    expect((await next).plan.placements).toHaveLength(3);
    expect(lines).toMatchObject([{ level: 'error', message: 'planning failed' }]);
    await planner.close();
    expect(clock.pending).toBe(0);
  });

  test('gives a disruption that takes too long up like a plan, and says which it was', async () => {
    const { clock, planner } = scene();
    const { input, options } = disruptRequest();
    const endless = { ...options, plan: { ...options.plan, maxInstanceTypes: 1001 } };
    const late = planner.disrupt({ input, options: endless }).catch((error: unknown) => error);
    const next = planner.disrupt({ input, options });
    await clock.advance(DEADLINE);
    expect(await late).toMatchObject({
      code: 'TimedOut',
      message: expect.stringMatching(/^disrupt: /) as string,
    });
    expect((await next).answer.commands).toHaveLength(2);
    await planner.close();
  });

  test.each([
    ['breaks', 1002],
    ['ends', 1003],
  ])('a thread that %s fails its own request only', async (_what, wish) => {
    const { planner } = scene();
    const results = await Promise.allSettled([
      planner.plan(planRequest(2)),
      planner.plan(misbehaving(wish)),
      planner.plan(planRequest(3)),
    ]);
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'Unavailable' } },
      { status: 'fulfilled' },
    ]);
    await planner.close();
  });

  test('answers who gives up at once, and the next one with its own plan', async () => {
    const { planner } = scene();
    const stop = new AbortController();
    const first = planner.plan(planRequest(30), stop.signal).catch((error: unknown) => error);
    const dropped = planner.plan(planRequest(5), stop.signal).catch((error: unknown) => error);
    const next = planner.plan(planRequest(3));
    stop.abort();
    expect([await first, await dropped]).toMatchObject([{ code: 'Cancelled' }, { code: 'Cancelled' }]);
    expect((await next).plan.placements).toHaveLength(3);
    await planner.close();
  });

  test('fails what is asked and not answered when it is closed', async () => {
    const { planner, clock } = scene();
    const asked = [planner.plan(misbehaving(1001)), planner.plan(planRequest(1))];
    const results = Promise.allSettled(asked);
    await planner.close();
    expect(await results).toMatchObject([
      { reason: { code: 'Unavailable' } },
      { reason: { code: 'Unavailable' } },
    ]);
    expect(clock.pending).toBe(0);
  });

  test('says so when the program cannot be started', async () => {
    const { planner } = scene(new URL('data:text/javascript,throw new Error("no such planner")'));
    await expect(planner.plan(planRequest(1))).rejects.toMatchObject({ code: 'Unavailable' });
    await planner.close();
  });

  test('gives the same bytes from one thread and the next', async () => {
    const { planner, clock } = scene();
    const one = await planner.plan(planRequest());
    const late = planner.plan(misbehaving(1001)).catch(() => undefined);
    await clock.advance(DEADLINE);
    await late;
    expect(planText((await planner.plan(planRequest())).plan)).toBe(planText(one.plan));
    await planner.close();
  });
});
