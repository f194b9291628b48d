/** The pause in a whole world: an annotation on Berth's namespace, through the API, and Berth restarted under it. */
import { join } from 'node:path';
import { folderManifests } from '../../world/demo/manifests/manifest-set.js';
import { NODE_FILES } from '../../src/app/process-io.js';
import { Scenario } from '../scenario/scenario.js';
import type { Manifest } from '../scenario/world.js';
import { SimulatedWorld } from './simulated-world.js';

function namespace(annotations: Readonly<Record<string, string>>): Manifest {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'berth-system', annotations } };
}

const examples = (folder: string): readonly Manifest[] =>
  folderManifests(join('manifests/examples', folder), NODE_FILES) as readonly Manifest[];

test('paused, Berth launches nothing for pods, reports it on them, stays paused over a restart, and continues when resumed', async () => {
  const world = await SimulatedWorld.start();
  await world.apply([namespace({ 'berth.sh/paused': 'incident 42' })]);
  await world.quietFor(5);
  await world.apply([...examples('shared'), ...examples('flexible')]);
  await world.quietFor(60);
  expect(world.instances()).toEqual([]);
  await world.stopBerth();
  world.startBerth();
  await world.quietFor(60);
  expect(world.instances()).toEqual([]);
  const told = await world.events();
  expect(told.some(({ message }) => message.includes('incident 42'))).toBe(true);
  await world.apply([namespace({ 'berth.sh/paused': 'false' })]);
  await new Scenario(world).expectScheduled({ app: 'api', pods: 9 });
  await world.close();
});
