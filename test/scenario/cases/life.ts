/** What takes nodes away, and what the cloud does not have: from outside, as users and EC2 do it. */
import { deployment, nodeClass, podDisruptionBudget } from '../objects.js';
import { isGoing, OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { Manifest, World } from '../world.js';
import { exampleManifests } from './examples.js';

const NOW = {
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  consolidateAfter: '0s',
  budgets: [{ nodes: '100%' }],
};
/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };

export const LIFE: readonly ScenarioCase[] = [
  { name: 'a PodDisruptionBudget holds a roll-out back, and then paces it', run: guarded },
  {
    name: 'with berth.sh/surge the only pod of a Deployment is never missing while its node drifts',
    run: surged,
  },
  { name: 'a volume keeps its pod in its zone when the node is deleted', run: zoneBound },
  { name: 'a newer image behind the alias replaces each node, the replacement first', run: newImage },
  {
    name: 'with berth.driftRollout one drifted node is replaced, the others wait until its replacement has soaked, and follow',
    run: staged,
  },
  { name: 'a spot instance that EC2 wants back is replaced before it ends', run: interrupted },
  {
    name: 'with --rebalance-recommendations=replace a spot node that EC2 recommends to rebalance is replaced',
    flags: { 'rebalance-recommendations': 'replace' },
    run: rebalanced,
  },
  {
    name: 'a node in a capacity block is replaced before EC2 terminates the instances of the block',
    run: blockEnds,
  },
  {
    name: 'a node moves with its class to another capacity reservation, and stays as on-demand when that ends',
    run: otherReservation,
  },
  { name: 'takes the next type when EC2 is out of the first', run: nextType },
  { name: 'takes another pool when EC2 is out of all that the first allows', run: nextPool },
  { name: 'scaled to 0, the nodes go, and their instances with them', run: scaledDown },
  {
    name: 'a deleted node takes its claim and its instance along, and its pods get another',
    run: nodeDeleted,
  },
  {
    name: 'what replaces a deleted node is Ready before the pods of the node may be evicted, and takes them',
    run: plannedBeforeEviction,
  },
];

