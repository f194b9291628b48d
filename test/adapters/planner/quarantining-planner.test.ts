/** Pods that break planning are found by halves and set aside for a while; all others are planned. */
import { InlinePlanner, plannerMemoryMiB, QuarantiningPlanner } from '../../../src/adapters/planner/index.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { DisruptAnswer, PlanAnswer, Planner, PlanRequest } from '../../../src/ports/planner.js';
import { PortError } from '../../../src/ports/port-error.js';
import { disruptRequest, PLANNER_LAWS } from '../../contract/planner.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { VirtualClock } from '../../../world/clock/virtual-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';

/** Breaks on every batch with a pending pod of this Deployment, until it is mended. */
class FragilePlanner implements Planner {
  batches = 0;
  isMended = false;
  readonly #inner: Planner;

  constructor(inner: Planner) {
    this.#inner = inner;
  }

  async plan(request: PlanRequest): Promise<PlanAnswer> {
    this.batches++;
    const isHostile = request.input.pods.some(({ name }) => name.startsWith('hostile'));
    if (isHostile && !this.isMended)
      throw new PortError('TimedOut', { operation: 'plan', message: 'no answer after 60000 milliseconds' });
    return this.#inner.plan(request);
  }

  async disrupt(): Promise<DisruptAnswer> {
    return this.#inner.disrupt(disruptRequest());
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}

function scene() {
  const clock = new VirtualClock();
  const fragile = new FragilePlanner(new InlinePlanner({ clock }));
  const planner = new QuarantiningPlanner({ planner: fragile, clock, logger: recordingLogger().logger });
  const pods = [
    ...Array.from({ length: 100 }, (_, index) => replicas(2, { name: `web-${String(index)}` })).flat(),
    pod({ name: 'hostile' }),
  ];
  const request = { input: clusterInput({ pods }), options: DEFAULT_PLAN_OPTIONS };
  return { clock, fragile, planner, request };
}

/** Plans until only so many pods are left out; how many rounds it took. */
async function roundsUntil(planner: Planner, request: PlanRequest, leftOut: number): Promise<number> {
  for (let round = 1; round <= 20; round++) {
    const answer = await planner.plan(request).catch(() => undefined);
    if (answer?.plan.unschedulable.length === leftOut) return round;
  }
  return Infinity;
}

test.each(PLANNER_LAWS)('QuarantiningPlanner $behaviour', async ({ expectOf }) => {
  const clock = new VirtualClock();
  const inner = new InlinePlanner({ clock });
  await expectOf(new QuarantiningPlanner({ planner: inner, clock, logger: recordingLogger().logger }));
});

describe('QuarantiningPlanner', () => {
  test('finds the one that planning breaks on among a hundred Deployments in a few rounds, and plans all others', async () => {
    const { planner, request } = scene();
    expect(await roundsUntil(planner, request, 1)).toBeLessThanOrEqual(8);
    const { plan } = await planner.plan(request);
    expect(plan.placements).toHaveLength(200);
    expect(plan.unschedulable).toEqual([
      { pod: 'default/hostile', reasons: [{ nodePool: '', reason: { code: 'TooComplex' } }] },
    ]);
  });

  test('tries again after a while, and keeps the pods out for longer when planning breaks again', async () => {
    const { clock, fragile, planner, request } = scene();
    await roundsUntil(planner, request, 1);
    const batches = fragile.batches;
    await planner.plan(request);
    expect(fragile.batches).toBe(batches + 1);
    await clock.advance(60_000);
    expect((await planner.plan(request)).plan.placements).toHaveLength(200);
    expect(fragile.batches).toBe(batches + 3);
    await clock.advance(60_000);
    await planner.plan(request);
    expect(fragile.batches).toBe(batches + 4);
  });

  test('places the pods once planning no longer breaks on them', async () => {
    const { clock, fragile, planner, request } = scene();
    await roundsUntil(planner, request, 1);
    fragile.isMended = true;
    await clock.advance(60_000);
    expect((await planner.plan(request)).plan.unschedulable).toEqual([]);
  });
});

describe('plannerMemoryMiB', () => {
  test.each([
    ['a container', 2 ** 30, 2 ** 34, 614],
    ['no limit that is known', undefined, 2 ** 30, 614],
    ['a limit above what the machine has', 2 ** 60, 2 ** 30, 614],
    ['no limit', 0, 2 ** 30, 614],
  ])('is 60 %% of the memory, with %s', (_, constrained, total, expected) => {
    expect(plannerMemoryMiB(constrained, total)).toBe(expected);
  });
});
