/** Pods that break planning are found by halves and set aside for a while; all others are planned. */
import { plannerMemoryMiB, QuarantiningPlanner } from '../../../src/adapters/planner/index.js';
import { InlinePlanner } from '../../support/inline-planner.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type {
  DisruptAnswer,
  DisruptionQuestion,
  PlanAnswer,
  Planner,
  PlanQuestion,
} from '../../../src/ports/planner.js';
import { PortError } from '../../../src/ports/port-error.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { PLANNER_LAWS } from '../../contract/planner.js';
import { smallCatalogue } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { unschedulablePod, unschedulableReplicas } from '../../support/builders/unschedulable-pod.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { recordingLogger } from '../../support/recording-logger.js';

/** Breaks on every batch with a pending pod of this Deployment, until it is mended. */
class FragilePlanner implements Planner {
  batches = 0;
  isMended = false;
  readonly #inner: Planner;

  constructor(inner: Planner) {
    this.#inner = inner;
  }

  async plan(question: PlanQuestion): Promise<PlanAnswer> {
    this.batches++;
    const isHostile = planned(question).some(({ name }) => name.startsWith('hostile'));
    if (isHostile && !this.isMended)
      throw new PortError('TimedOut', { operation: 'plan', message: 'no answer after 60000 milliseconds' });
    return this.#inner.plan(question);
  }

  async disrupt(question: DisruptionQuestion): Promise<DisruptAnswer> {
    return this.#inner.disrupt(question);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}

function scene() {
  const clock = new VirtualClock();
  const cluster = new Cluster();
  const fragile = new FragilePlanner(new InlinePlanner({ cluster, clock }));
  const planner = new QuarantiningPlanner({ planner: fragile, clock, logger: recordingLogger().logger });
  const demand = [
    ...Array.from({ length: 100 }, (_, index) =>
      unschedulableReplicas(2, { name: `web-${String(index)}` }),
    ).flat(),
    unschedulablePod({ name: 'hostile' }),
  ];
  for (const pod of demand) cluster.put('Pod', pod);
  const types = smallCatalogue();
  const question: PlanQuestion = {
    ...{ demand, pools: [poolOffer({}, types)], typesOf: () => types },
    options: DEFAULT_PLAN_OPTIONS,
  };
  return { clock, fragile, planner, question };
}

function planned({ demand, setAside = [] }: PlanQuestion): readonly ObservedPod[] {
  return demand.filter((pod) => !setAside.includes(pod));
}

/** Plans until only so many pods are left out; how many rounds it took. */
async function roundsUntil(planner: Planner, question: PlanQuestion, leftOut: number): Promise<number> {
  for (let round = 1; round <= 20; round++) {
    const answer = await planner.plan(question).catch(() => undefined);
    if (answer?.plan.unschedulable.length === leftOut) return round;
  }
  return Infinity;
}

test.each(PLANNER_LAWS)('QuarantiningPlanner $behaviour', async ({ expectOf }) => {
  const clock = new VirtualClock();
  const cluster = new Cluster();
  const inner = new InlinePlanner({ cluster, clock });
  const { logger } = recordingLogger();
  await expectOf(new QuarantiningPlanner({ planner: inner, clock, logger }), cluster);
});

describe('QuarantiningPlanner', () => {
  test('finds the one that planning breaks on among a hundred Deployments in a few rounds, and plans all others', async () => {
    const { planner, question } = scene();
    expect(await roundsUntil(planner, question, 1)).toBeLessThanOrEqual(8);
    const { plan } = await planner.plan(question);
    expect(plan.placements).toHaveLength(200);
    expect(plan.unschedulable).toEqual([
      { pod: 'default/hostile', reasons: [{ nodePool: '', reason: { code: 'TooComplex' } }] },
    ]);
  });

  test('tries again after a while, and keeps the pods out for longer when planning breaks again', async () => {
    const { clock, fragile, planner, question } = scene();
    await roundsUntil(planner, question, 1);
    const batches = fragile.batches;
    await planner.plan(question);
    expect(fragile.batches).toBe(batches + 1);
    await clock.advance(60_000);
    expect((await planner.plan(question)).plan.placements).toHaveLength(200);
    expect(fragile.batches).toBe(batches + 3);
    await clock.advance(60_000);
    await planner.plan(question);
    expect(fragile.batches).toBe(batches + 4);
  });

  test('places the pods once planning no longer breaks on them', async () => {
    const { clock, fragile, planner, question } = scene();
    await roundsUntil(planner, question, 1);
    fragile.isMended = true;
    await clock.advance(60_000);
    expect((await planner.plan(question)).plan.unschedulable).toEqual([]);
  });
});

describe('plannerMemoryMiB', () => {
  const GIB = 2 ** 30;
  const MIB = 2 ** 20;

  test.each([
    ['a container', GIB, 16 * GIB, 340],
    ['no limit that is known', undefined, GIB, 340],
    ['a limit above what the host has', 2 ** 60, GIB, 340],
    ['no limit', 0, GIB, 340],
  ])('is what the main thread leaves of the memory, with %s', (_, constrained, total, expected) => {
    expect(plannerMemoryMiB({ constrained, total, mainHeap: 524 * MIB })).toBe(expected);
  });

  test('is 60 % of the memory at most, and enough to plan small clusters in any container', () => {
    expect(plannerMemoryMiB({ constrained: 20 * GIB, total: 64 * GIB, mainHeap: 4 * GIB })).toBe(12_288);
    expect(plannerMemoryMiB({ constrained: 256 * MIB, total: GIB, mainHeap: 134 * MIB })).toBe(64);
  });

  test.each([512, 1024, 2048, 8192])('leaves room beside both heaps in a container of %i MiB', (size) => {
    // As Node 20 chooses it.
    const mainHeap = (size / 2) * MIB;
    const planner = plannerMemoryMiB({ constrained: size * MIB, total: 64 * GIB, mainHeap });
    expect(planner + mainHeap / MIB).toBeLessThan(size);
  });
});
