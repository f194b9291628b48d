/** Whatever runs, consolidation comes to an end: it never undoes what it did, and every pod has a place. */
import fc from 'fast-check';
import { DisruptionWorld } from './disruption-world.js';

const POOL = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };

const workload = fc.record({
  milli: fc.constantFrom(200, 500, 900, 1500, 2600),
  replicas: fc.integer({ min: 1, max: 4 }),
  left: fc.integer({ min: 0, max: 4 }),
});

test.each([true, false])(
  'after pods have come and gone, nodes change for a while and then no more; with an extender: %s',
  async (asksExtender) => {
    await fc.assert(
      fc.asyncProperty(fc.array(workload, { minLength: 1, maxLength: 4 }), async (workloads) => {
        const world = new DisruptionWorld(POOL);
        world.asksExtender = asksExtender;
        world.start();
        for (const [index, { milli, replicas }] of workloads.entries())
          world.deploy(`app-${String(index)}`, replicas, { requests: { cpu: `${String(milli)}m` } });
        await world.pass(60);
        for (const [index, { replicas, left }] of workloads.entries())
          world.scale(`app-${String(index)}`, Math.min(replicas, left));
        await world.pass(400);
        const claims = world.claims().map(({ name }) => name);
        await world.rest(600);
        expect(world.claims().map(({ name }) => name)).toEqual(claims);
        expect(world.unbound()).toEqual([]);
        expect(world.objects.list('Reservation')).toEqual([]);
        expect(world.claims().filter(({ status }) => status.disruption !== undefined)).toEqual([]);
        expect(world.instances.liveInstances()).toHaveLength(claims.length);
        const used = new Set(world.pods().map(({ nodeName }) => nodeName));
        expect(world.nodes().filter(({ name }) => !used.has(name))).toEqual([]);
      }),
      { numRuns: 6, seed: 5 },
    );
  },
);
