/** Admission alone: whatever becomes of claims, each that may have an instance is counted once, and no other is. */
import fc from 'fast-check';
import type { LaunchLimits } from '../../../src/controllers/safeguards/launch-limits.js';
import { Safeguards } from '../../../src/controllers/safeguards/safeguards.js';
import type { SafetyLimits } from '../../../src/controllers/safeguards/safety-limits.js';
import type { NodeClaim, NodeClaimStatus } from '../../../src/domain/nodes/node-claim.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { launchStatus, nodeClaim } from '../../support/builders/node-claim.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** USD/h: sums of it are off in their last digits. */
const PRICE = 0.1;
const MOST = 4;

/** A few claims, and what they have taken of a limit, in a minute that never passes. */
class Admissions {
  readonly cluster = new Cluster();
  readonly limits: LaunchLimits;
  /** Names of claims that have an instance or may get one, also of those that are gone since. */
  readonly counted = new Set<string>();
  #version = 1;

  constructor(limits: Partial<SafetyLimits>) {
    const options = {
      cluster: this.cluster,
      clock: new VirtualClock(),
      recorder: recordedDecisions().recorder,
      logger: recordingLogger().logger,
      metrics: createMetrics(),
      limits,
    };
    this.limits = new Safeguards(options).launches;
    this.limits.follow();
  }

  create(name: string): void {
    this.cluster.put('NodeClaim', nodeClaim({ name, resourceVersion: String(this.#version++) }));
  }

  /** Some that are ready ask; what follows is that their request cannot be prepared, or not be written, or is written. */
  ask(names: readonly string[], then: 'unprepared' | 'unwritten' | 'written'): void {
    const [first, ...others] = names.flatMap((name) => this.#ready(name) ?? []);
    if (first === undefined) return;
    const { admitted, fresh } = this.limits.admit([first, ...others], PRICE);
    if (then === 'unprepared') {
      this.limits.giveBack(fresh);
      this.limits.giveBack(fresh);
      return;
    }
    for (const { name } of admitted) this.counted.add(name);
    if (then === 'unwritten') return;
    for (const { name, status } of admitted)
      this.#write(name, { launch: launchStatus({ attempt: (status.launch?.attempt ?? 0) + 1 }) });
  }

  /** EC2 has answered. */
  answer(name: string, isLaunched: boolean): void {
    const launch = this.#claim(name)?.status.launch;
    if (launch === undefined || launch.answeredAt !== undefined) return;
    const answered = { ...launch, answeredAt: launch.attempt };
    if (isLaunched)
      this.#write(name, { launch: answered, providerID: `aws:///a/${name}`, hourlyPrice: PRICE });
    else {
      this.#write(name, { launch: answered });
      this.counted.delete(name);
    }
  }

  remove(name: string): void {
    const claim = this.#claim(name);
    if (claim === undefined) return;
    if (this.#ready(name) !== undefined) this.counted.delete(name);
    this.cluster.delete('NodeClaim', name);
  }

  /** How many of a large group would be launched now. */
  left(): number {
    const names = Array.from({ length: 2 * MOST }, (_, index) => `probe-${String(index)}`);
    const others = names.map((name) => nodeClaim({ name }));
    return this.limits.admit([nodeClaim({ name: 'probe' }), ...others], PRICE).admitted.length;
  }

  isThere(name: string): boolean {
    return this.#claim(name) !== undefined;
  }

  #claim(name: string): NodeClaim | undefined {
    return this.cluster.nodeClaims.get(name);
  }

  #ready(name: string): NodeClaim | undefined {
    const claim = this.#claim(name);
    const { launch, providerID } = claim?.status ?? {};
    const isOpen = launch !== undefined && launch.answeredAt === undefined;
    return providerID === undefined && !isOpen ? claim : undefined;
  }

  #write(name: string, change: Partial<NodeClaimStatus>): void {
    const claim = this.#claim(name);
    if (claim === undefined) return;
    const resourceVersion = String(this.#version++);
    this.cluster.put('NodeClaim', { ...claim, resourceVersion, status: { ...claim.status, ...change } });
  }
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  fc.record({
    kind: fc.constant('ask' as const),
    names: fc.subarray(NAMES),
    then: fc.constantFrom('unprepared' as const, 'unwritten' as const, 'written' as const),
  }),
  fc.record({ kind: fc.constant('answer' as const), name, isLaunched: fc.boolean() }),
  fc.record({ kind: fc.constant('remove' as const), name }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const steps = fc.array(step, { maxLength: 40 });

function lived(steps: readonly Step[], limits: Partial<SafetyLimits>): Admissions {
  const world = new Admissions(limits);
  for (const each of NAMES) world.create(each);
  for (const each of steps)
    if (each.kind === 'ask') world.ask(each.names, each.then);
    else if (each.kind === 'answer') world.answer(each.name, each.isLaunched);
    else world.remove(each.name);
  return world;
}

const RUNS = { numRuns: 300, seed: 20260101 };

test('launches of a minute are taken by claims that have or may get an instance, one each, and by no others', () => {
  fc.assert(
    fc.property(steps, (several) => {
      const world = lived(several, { nodesPerMinute: MOST });
      expect(world.left()).toBe(MOST - world.counted.size);
    }),
    RUNS,
  );
});

test('what claims cost that are there and have or may get an instance is all that is missing of the hourly cost', () => {
  fc.assert(
    fc.property(steps, (several) => {
      const world = lived(several, { hourlyCost: MOST * PRICE });
      const there = [...world.counted].filter((each) => world.isThere(each));
      expect(world.left()).toBe(MOST - there.length);
    }),
    RUNS,
  );
});

test('a claim that was admitted before is admitted again before others, wherever it stands', () => {
  const { limits } = new Admissions({ nodesPerMinute: 1 });
  const [early, late] = [nodeClaim({ name: 'a' }), nodeClaim({ name: 'b' })];
  expect(limits.admit([late], PRICE)).toMatchObject({ admitted: [late], fresh: [late] });
  expect(limits.admit([early, late], PRICE)).toMatchObject({ admitted: [late], fresh: [] });
});
