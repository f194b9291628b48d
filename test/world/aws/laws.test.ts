import { DescribeSubnetsCommand, TerminateInstancesCommand } from '@aws-sdk/client-ec2';
import fc from 'fast-check';
import { createFleet, idsOf, readyToLaunch, ZONES } from './fixture.js';
import { seededRandom } from '../../../world/seeded-random.js';

const STRATEGIES = [
  'lowest-price',
  'diversified',
  'capacity-optimized',
  'capacity-optimized-prioritized',
  'price-capacity-optimized',
];
const TYPES = ['t3.small', 'm5.large', 'c5.large'] as const;

interface Step {
  readonly size: number;
  readonly spot: boolean;
  readonly strategy: string;
  readonly types: readonly (typeof TYPES)[number][];
  readonly zones: readonly string[];
  readonly ends: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  size: fc.integer({ min: 1, max: 12 }),
  spot: fc.boolean(),
  strategy: fc.constantFrom(...STRATEGIES),
  types: fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1 }),
  zones: fc.uniqueArray(fc.constantFrom(...ZONES), { minLength: 1 }),
  ends: fc.integer({ min: 0, max: 4 }),
});

const SUBNET_SIZE = 4091;

/** Launches and ends as the steps say; answers everything that went over the wire. */
async function play(
  steps: readonly Step[],
  { stock, seed }: { readonly stock: number; readonly seed: number },
) {
  const on = await readyToLaunch({ stock, limits: false, random: seededRandom(seed) });
  const launched: string[] = [];
  const answers: unknown[] = [];
  for (const { size, spot, strategy, types, zones, ends } of steps) {
    const overrides = types.flatMap((InstanceType) =>
      zones.map((zone, Priority) => ({ InstanceType, SubnetId: on.subnets.get(zone), Priority })),
    );
    const chosen = spot ? strategy : 'lowest-price';
    const token = `token-${String(answers.length)}`;
    const answer = await createFleet(on, overrides, { size, spot, strategy: chosen, token });
    expect(await createFleet(on, overrides, { size, spot, strategy: chosen, token })).toEqual(answer);
    answers.push(answer);
    const ids = idsOf(answer);
    expect(ids.length <= size && (ids.length === size || (answer.Errors?.length ?? 0) > 0)).toBe(true);
    launched.push(...ids);
    const ending = launched.splice(0, ends);
    if (ending.length > 0)
      answers.push(await on.ec2.send(new TerminateInstancesCommand({ InstanceIds: ending })));
    await on.clock.advance(20_000);
  }
  const subnets = await on.ec2.send(new DescribeSubnetsCommand({}));
  return { on, subnets: subnets.Subnets ?? [], trace: JSON.stringify([answers, on.aws.instances()]) };
}

describe('for all launches and ends', () => {
  it('no pool gives more than its stock, and free addresses and instances are all addresses', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 9 }),
        async (steps, stock) => {
          const { on, subnets } = await play(steps, { stock, seed: 1 });
          const instances = on.aws.instances();
          const pools = new Map<string, number>();
          for (const { instanceType, zone, capacityType } of instances) {
            const pool = `${instanceType} ${zone} ${capacityType}`;
            pools.set(pool, (pools.get(pool) ?? 0) + 1);
          }
          expect(Math.max(0, ...pools.values())).toBeLessThanOrEqual(stock);
          for (const { SubnetId, AvailableIpAddressCount } of subnets) {
            const held = instances.filter(
              ({ subnetID, state }) => subnetID === SubnetId && state !== 'terminated',
            );
            expect((AvailableIpAddressCount ?? 0) + held.length).toBe(SUBNET_SIZE);
          }
          expect(
            new Set(instances.map(({ privateIP, state, id }) => (state === 'terminated' ? id : privateIP)))
              .size,
          ).toBe(instances.length);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('the same seed and calls give the same answers, another seed others', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 3 }), fc.integer(), async (steps, seed) => {
        const first = await play(steps, { stock: 50, seed });
        const second = await play(steps, { stock: 50, seed });
        const other = await play(steps, { stock: 50, seed: seed + 1 });
        expect(second.trace).toBe(first.trace);
        expect(other.trace).not.toBe(first.trace);
      }),
      { numRuns: 4 },
    );
  });
});
