import { join } from 'node:path';
import { folderManifests } from '../../src/app/demo/manifest-set.js';
import { NODE_FILES } from '../../src/app/process-io.js';
import type { Manifest } from '../scenario/world.js';
import { Scenario } from '../scenario/scenario.js';
import { SimulatedWorld } from './simulated-world.js';

describe('the simulated world', () => {
  test('flexible: three machines', async () => {
    const t0 = process.cpuUsage();
    const mark = (what: string) => {
      const u = process.cpuUsage(t0);
      process.stderr.write(`${what} ${((u.user + u.system) / 1e6).toFixed(2)}\n`);
    };
    const world = await SimulatedWorld.start();
    mark('started');
    const scenario = new Scenario(world);
    for (const name of ['shared', 'flexible'])
      await world.apply(folderManifests(join('manifests/examples', name), NODE_FILES) as readonly Manifest[]);
    await scenario.expectScheduled({ app: 'api', pods: 9 });
    await scenario.expectLaunched({ nodes: 3, instanceType: 'c6g.xlarge', capacityType: 'spot' });
    mark('launched');
    const b = world.clock.monotonic();
    await world.quietFor(600);
    mark('quiet');
    const lines = world.actors.trace.lines.length;
    expect(lines).toBeGreaterThan(10);
    await world.close();
    mark('closed');
    const w2 = await SimulatedWorld.start();
    mark('second start');
    await w2.close();
  }, 60_000);
});
