import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WorkerPlanner } from '../../../src/adapters/planner/index.js';
import { Outbox } from '../../../src/adapters/planner/messages/outbox.js';
import { PlannerThread } from '../../../src/adapters/planner/planner-thread.js';
import type { WorkerPlannerOptions } from '../../../src/adapters/planner/worker.js';
import { plannerNiceness } from '../../../src/adapters/planner/planner-worker.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { planInput } from '../../../src/state/planning/plan-input.js';
import {
  addFleet,
  batchCluster,
  disruptionQuestion,
  PLANNER_LAWS,
  planQuestion,
  planText,
} from '../../contract/planner.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';
import { formatViolations } from '../../support/plan-checker/violation.js';
import { type LogLine, recordingLogger } from '../../support/recording-logger.js';
import { drafted, misbehaving, MISDEEDS } from './misdeeds.js';

const DEADLINE = 5000;

/** The thread's program as a module that needs no file. */
function compiled(program: URL): URL {
  const options = ['--bundle', '--format=esm', '--platform=node', '--log-level=warning'];
  const code = execFileSync('node_modules/.bin/esbuild', [fileURLToPath(program), ...options], {
    encoding: 'utf8',
    maxBuffer: 2 ** 24,
  });
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

const entry = compiled(new URL('./faulty-worker.ts', import.meta.url));

/** Of this process, as Linux numbers them; none elsewhere. */
function threads(): readonly number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [];
}

interface Scene {
  readonly cluster: Cluster;
  readonly clock: VirtualClock;
  readonly planner: WorkerPlanner;
  readonly lines: readonly LogLine[];
}

/** A planner of the cluster; a batch of 40 pods unless another is given. */
function scene({
  program = entry,
  cluster = batchCluster(40),
  ...limits
}: Pick<WorkerPlannerOptions, 'memoryMiB'> & {
  readonly program?: URL;
  readonly cluster?: Cluster;
} = {}): Scene {
  const clock = new VirtualClock();
  const { logger, lines } = recordingLogger();
  const known = { cluster, clock, logger };
  return {
    ...{ cluster, clock, lines },
    planner: new WorkerPlanner({ ...limits, ...known, entry: program, deadlineMillis: DEADLINE }),
  };
}

test.each(PLANNER_LAWS)('WorkerPlanner $behaviour', async ({ expectOf }) => {
  const { cluster, planner } = scene({ cluster: new Cluster() });
  await expectOf(planner, cluster);
  await planner.close();
});

