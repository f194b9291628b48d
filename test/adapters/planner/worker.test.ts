import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { WorkerPlanner } from '../../../src/adapters/planner/index.js';
import type { WorkerPlannerOptions } from '../../../src/adapters/planner/worker.js';
import { PLANNER_NICENESS } from '../../../src/adapters/planner/yield-to-others.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { disruptRequest, PLANNER_LAWS, planRequest, planText } from '../../contract/planner.js';
import { VirtualClock } from '../../../world/clock/virtual-clock.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';
import { formatViolations } from '../../support/plan-checker/violation.js';
import { recordingLogger, type LogLine } from '../../support/recording-logger.js';
import { CHANGES, smallCluster, taskOf } from './changes.js';
import { drafted, MISDEEDS, misbehaving } from './misdeeds.js';

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

/** Of this process, as Linux numbers them; none elsewhere. */
function threads(): readonly number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [];
}

interface Scene {
  readonly clock: VirtualClock;
  readonly planner: WorkerPlanner;
  readonly lines: readonly LogLine[];
}

function scene(program = entry, limits: Pick<WorkerPlannerOptions, 'memoryMiB'> = {}): Scene {
  const clock = new VirtualClock();
  const { logger, lines } = recordingLogger();
  return {
    clock,
    planner: new WorkerPlanner({ ...limits, entry: program, deadlineMillis: DEADLINE, clock, logger }),
    lines,
  };
}

test.each(PLANNER_LAWS)('WorkerPlanner $behaviour', async ({ expectOf }) => {
  const { planner } = scene();
  await expectOf(planner);
  await planner.close();
});

describe('WorkerPlanner', () => {
  test('plans with less priority than this thread has, which answers, and so does V8 what it does beside', async () => {
    const { planner } = scene();
    await planner.plan(planRequest(1));
    expect(getPriority(process.pid)).toBeLessThan(PLANNER_NICENESS);
    const lower = threads().filter((thread) => getPriority(thread) === PLANNER_NICENESS);
    // The planner's thread and at least one of V8's.
    expect(lower.length).toBeGreaterThanOrEqual(process.platform === 'linux' ? 2 : 0);
    await planner.close();
  });

  test('ends a thread that has no plan by the deadline, and starts another for the next request', async () => {
    const { clock, planner, lines } = scene();
    const late = planner.plan(misbehaving('hang')).catch((error: unknown) => error);
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
    const endless = { ...options, plan: { ...options.plan, maxInstanceTypes: MISDEEDS.hang } };
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
    ['breaks', 'fail'],
    ['ends', 'end'],
  ] as const)('a thread that %s fails its own request only', async (_what, wish) => {
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

  test('replaces a thread that needs more memory than it may have, and says so', async () => {
    const { planner, lines } = scene(entry, { memoryMiB: 64 });
    const swollen = planner.plan(misbehaving('swell')).catch((error: unknown) => error);
    const next = planner.plan(planRequest(3));
    expect(await swollen).toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('more than its 64 MiB of memory') as string,
    });
    expect((await next).plan.placements).toHaveLength(3);
    expect(lines).toMatchObject([{ level: 'error', message: 'planning failed' }]);
    await planner.close();
  });

  test('answers with the draft of a thread that ran out of memory after it', async () => {
    const { planner } = scene(entry, { memoryMiB: 64 });
    const answer = await planner.plan(misbehaving('draft', 'swell'));
    expect(answer.draft).toMatchObject({ code: 'Unavailable' });
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
    const asked = [planner.plan(misbehaving('hang')), planner.plan(planRequest(1))];
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
    const late = planner.plan(misbehaving('hang')).catch(() => undefined);
    await clock.advance(DEADLINE);
    await late;
    expect(planText((await planner.plan(planRequest())).plan)).toBe(planText(one.plan));
    await planner.close();
  });
});

describe('WorkerPlanner with a draft', () => {
  /** The draft that came last. */
  const { input } = misbehaving();
  const newest = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);

  test('answers it when the thread is killed by the deadline in the midst of planning', async () => {
    const { clock, planner, lines } = scene();
    const said = drafted();
    const answer = planner.plan(misbehaving('draft', 'hang'));
    await said;
    await clock.advance(DEADLINE);
    const { plan: draft, draft: reason, millis } = await answer;
    expect(planText(draft)).toBe(planText(newest));
    expect(formatViolations(checkPlan(input, draft, { maxInstanceTypes: 60 }))).toBe('');
    expect(reason).toEqual({ code: 'TimedOut', message: 'no answer after 5000 milliseconds' });
    expect(millis).toBe(DEADLINE);
    expect(lines).toMatchObject([{ level: 'warn', fields: { code: 'TimedOut' } }]);
    await planner.close();
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['breaks', 'fail', 'the thread broke'],
    ['ends', 'end', 'the thread ended with code 7'],
  ] as const)('answers it when the thread %s, and plans on in another', async (_what, misdeed, message) => {
    const { planner } = scene();
    const answers = await Promise.all([
      planner.plan(planRequest(2)),
      planner.plan(misbehaving('draft', misdeed)),
      planner.plan(planRequest(3)),
    ]);
    expect(answers.map(({ draft }) => draft)).toEqual([
      undefined,
      { code: 'Unavailable', message },
      undefined,
    ]);
    expect(answers.map((answer) => answer.plan.placements.length)).toEqual([2, 9, 3]);
    expect(planText(answers[1].plan)).toBe(planText(newest));
    await planner.close();
  });

  test('answers the plan where there is one after all', async () => {
    const { planner, lines } = scene();
    const answer = await planner.plan(misbehaving('draft'));
    expect(answer).not.toHaveProperty('draft');
    expect(answer.plan.placements).toHaveLength(9);
    expect(lines).toEqual([]);
    await planner.close();
  });

  test('fails what is asked when it is closed nevertheless', async () => {
    const { planner } = scene();
    const said = drafted();
    const answer = planner.plan(misbehaving('draft', 'hang')).catch((error: unknown) => error);
    await said;
    await planner.close();
    expect(await answer).toMatchObject({ code: 'Unavailable' });
  });
});

test('WorkerPlanner answers about each cluster as one that has never heard of another', async () => {
  const { planner, clock } = scene();
  let cluster = smallCluster();
  const texts: [string, string][] = [];
  for (const [seed, change] of CHANGES.entries()) {
    cluster = change(cluster, seed);
    const { request } = taskOf(cluster, 'plan') as Extract<ReturnType<typeof taskOf>, { kind: 'plan' }>;
    const answer = await planner.plan(request);
    texts.push([planText(answer.plan), planText(plan(buildSnapshot(request.input), request.options))]);
    if (seed % 9 !== 0) continue;
    const late = planner.plan(misbehaving('hang')).catch(() => undefined);
    await clock.advance(DEADLINE);
    await late;
  }
  expect(texts.map(([answered]) => answered)).toEqual(texts.map(([, alone]) => alone));
  await planner.close();
});
