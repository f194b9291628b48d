/** How often the status of a NodeClaim is written in its whole life, and with what. */
import { deployment, nodeClass } from '../scenario/objects.js';
import { OwnPool } from '../scenario/own-pool.js';
import { Scenario } from '../scenario/scenario.js';
import { SimulatedWorld } from './simulated-world.js';

interface ClaimJson {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly disruption?: object;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** What was written to the status of each claim: the conditions that changed, and whether it is marked. */
function statusWrites(world: SimulatedWorld): ReadonlyMap<string, readonly string[]> {
  const last = new Map<string, ClaimJson['status']>();
  const writes = new Map<string, string[]>();
  world.api.watch('nodeclaims.berth.sh', ({ object }) => {
    const { metadata, status = {} } = object as unknown as ClaimJson;
    const before = last.get(metadata.name) ?? {};
    last.set(metadata.name, status);
    if (JSON.stringify(before) === JSON.stringify(status)) return;
    const known = new Set((before.conditions ?? []).map(({ type, status: value }) => `${type}=${value}`));
    const changed = (status.conditions ?? [])
      .map(({ type, status: value }) => `${type}=${value}`)
      .filter((condition) => !known.has(condition) && !condition.startsWith('Ready='));
    const marked = before.disruption === undefined && status.disruption !== undefined ? ['disruption'] : [];
    writes.set(metadata.name, [...(writes.get(metadata.name) ?? []), [...changed, ...marked].join(' ')]);
  });
  return writes;
}

test('a NodeClaim has two status writes up to the answer of the cloud, three until it is Ready, and two when it goes', async () => {
  const world = await SimulatedWorld.start();
  const writes = statusWrites(world);
  const scenario = new Scenario(world);
  const pool = new OwnPool('counted');
  await scenario.given(nodeClass(), pool.manifest());
  await scenario.whenApplied(deployment({ replicas: 2, requests: { cpu: '1500m' }, pod: pool.wanted() }));
  await pool.expectSettled(world, 2);
  await world.remove({ kind: 'Deployment', name: 'web' });
  await pool.expectSettled(world, 0);
  await world.close();
  expect([...writes.values()]).toEqual(
    [0, 1].map(() => [
      'Launched=Unknown',
      'Launched=True',
      'Registered=True',
      'Initialized=True ConsistentStateFound=True',
      'Consolidatable=True',
      'disruption',
      'Drained=True VolumesDetached=True InstanceTerminating=True',
    ]),
  );
});