async function guarded(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('guarded');
  await scenario.given(
    nodeClass(),
    pool.manifest({ spec: { disruption: NOW } }),
    podDisruptionBudget('guarded', { maxUnavailable: 0 }),
  );
  await scenario.whenApplied(
    deployment({ name: 'guarded', replicas: 3, requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'guarded', pods: 3 });
  const before = await pool.expectSettled(world, 3);
  const newest = world.cloud.publishImage({ family: 'AL2023' }).map(({ id }) => id);
  await world.until(
    'the claims have drifted',
    async () => (await pool.claims(world)).every(({ conditions }) => conditions.includes('Drifted')),
    120,
  );
  await scenario.expectQuiet(120, { pools: [pool.name], namespaces: ['default'] });
  await scenario.expectDecision(`NodeClaim/${before[0]?.name ?? ''}`, 'Refuse', 'PodDisruptionBudget');
  await scenario.whenApplied(podDisruptionBudget('guarded', { maxUnavailable: 1 }));
  let fewest = 3;
  await world.until(
    'all three are on the new image',
    async () => {
      const ready = (await pool.podsOf(world, 'guarded')).filter((pod) => pod.ready);
      fewest = Math.min(fewest, ready.length);
      const claims = await pool.claims(world);
      return claims.length === 3 && claims.every(({ imageID = '' }) => newest.includes(imageID));
    },
    300,
  );
  expect(fewest).toBeGreaterThanOrEqual(2);
  await scenario.expectScheduled({ app: 'guarded', pods: 3, whereFirstPlanned: false });
}

async function surged(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('surged');
  await scenario.given(
    nodeClass(),
    pool.manifest({ spec: { disruption: NOW } }),
    podDisruptionBudget('surged', { minAvailable: 1 }),
  );
  const annotations = { 'berth.sh/surge': 'true' };
  await scenario.whenApplied(
    deployment({ name: 'surged', annotations, requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'surged', pods: 1 });
  const [before] = await pool.expectSettled(world, 1);
  const labels = { scenario: pool.name, revision: 'second' };
  await scenario.whenApplied(pool.manifest({ labels, spec: { disruption: NOW } }));
  let fewest = 1;
  await world.until(
    'the drifted node is replaced',
    async () => {
      const ready = (await pool.podsOf(world, 'surged')).filter((pod) => pod.ready);
      fewest = Math.min(fewest, ready.length);
      const claims = await pool.claims(world);
      return claims.length === 1 && claims[0]?.name !== before?.name;
    },
    300,
  );
  expect(fewest).toBe(1);
  await scenario.expectScheduled({ app: 'surged', pods: 1, whereFirstPlanned: false });
  await scenario.expectDecision(`NodeClaim/${before?.name ?? ''}`, 'Drain', 'Surging');
}

async function zoneBound(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('zonal-volume');
  const namespace = 'example-zonal-volume';
  await scenario.given(...exampleManifests('shared'));
  await scenario.whenApplied(...exampleManifests('zonal-volume'));
  await scenario.expectAllScheduled({ namespace, pods: 1 });
  const [first] = await pool.expectSettled(world, 1);
  await scenario.whenDeleted({ kind: 'Node', name: first?.nodeName ?? '' });
  await scenario.expectTerminated([first?.nodeName ?? '']);
  await scenario.expectScheduled({ app: 'ledger', pods: 1, whereFirstPlanned: false });
  const [second] = await pool.expectSettled(world, 1);
  expect(second?.name).not.toBe(first?.name);
  expect([first?.zone, second?.zone]).toEqual(['eu-west-3b', 'eu-west-3b']);
}

async function newImage(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('new-image');
  await scenario.given(nodeClass(), pool.manifest());
  await scenario.whenApplied(
    deployment({ name: 'new-image', replicas: 2, requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'new-image', pods: 2 });
  const before = await pool.expectSettled(world, 2);
  expect(await pool.expectOnNewImage(world, 2, 300)).toBe(2);
  const after = await pool.expectSettled(world, 2);
  expect(after.filter(({ name }) => before.some((old) => old.name === name))).toEqual([]);
  await scenario.expectScheduled({ app: 'new-image', pods: 2, whereFirstPlanned: false });
}

async function staged(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('staged');
  const parts = { spec: { disruption: NOW }, berth: { driftRollout: { canary: '1', soak: '25s' } } };
  const version = (value: string): Manifest =>
    pool.manifest({ ...parts, labels: { scenario: pool.name, version: value } });
  await scenario.given(nodeClass(), version('one'));
  await scenario.whenApplied(
    deployment({ name: 'staged', replicas: 3, requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'staged', pods: 3 });
  const before = new Set((await pool.expectSettled(world, 3)).map(({ name }) => name));
  await scenario.whenApplied(version('two'));
  const waiting = await world.until(
    'the first is replaced, the new node soaks, and the others wait',
    async () => {
      // The first may still be on its way out.
      const old = (await pool.claims(world)).filter((claim) => before.has(claim.name) && !isGoing(claim));
      const status = (await world.policies()).find(({ name }) => name === `nodepool.${pool.name}`);
      const isSoaking = status?.conditions.some(
        ({ type, reason }) => type === 'DriftRolledOut' && reason === 'Soaking',
      );
      return isSoaking === true && old.length === 2 && old[0];
    },
    120,
  );
  await scenario.expectDecision(`NodeClaim/${waiting.name}`, 'Refuse', 'DriftSoaking');
  await world.until(
    'the others are replaced',
    async () => {
      const claims = await pool.claims(world);
      return claims.length === 3 && claims.every(({ name }) => !before.has(name));
    },
    180,
  );
  await scenario.expectScheduled({ app: 'staged', pods: 3, whereFirstPlanned: false });
}

async function interrupted(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('interrupted');
  await scenario.given(
    nodeClass(),
    pool.manifest({ requirements: { 'karpenter.sh/capacity-type': ['spot'] } }),
  );
  await scenario.whenApplied(deployment({ name: 'interrupted', replicas: 2, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'interrupted', pods: 2 });
  const [claim] = await pool.expectSettled(world, 1);
  const [instance] = pool.instances(world);
  world.cloud.interrupt(instance?.id ?? '');
  await world.until(
    'its pods run elsewhere',
    async () => {
      const pods = await pool.podsOf(world, 'interrupted');
      return pods.length === 2 && pods.every((pod) => pod.ready && pod.nodeName !== claim?.nodeName);
    },
    120,
  );
  await scenario.expectDecision(`NodeClaim/${claim?.name ?? ''}`, 'Disrupt', 'Interrupted');
  const [other] = await pool.expectSettled(world, 1, 180);
  expect(other?.name).not.toBe(claim?.name);
}

async function blockEnds(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('block');
  const block: Parameters<World['cloud']['addReservation']>[0] = {
    ...{ id: 'cr-0b10c0', instanceType: 'm5.large', zone: 'eu-west-3a', instances: 1 },
    type: 'capacity-block',
    ...{ interruptible: false, tags: new Map(), endsAt: world.now() + 86_400_000 },
  };
  world.cloud.addReservation(block);
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'block' };
  await scenario.given(
    nodeClass('block', { capacityReservationSelectorTerms: [{ id: block.id }] }),
    pool.manifest({
      requirements: { 'karpenter.sh/capacity-type': ['reserved', 'on-demand'] },
      template: { nodeClassRef },
      spec: { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' } },
    }),
  );
  await scenario.whenApplied(deployment({ name: 'block', pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'block', pods: 1 });
  const [claim] = await pool.expectSettled(world, 1);
  expect(claim?.capacityType).toBe('reserved');
  // EC2 terminates instances in ten minutes.
  world.cloud.addReservation({ ...block, endsAt: world.now() + 2_400_000 });
  await world.until(
    'its pod runs elsewhere',
    async () => {
      const [pod] = await pool.podsOf(world, 'block');
      return pod?.ready === true && pod.nodeName !== claim?.nodeName;
    },
    180,
  );
  await scenario.expectDecision(`NodeClaim/${claim?.name ?? ''}`, 'Disrupt', 'CapacityBlockEnding');
  const [other] = await pool.expectSettled(world, 1, 180);
  expect(other?.capacityType).toBe('on-demand');
}

async function otherReservation(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('reserved');
  const [first, second] = ['cr-0f1', 'cr-0f2'].map((id) => ({
    ...{ id, instanceType: 'm5.large', zone: 'eu-west-3a', instances: 1 },
    ...{ type: 'default' as const, interruptible: false, tags: new Map<string, string>() },
  }));
  if (first === undefined || second === undefined) throw new Error('there are two');
  world.cloud.addReservation(first);
  world.cloud.addReservation(second);
  const into = (id: string): Manifest =>
    nodeClass('reserved', { capacityReservationSelectorTerms: [{ id }] });
  await scenario.given(
    into(first.id),
    pool.manifest({
      requirements: { 'karpenter.sh/capacity-type': ['reserved', 'on-demand'] },
      template: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'reserved' } },
      spec: { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' } },
    }),
  );
  await scenario.whenApplied(deployment({ name: 'reserved', pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'reserved', pods: 1 });
  const [claim] = await pool.expectSettled(world, 1);
  const reservationOf = async (node = ''): Promise<string | undefined> =>
    (await world.nodes()).find(({ name }) => name === node)?.labels[
      'karpenter.k8s.aws/capacity-reservation-id'
    ];
  expect(await reservationOf(claim?.nodeName)).toBe(first.id);
  await world.apply([into(second.id)]);
  await world.until(
    'its pod runs in the other reservation',
    async () => {
      const [pod] = await pool.podsOf(world, 'reserved');
      return pod?.ready === true && (await reservationOf(pod.nodeName)) === second.id;
    },
    240,
  );
  await scenario.expectDecision(`NodeClaim/${claim?.name ?? ''}`, 'Disrupt', 'Drifted');
  const [other] = await pool.expectSettled(world, 1, 180);
  expect(other?.capacityType).toBe('reserved');
  world.cloud.addReservation({ ...second, endsAt: world.now() });
  await world.until(
    'the same node is on-demand',
    async () => {
      const [known] = await pool.claims(world);
      const node = (await world.nodes()).find(({ name }) => name === other?.nodeName);
      const isOnDemand = node?.labels['karpenter.sh/capacity-type'] === 'on-demand';
      return known?.name === other?.name && known?.capacityType === 'on-demand' && isOnDemand;
    },
    150,
  );
  expect(await reservationOf(other?.nodeName)).toBeUndefined();
  await scenario.expectDecision(`NodeClaim/${other?.name ?? ''}`, 'Register', 'CapacityTypeChanged');
  await pool.expectSettled(world, 1);
}

async function rebalanced(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('rebalanced');
  const requirements = { 'karpenter.sh/capacity-type': ['spot'] };
  await scenario.given(nodeClass(), pool.manifest({ requirements }));
  await scenario.whenApplied(deployment({ name: 'rebalanced', pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'rebalanced', pods: 1 });
  const [claim] = await pool.expectSettled(world, 1);
  const [instance] = pool.instances(world);
  world.cloud.rebalance(instance?.id ?? '');
  await scenario.expectTerminated([claim?.nodeName ?? '']);
  await scenario.expectScheduled({ app: 'rebalanced', pods: 1, whereFirstPlanned: false });
  const [other] = await pool.expectSettled(world, 1, 180);
  expect(other?.name).not.toBe(claim?.name);
  await scenario.expectDecision(`NodeClaim/${claim?.name ?? ''}`, 'Disrupt', 'Interrupted');
}

async function nextType(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('next-type');
  const requirements = { 'node.kubernetes.io/instance-type': ['c5.large', 'c6i.large'] };
  world.setStock({ instanceType: 'c5.large' }, 0);
  await scenario.given(nodeClass(), pool.manifest({ requirements }));
  await scenario.whenApplied(deployment({ name: 'next-type', pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'next-type', pods: 1 });
  const [claim] = await pool.expectSettled(world, 1);
  expect(claim?.instanceType).toBe('c6i.large');
  world.setStock({ instanceType: 'c5.large' }, Infinity);
}

async function nextPool(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('next-pool');
  const fallback = new OwnPool('fallback-pool');
  const labels = { scenario: pool.name };
  world.setStock({ instanceType: 'c5.large' }, 0);
  await scenario.given(
    nodeClass(),
    pool.manifest({
      requirements: { 'node.kubernetes.io/instance-type': ['c5.large'] },
      spec: { weight: 50 },
    }),
    fallback.manifest({ spec: { weight: 1 }, labels }),
  );
  await scenario.whenApplied(deployment({ name: 'next-pool', pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'next-pool', pods: 1, whereFirstPlanned: false });
  const [claim] = await fallback.expectSettled(world, 1);
  expect(claim?.instanceType).toBe('m5.large');
  expect(await pool.claims(world)).toEqual([]);
  world.setStock({ instanceType: 'c5.large' }, Infinity);
}

async function scaledDown(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('scaled-down');
  await scenario.given(nodeClass(), pool.manifest({ spec: { disruption: NOW } }));
  await scenario.whenApplied(
    deployment({ name: 'scaled-down', replicas: 3, requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'scaled-down', pods: 3 });
  const claims = await pool.expectSettled(world, 3);
  await scenario.whenScaled('scaled-down', 0);
  await scenario.expectTerminated(claims.map(({ nodeName = '' }) => nodeName));
  await pool.expectSettled(world, 0);
  for (const { name } of claims) await scenario.expectDecision(`NodeClaim/${name}`, 'Disrupt', 'Empty');
}

async function nodeDeleted(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('node-deleted');
  await scenario.given(nodeClass(), pool.manifest());
  await scenario.whenApplied(deployment({ name: 'node-deleted', replicas: 3, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'node-deleted', pods: 3 });
  const [claim] = await pool.expectSettled(world, 1);
  const [instance] = pool.instances(world);
  await scenario.whenDeleted({ kind: 'Node', name: claim?.nodeName ?? '' });
  await scenario.expectTerminated([claim?.nodeName ?? '']);
  await scenario.expectScheduled({ app: 'node-deleted', pods: 3, whereFirstPlanned: false });
  const [other] = await pool.expectSettled(world, 1);
  expect(other?.name).not.toBe(claim?.name);
  expect(pool.instances(world).map(({ id }) => id)).not.toContain(instance?.id);
}

async function plannedBeforeEviction(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const app = 'planned-early';
  const pool = new OwnPool(app);
  // It allows no eviction as long as there are two replicas, so that the order is certain.
  const budget = podDisruptionBudget(app, { minAvailable: 2 });
  const disruption = { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' };
  await scenario.given(nodeClass(), pool.manifest({ spec: { disruption } }), budget);
  const requests = { cpu: '700m' };
  await scenario.whenApplied(deployment({ name: app, replicas: 2, requests, pod: pool.wanted() }));
  await scenario.expectScheduled({ app, pods: 2 });
  const [claim] = await pool.expectSettled(world, 1);
  await scenario.whenDeleted({ kind: 'Node', name: claim?.nodeName ?? '' });
  const other = await world.until(
    'another claim is Ready, and the pods still run on the deleted node',
    async () => {
      const pods = await pool.podsOf(world, app);
      expect(pods.map(({ nodeName }) => nodeName)).toEqual([claim?.nodeName, claim?.nodeName]);
      const found = (await pool.claims(world)).find(({ name }) => name !== claim?.name);
      return found?.conditions.includes('Ready') === true && found;
    },
    60,
  );
  await scenario.whenApplied(podDisruptionBudget(app, { minAvailable: 1 }));
  await scenario.expectTerminated([claim?.nodeName ?? '']);
  const pods = await scenario.expectScheduled({ app, pods: 2, whereFirstPlanned: false });
  expect(pods.map(({ nodeName }) => nodeName)).toEqual([other.nodeName, other.nodeName]);
  expect((await pool.expectSettled(world, 1)).map(({ name }) => name)).toEqual([other.name]);
}