describe('WorkerPlanner', () => {
  test('plans with less priority than this thread has, which answers, and so does V8 what it does beside', async () => {
    const { cluster, planner } = scene();
    await planner.plan(planQuestion(cluster, 1));
    const least = constants.priority.PRIORITY_LOW;
    expect(plannerNiceness()).toBe(Math.min(least, getPriority(process.pid) + 5));
    const lower = threads().filter((thread) => getPriority(thread) === plannerNiceness());
    // The planner's thread and at least one of V8's.
    expect(lower.length).toBeGreaterThanOrEqual(process.platform === 'linux' ? 2 : 0);
    await planner.close();
  });

  test('ends a thread that has no plan by the deadline, and starts another for the next request', async () => {
    const { cluster, clock, planner, lines } = scene();
    const late = planner.plan(misbehaving(cluster, 'hang')).catch((error: unknown) => error);
    const next = planner.plan(planQuestion(cluster, 3));
    await clock.advance(DEADLINE);
    expect(await late).toMatchObject({ code: 'TimedOut', retryable: true });
    expect((await next).plan.placements).toHaveLength(3);
    expect(lines).toMatchObject([{ level: 'error', message: 'planning failed' }]);
    await planner.close();
    expect(clock.pending).toBe(0);
  });

  test('gives a disruption that takes too long up like a plan, and says which it was', async () => {
    const { cluster, clock, planner } = scene({ cluster: new Cluster() });
    addFleet(cluster);
    const question = disruptionQuestion();
    const { options } = question;
    const endless = { ...options, plan: { ...options.plan, maxInstanceTypes: MISDEEDS.hang } };
    const late = planner.disrupt({ ...question, options: endless }).catch((error: unknown) => error);
    const next = planner.disrupt(question);
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
    const { cluster, planner } = scene();
    const results = await Promise.allSettled([
      planner.plan(planQuestion(cluster, 2)),
      planner.plan(misbehaving(cluster, wish)),
      planner.plan(planQuestion(cluster, 3)),
    ]);
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'Unavailable' } },
      { status: 'fulfilled' },
    ]);
    await planner.close();
  });

  test('replaces a thread that needs more memory than it may have, and says so', async () => {
    const { cluster, planner, lines } = scene({ memoryMiB: 64 });
    const swollen = planner.plan(misbehaving(cluster, 'swell')).catch((error: unknown) => error);
    const next = planner.plan(planQuestion(cluster, 3));
    expect(await swollen).toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('more than its 64 MiB of memory') as string,
    });
    expect((await next).plan.placements).toHaveLength(3);
    expect(lines).toMatchObject([{ level: 'error', message: 'planning failed' }]);
    await planner.close();
  });

  // A collection that moves more young objects than V8 allows for ends the process: about one time in twenty, unless limited.
  test('lives on, however often a thread runs out of memory', async () => {
    const { cluster, planner, lines } = scene({ memoryMiB: 64 });
    const swollen = Array.from({ length: 12 }, () => planner.plan(misbehaving(cluster, 'swell')));
    const results = await Promise.allSettled(swollen);
    expect(results.map(({ status }) => status)).toEqual(swollen.map(() => 'rejected'));
    expect(lines).toHaveLength(swollen.length);
    await planner.close();
  });

  test('answers with the draft of a thread that ran out of memory after it', async () => {
    const { cluster, planner } = scene({ memoryMiB: 64 });
    const answer = await planner.plan(misbehaving(cluster, 'draft', 'swell'));
    expect(answer.draft).toMatchObject({ code: 'Unavailable' });
    await planner.close();
  });

  test('answers who gives up at once, and the next one with its own plan', async () => {
    const { cluster, planner } = scene();
    const stop = new AbortController();
    const first = planner.plan(planQuestion(cluster, 30), stop.signal).catch((error: unknown) => error);
    const dropped = planner.plan(planQuestion(cluster, 5), stop.signal).catch((error: unknown) => error);
    const next = planner.plan(planQuestion(cluster, 3));
    stop.abort();
    expect([await first, await dropped]).toMatchObject([{ code: 'Cancelled' }, { code: 'Cancelled' }]);
    expect((await next).plan.placements).toHaveLength(3);
    await planner.close();
  });

  test('a pass of disruption that is given up ends in the midst of it, and the next plan does not wait for it', async () => {
    const { cluster, planner, lines } = scene();
    const stop = new AbortController();
    const question = disruptionQuestion();
    const { options } = question;
    const endless = { ...options, plan: { ...options.plan, maxInstanceTypes: MISDEEDS.linger } };
    const pass = planner.disrupt({ ...question, options: endless }, stop.signal);
    const given = pass.catch((error: unknown) => error);
    const next = planner.plan(planQuestion(cluster, 3));
    stop.abort();
    expect(await given).toMatchObject({ code: 'Cancelled' });
    expect((await next).plan.placements).toHaveLength(3);
    // By the same thread, long before the deadline.
    expect(lines).toEqual([]);
    await planner.close();
  });

  test('fails what is asked and not answered when it is closed', async () => {
    const { cluster, planner, clock } = scene();
    const asked = [planner.plan(misbehaving(cluster, 'hang')), planner.plan(planQuestion(cluster, 1))];
    const results = Promise.allSettled(asked);
    await planner.close();
    expect(await results).toMatchObject([
      { reason: { code: 'Unavailable' } },
      { reason: { code: 'Unavailable' } },
    ]);
    expect(clock.pending).toBe(0);
  });

  test('says so when the program cannot be started', async () => {
    const { cluster, planner } = scene({
      program: new URL('data:text/javascript,throw new Error("no such planner")'),
    });
    await expect(planner.plan(planQuestion(cluster, 1))).rejects.toMatchObject({ code: 'Unavailable' });
    await planner.close();
  });

  test('answers about a cluster of thousands of pods, also when as many have changed before a thread that hangs', async () => {
    const cluster = batchCluster(6000);
    const { clock, planner } = scene({ cluster });
    expect((await planner.plan(planQuestion(cluster, 3))).plan.placements).toHaveLength(3);
    const late = planner.plan(misbehaving(cluster, 'hang')).catch((error: unknown) => error);
    for (const pod of [...cluster.pods.values()]) cluster.put('Pod', { ...pod, resourceVersion: '9999999' });
    const next = planner.plan(planQuestion(cluster, 5));
    for (let turn = 0; turn < 100; turn++) await nextTurn();
    await clock.advance(DEADLINE);
    expect(await late).toMatchObject({ code: 'TimedOut' });
    expect((await next).plan.placements).toHaveLength(5);
    await planner.close();
  });

  test('gives the same bytes from one thread and the next', async () => {
    const { cluster, planner, clock } = scene();
    const one = await planner.plan(planQuestion(cluster));
    const late = planner.plan(misbehaving(cluster, 'hang')).catch(() => undefined);
    await clock.advance(DEADLINE);
    await late;
    expect(planText((await planner.plan(planQuestion(cluster))).plan)).toBe(planText(one.plan));
    await planner.close();
  });
});

