/** NodePools with a number of nodes: as many as spec.replicas, or at least as many as berth.minimumNodes, whatever pods want. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { World } from '../world.js';

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };

export const STATIC_POOLS: readonly ScenarioCase[] = [
  {
    name: 'a static pool has its nodes before there are pods, takes pods, and as many nodes as kubectl scale or its policy said last',
    run: scaled,
  },
  {
    name: 'a newer image replaces each node of a static pool, empty ones too, and it never has fewer',
    run: drifted,
  },
  {
    name: 'a newer image replaces the nodes of a static pool at its limit one after the other, each gone before the next is launched',
    run: atLimit,
  },
  {
    name: 'a dynamic pool has its minimum of nodes without pods, launches more for pods, and goes back to its minimum',
    run: minimum,
  },
];

async function scaled(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('static-scaled');
  await scenario.given(nodeClass(), pool.manifest({ spec: { replicas: 2 } }));
  const first = await pool.expectSettled(world, 2, 120);
  expect(new Set(first.map(({ zone }) => zone)).size).toBe(2);
  await scenario.whenApplied(deployment({ name: 'static-scaled', requests: ALONE, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'static-scaled', pods: 1, whereFirstPlanned: false });
  await world.quietFor(60);
  const names = (await pool.expectSettled(world, 2)).map(({ name }) => name);
  expect(names.sort()).toEqual(first.map(({ name }) => name).sort());
  const status = { kind: 'PolicyStatus', name: 'nodepool.static-scaled' };
  await world.scale(status, 3);
  await pool.expectSettled(world, 3, 120);
  const [pod] = await pool.podsOf(world, 'static-scaled');
  await scenario.whenApplied(pool.manifest({ spec: { replicas: 1 } }));
  const [left] = await pool.expectSettled(world, 1, 120);
  expect(left?.nodeName).toBe(pod?.nodeName);
  await world.scale(status, 0);
  await pool.expectSettled(world, 0, 120);
  await scenario.expectDecision('Pod/default/static-scaled', 'Refuse', 'StaticPool');
}

async function drifted(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('static-drifted');
  const spec = { replicas: 2, disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } };
  await scenario.given(nodeClass(), pool.manifest({ spec }));
  await scenario.whenApplied(deployment({ name: 'static-drifted', requests: ALONE, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'static-drifted', pods: 1, whereFirstPlanned: false });
  const before = await pool.expectSettled(world, 2, 120);
  expect(await pool.expectOnNewImage(world, 2, 600)).toBe(2);
  const after = await pool.expectSettled(world, 2);
  expect(after.map(({ zone }) => zone).sort()).toEqual(before.map(({ zone }) => zone).sort());
  await scenario.expectScheduled({ app: 'static-drifted', pods: 1, whereFirstPlanned: false });
}

async function atLimit(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('static-limit');
  const disruption = { consolidateAfter: '0s', budgets: [{ nodes: '1' }] };
  const spec = { replicas: 2, limits: { nodes: '2' }, disruption };
  await scenario.given(nodeClass(), pool.manifest({ spec, berth: { terminateFirst: true } }));
  await pool.expectSettled(world, 2, 120);
  const names = (await pool.claims(world)).map(({ name }) => name);
  expect(await pool.expectOnNewImage(world, 2, 600)).toBe(1);
  const after = await pool.expectSettled(world, 2);
  expect(after.filter(({ name }) => names.includes(name))).toEqual([]);
}

async function minimum(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('minimum');
  const spec = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };
  await scenario.given(nodeClass(), pool.manifest({ spec, berth: { minimumNodes: 1 } }));
  await pool.expectSettled(world, 1, 120);
  await scenario.whenApplied(
    deployment({ name: 'minimum', replicas: 3, requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'minimum', pods: 3, whereFirstPlanned: false });
  await pool.expectSettled(world, 3, 60);
  await scenario.whenDeleted({ kind: 'Deployment', name: 'minimum' });
  await pool.expectSettled(world, 1, 180);
  await world.quietFor(60);
  await pool.expectSettled(world, 1);
}
