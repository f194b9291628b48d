/** Budgets: how many nodes of a pool may go at once, and when. */
import { deployment, nodeClass } from '../objects.js';
import { isGoing, OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { Manifest, SeenClaim, World } from '../world.js';

const WORK_HOURS = {
  nodes: '0',
  schedule: '0 9 * * mon-fri',
  duration: '8h',
  reasons: ['Drifted', 'Underutilized'],
};
const DISRUPTION = {
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  consolidateAfter: '5s',
  budgets: [{ nodes: '20%' }, WORK_HOURS],
};
/** 20 % of six nodes, rounded up as Karpenter does. */
const MOST = 2;
const LARGE = { 'node.kubernetes.io/instance-type': 'm5.large' };
/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };

export const BUDGETS: readonly ScenarioCase[] = [
  {
    name: 'in working hours empty nodes go, two of six at once, while drifted and underutilized ones stay',
    // A Wednesday.
    start: '2026-01-07T10:00:00Z',
    run: onlyEmpty,
  },
  {
    name: 'after working hours drifted nodes are replaced, two of six at once, and every pod runs in the end',
    start: '2026-01-07T17:30:00Z',
    run: rollOut,
  },
  {
    name: 'during a freeze empty nodes stay, and go when the freeze is taken back',
    run: frozen,
  },
  {
    name: 'a node stays while no window of the namespace of its pods is open, and is replaced by a cheaper one when one is',
    run: outsideWindows,
  },
];