describe('WorkerPlanner with a draft', () => {
  /** The draft that came last. */
  const before = batchCluster(40);
  const input = planInput(before, misbehaving(before));
  const newest = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);

  test('answers it when the thread is killed by the deadline in the midst of planning', async () => {
    const { cluster, clock, planner, lines } = scene();
    const said = drafted();
    const answer = planner.plan(misbehaving(cluster, 'draft', 'hang'));
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
    const { cluster, planner } = scene();
    const answers = await Promise.all([
      planner.plan(planQuestion(cluster, 2)),
      planner.plan(misbehaving(cluster, 'draft', misdeed)),
      planner.plan(planQuestion(cluster, 3)),
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
    const { cluster, planner, lines } = scene();
    const answer = await planner.plan(misbehaving(cluster, 'draft'));
    expect(answer).not.toHaveProperty('draft');
    expect(answer.plan.placements).toHaveLength(9);
    expect(lines).toEqual([]);
    await planner.close();
  });

  test('fails what is asked when it is closed nevertheless', async () => {
    const { cluster, planner } = scene();
    const said = drafted();
    const answer = planner.plan(misbehaving(cluster, 'draft', 'hang')).catch((error: unknown) => error);
    await said;
    await planner.close();
    expect(await answer).toMatchObject({ code: 'Unavailable' });
  });
});

test('a thread that takes nothing has at most sixteen full messages before it', async () => {
  const outbox = new Outbox(batchCluster(6000), () => undefined);
  const thread = new PlannerThread({
    entry: new URL('data:text/javascript,setInterval(() => {}, 1000)'),
    outbox,
    interrupted: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
    onReply: () => undefined,
    onEnd: () => undefined,
  });
  const hasRoom = (): Promise<boolean> =>
    Promise.race([thread.room().then(() => true), nextTurn().then(() => false)]);
  let sent = 0;
  while (await hasRoom()) {
    expect(thread.send()).toBe('much');
    sent++;
  }
  expect(sent).toBe(16);
  const room = thread.room();
  await thread.end();
  // Nobody waits for a thread that is over.
  await room;
  outbox.leave();
});