async function onlyEmpty(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('work-hours');
  const requirements = { 'node.kubernetes.io/instance-type': ['m5.large', 'm5.xlarge'] };
  await scenario.given(nodeClass(), pool.manifest({ requirements, spec: { disruption: DISRUPTION } }));
  // An m5.xlarge, with room for thin, which alone does not need it.
  await scenario.whenApplied(deployment({ name: 'wide', requests: { cpu: '2' }, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'wide', pods: 1 });
  await scenario.whenApplied(
    deployment({ name: 'thin', requests: { cpu: '1' }, pod: pool.wanted() }),
    deployment({ name: 'alone', replicas: 5, requests: ALONE, pod: pool.wanted(LARGE) }),
  );
  await scenario.expectScheduled({ app: 'thin', pods: 1, whereFirstPlanned: false });
  await scenario.expectScheduled({ app: 'alone', pods: 5 });
  const first = await pool.expectSettled(world, 6);
  await scenario.whenScaled('wide', 0);
  world.cloud.publishImage({ family: 'AL2023' });
  await untilAll(world, pool, (claim) => ['Drifted', 'Consolidatable'].every((each) => has(claim, each)));
  await scenario.expectQuiet(120, { pools: [pool.name], namespaces: [] });
  await scenario.whenScaled('alone', 1);
  const most = await mostGoing(world, pool, async () => (await pool.claims(world)).length === 2);
  expect(most).toBeLessThanOrEqual(MOST);
  const left = await pool.expectSettled(world, 2);
  // Both are still on the old image, and one is larger than it need be.
  expect(left.every((claim) => first.some(({ name }) => name === claim.name))).toBe(true);
  expect(left.map(({ instanceType }) => instanceType).sort()).toEqual(['m5.large', 'm5.xlarge']);
  await scenario.expectQuiet(120, { pools: [pool.name], namespaces: [] });
}

async function rollOut(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('after-work');
  await scenario.given(nodeClass(), pool.manifest({ spec: { disruption: DISRUPTION } }));
  await scenario.whenApplied(
    deployment({ name: 'after-work', replicas: 6, requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'after-work', pods: 6 });
  await pool.expectSettled(world, 6);
  const newest = world.cloud.publishImage({ family: 'AL2023' }).map(({ id }) => id);
  const isNew = ({ imageID = '' }: SeenClaim): boolean => newest.includes(imageID);
  const most = await mostGoing(world, pool, async () => {
    const claims = await pool.claims(world);
    return claims.length === 6 && claims.every((claim) => isNew(claim) && has(claim, 'Ready'));
  });
  expect(most).toBe(MOST);
  await pool.expectSettled(world, 6);
  await scenario.expectScheduled({ app: 'after-work', pods: 6, whereFirstPlanned: false });
  await scenario.expectQuiet(120, { pools: [pool.name], namespaces: [] });
}

async function frozen(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('freeze');
  const spec = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };
  const freezes = [{ from: '2020-01-01T00:00:00Z', until: '2099-01-01T00:00:00Z' }];
  await scenario.given(nodeClass(), pool.manifest({ spec, berth: { freezes } }));
  await scenario.whenApplied(
    deployment({ name: 'freeze', replicas: 2, requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'freeze', pods: 2 });
  const before = await pool.expectSettled(world, 2);
  await scenario.whenDeleted({ kind: 'Deployment', name: 'freeze' });
  for (const { name } of before) await scenario.expectDecision(`NodeClaim/${name}`, 'Refuse', 'Freeze');
  await world.quietFor(60);
  expect(await pool.expectSettled(world, 2)).toMatchObject(before.map(({ name }) => ({ name })));
  await scenario.whenApplied(pool.manifest({ spec }));
  await pool.expectSettled(world, 0, 180);
}

async function outsideWindows(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('pod-windows');
  const namespace = pool.name;
  const disruption = { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] };
  const requirements = { 'node.kubernetes.io/instance-type': ['m5.large', 'm5.xlarge'] };
  const onLeapDays = { schedule: '0 0 29 2 *', duration: '1m' };
  await scenario.given(
    nodeClass(),
    pool.manifest({ requirements, spec: { disruption } }),
    withWindows(namespace, onLeapDays),
  );
  const parts = { namespace, pod: pool.wanted() };
  await scenario.whenApplied(
    deployment({ name: 'wide', requests: { cpu: '2' }, ...parts }),
    deployment({ name: 'thin', requests: { cpu: '1' }, ...parts }),
  );
  for (const app of ['wide', 'thin']) await scenario.expectScheduled({ app, pods: 1 });
  const [before] = await pool.expectSettled(world, 1);
  expect(before?.instanceType).toBe('m5.xlarge');
  await scenario.whenDeleted({ kind: 'Deployment', name: 'wide', namespace });
  await scenario.expectDecision(`NodeClaim/${before?.name ?? ''}`, 'Refuse', 'PodOutsideWindows');
  await world.quietFor(60);
  expect(await pool.expectSettled(world, 1)).toMatchObject([{ name: before?.name }]);
  await scenario.whenApplied(withWindows(namespace, { schedule: '* * * * *', duration: '1h' }));
  await world.until(
    'the node is replaced by a cheaper one',
    async () => (await pool.claims(world)).every(({ instanceType }) => instanceType === 'm5.large'),
    180,
  );
  await pool.expectSettled(world, 1);
}

function withWindows(namespace: string, window: object): Manifest {
  const annotations = { 'berth.sh/disruption-windows': JSON.stringify([window]) };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, annotations } };
}

/** The most claims that were on their way out at once, as budgets count them, until it is done. */
async function mostGoing(world: World, pool: OwnPool, isDone: () => Promise<boolean>): Promise<number> {
  let most = 0;
  const look = async (): Promise<boolean> => {
    const going = (await pool.claims(world)).filter(isGoing);
    most = Math.max(most, going.filter((claim) => !has(claim, 'InstanceTerminating')).length);
    return isDone();
  };
  await world.until(`pool ${pool.name} is done with what may go`, look, 300);
  return most;
}

async function untilAll(world: World, pool: OwnPool, holds: (claim: SeenClaim) => boolean): Promise<void> {
  const look = async (): Promise<boolean> => (await pool.claims(world)).every(holds);
  await world.until(`all claims of ${pool.name} have drifted and may be consolidated`, look, 120);
}

function has({ conditions }: SeenClaim, condition: string): boolean {
  return conditions.includes(condition);
}
