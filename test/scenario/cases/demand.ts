/** Which pods get nodes. */
import { boundVolume, deployment, nodeClass, pod } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { Manifest, World } from '../world.js';

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };
const NOW = { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s', budgets: [{ nodes: '100%' }] };
const ZONE = 'topology.kubernetes.io/zone';
const ZONE_ID = 'topology.k8s.aws/zone-id';
const TENANCY = 'karpenter.k8s.aws/instance-tenancy';
/** USD/h: an m5.large on demand costs less beside others, and more alone. */
const USUAL_MOST = 0.115;
const OPTIONAL: Manifest = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: 'optional' },
  value: -10,
};

export const DEMAND: readonly ScenarioCase[] = [
  {
    name: 'pods below --least-priority get no node, and others do',
    flags: { 'least-priority': '0' },
    run: belowPriority,
  },
  {
    name: 'with --reserved-enis=1 an m5.large takes 20 pods, and planning, kubelet and scheduler agree',
    flags: { 'reserved-enis': '1' },
    run: fewerAddresses,
  },
  {
    name: 'with --kubelet-expressions=yes expressions say how many pods a node takes and what it reserves, and one without a value is refused',
    flags: { 'kubelet-expressions': 'yes' },
    run: byExpression,
  },
  {
    name: 'a pod that fits by an estimate and not in truth costs one node too small, and no later pod costs another',
    flags: { 'vm-memory-overhead': '0' },
    run: overestimated,
  },
  {
    name: 'pods without spread constraints are spread over zones as --scheduler-config says',
    flags: {
      'scheduler-config': JSON.stringify({
        podTopologySpread: {
          defaultConstraints: [
            { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
          ],
        },
      }),
    },
    run: spreadByDefault,
  },
  {
    name: 'pods whose volumes one m5.large cannot attach get two before either node exists',
    run: moreVolumesThanSlots,
  },
  {
    name: 'pods and a pool that name zones by their id get nodes there, with that label',
    run: zonesByID,
  },
  {
    name: 'a pool that requires the tenancy dedicated gets dedicated instances, for pods that select them too',
    run: dedicatedTenancy,
  },
  {
    name: 'a pod that selects the tenancy dedicated gets a dedicated instance from a pool that leaves it open, others a usual one',
    run: openTenancy,
  },
  {
    name: 'with --zonal-shift=yes nothing is launched in a zone that the cluster is shifted away from, and nothing is consolidated',
    flags: { 'zonal-shift': 'yes' },
    run: shiftedAway,
  },
];

async function dedicatedTenancy(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('dedicated');
  await scenario.given(nodeClass(), pool.manifest({ requirements: { [TENANCY]: ['dedicated'] } }));
  const pod = pool.wanted({ [TENANCY]: 'dedicated' });
  await scenario.whenApplied(deployment({ name: 'dedicated', requests: ALONE, pod }));
  await scenario.expectScheduled({ app: 'dedicated', pods: 1 });
  const [claim] = await pool.expectSettled(world, 1);
  const node = await scenario.node(claim?.nodeName ?? '');
  expect(node.labels[TENANCY]).toBe('dedicated');
  expect(claim?.hourlyPrice).toBeGreaterThan(USUAL_MOST);
  const [launched] = pool.instances(world);
  expect(launched?.state).toBe('running');
  expect(dedicatedTemplates(world)).not.toEqual([]);
}

/** Consolidation is on, so that it would undo what costs more than it must. */
async function openTenancy(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('open-tenancy');
  const disruption = { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] };
  await scenario.given(nodeClass(), pool.manifest({ spec: { disruption } }));
  const before = dedicatedTemplates(world).length;
  const pod = pool.wanted({ [TENANCY]: 'dedicated' });
  await scenario.whenApplied(
    deployment({ name: 'alone', requests: ALONE, pod }),
    deployment({ name: 'beside-others', requests: ALONE, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'alone', pods: 1 });
  await scenario.expectScheduled({ app: 'beside-others', pods: 1 });
  await pool.expectSettled(world, 2);
  await world.quietFor(20);
  const claims = await pool.expectSettled(world, 2);
  const nodeOf = async (app: string): Promise<readonly [tenancy: string | undefined, isDear: boolean]> => {
    const [{ nodeName = '' } = {}] = await pool.podsOf(world, app);
    const claim = claims.find((each) => each.nodeName === nodeName);
    return [(await scenario.node(nodeName)).labels[TENANCY], (claim?.hourlyPrice ?? 0) > USUAL_MOST];
  };
  expect(await nodeOf('alone')).toEqual(['dedicated', true]);
  expect(await nodeOf('beside-others')).toEqual(['default', false]);
  expect(dedicatedTemplates(world).length).toBeGreaterThan(before);
}

function dedicatedTemplates(world: World): readonly string[] {
  const templates = world.cloud.log.recent('ec2:CreateLaunchTemplate').map(({ body }) => body);
  return templates.filter((body) => body.includes('Placement.Tenancy=dedicated'));
}

async function belowPriority(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('below-priority');
  await scenario.given(nodeClass(), pool.manifest(), OPTIONAL);
  const pod = { ...pool.wanted(), priorityClassName: 'optional' };
  await scenario.whenApplied(deployment({ name: 'optional', requests: ALONE, pod }));
  await world.until(
    'kube-scheduler has refused the optional pod',
    async () => (await pool.podsOf(world, 'optional')).some(({ refusal }) => refusal !== ''),
    60,
  );
  await world.quietFor(20);
  expect(await pool.claims(world)).toEqual([]);
  await scenario.whenApplied(deployment({ name: 'needed', requests: ALONE, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'needed', pods: 1 });
  await pool.expectSettled(world, 1);
  const [optional] = await pool.podsOf(world, 'optional');
  expect(optional?.nodeName).toBeUndefined();
}

async function fewerAddresses(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('fewer-addresses');
  await scenario.given(nodeClass(), pool.manifest());
  const requests = { cpu: '10m', memory: '16Mi' };
  await scenario.whenApplied(deployment({ name: 'tiny', replicas: 21, requests, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'tiny', pods: 21 });
  const claims = await pool.expectSettled(world, 2);
  const pods = await pool.podsOf(world, 'tiny');
  const counts = claims.map(({ nodeName }) => pods.filter((pod) => pod.nodeName === nodeName).length);
  expect(counts.sort((left, right) => right - left)).toEqual([20, 1]);
}

/** An m5.large has 2 vCPUs: it takes 8 pods, and reserves 352Mi, 8 times 11 and 255 rounded up to 16. */
async function byExpression(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('by-expression');
  const kubelet = { maxPods: 'min(max_pods, vcpus * 4)', kubeReserved: { memory: '11 * max_pods + 255' } };
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'by-expression' };
  await scenario.given(
    nodeClass('by-expression', { kubelet }),
    nodeClass('without-value', { kubelet: { maxPods: '8 / (vcpus - 2)' } }),
    pool.manifest({ template: { nodeClassRef } }),
  );
  const requests = { cpu: '10m', memory: '16Mi' };
  await scenario.whenApplied(deployment({ name: 'few', replicas: 8, requests, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'few', pods: 8 });
  await pool.expectSettled(world, 1);
  await scenario.whenApplied(
    deployment({ name: 'one-more', requests: { cpu: '10m', memory: '7000Mi' }, pod: pool.wanted() }),
  );
  await scenario.expectScheduled({ app: 'one-more', pods: 1 });
  const claims = await pool.expectSettled(world, 2);
  const pods = [...(await pool.podsOf(world, 'few')), ...(await pool.podsOf(world, 'one-more'))];
  const counts = claims.map(({ nodeName }) => pods.filter((each) => each.nodeName === nodeName).length);
  expect(counts.sort((left, right) => right - left)).toEqual([8, 1]);
  const refused = await world.until(
    'the class without a value is refused',
    async () =>
      (await world.policies())
        .find(({ name }) => name === 'ec2nodeclass.without-value')
        ?.conditions.find(({ type, status }) => type === 'ValidationSucceeded' && status === 'False'),
    120,
  );
  expect(refused.reason).toBe('KubeletExpressionEvaluationFailed');
  expect(refused.message).toContain('cannot be evaluated: division by zero for ');
}

/** By an estimate of no overhead an m5.large leaves 7518Mi to pods; in truth it is less. */
async function overestimated(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('overestimated');
  const requirements = { 'node.kubernetes.io/instance-type': ['m5.large', 'm5.xlarge'] };
  await scenario.given(nodeClass(), pool.manifest({ requirements, spec: { disruption: NOW } }));
  const launched = new Map<string, string>();
  const look = async (): Promise<void> => {
    for (const { name, instanceType = '' } of await pool.claims(world)) launched.set(name, instanceType);
  };
  for (const [app, types] of [
    ['first', ['m5.large', 'm5.xlarge']],
    ['second', ['m5.large', 'm5.xlarge', 'm5.xlarge']],
  ] as const) {
    await scenario.whenApplied(deployment({ name: app, requests: { memory: '7400Mi' }, pod: pool.wanted() }));
    await world.until(
      `the pod of ${app} runs`,
      async () => {
        await look();
        return (await pool.podsOf(world, app)).some(({ ready }) => ready);
      },
      300,
    );
    expect([...launched.values()].sort()).toEqual(types);
  }
  const settled = await pool.expectSettled(world, 2, 120);
  expect(settled.map(({ instanceType }) => instanceType)).toEqual(['m5.xlarge', 'm5.xlarge']);
}

async function spreadByDefault(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('default-spread');
  await scenario.given(nodeClass(), pool.manifest());
  const requests = { cpu: '100m', memory: '64Mi' };
  await scenario.whenApplied(deployment({ name: 'web', replicas: 3, requests, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'web', pods: 3 });
  const claims = await pool.expectSettled(world, 3);
  expect(claims.map(({ zone }) => zone).sort()).toEqual(['eu-west-3a', 'eu-west-3b', 'eu-west-3c']);
}

/** An m5.large attaches 25 volumes of pods. */
async function moreVolumesThanSlots(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('volume-slots');
  const apps = ['first', 'second'];
  const claimsOf = (app: string): readonly string[] =>
    Array.from({ length: 13 }, (_, index) => `slots-${app}-${String(index)}`);
  await scenario.given(nodeClass(), pool.manifest(), ...apps.flatMap(claimsOf).flatMap(boundVolume));
  const pods = apps.map((app) => {
    const volumes = claimsOf(app).map((claimName) => ({
      name: claimName,
      persistentVolumeClaim: { claimName },
    }));
    return pod({ name: app, requests: { cpu: '100m' }, pod: { ...pool.wanted(), volumes } });
  });
  await scenario.whenApplied(...pods);
  for (const app of apps) await scenario.expectScheduled({ app, pods: 1 });
  await pool.expectSettled(world, 2);
}

async function zonesByID(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('zones-by-id');
  const requirements = { [ZONE_ID]: ['euw3-az2', 'euw3-az3'] };
  await scenario.given(nodeClass(), pool.manifest({ requirements }));
  await scenario.whenApplied(
    deployment({ name: 'named', requests: ALONE, pod: pool.wanted({ [ZONE_ID]: 'euw3-az3' }) }),
    deployment({ name: 'spread', replicas: 2, requests: ALONE, pod: spreadOver(ZONE_ID, pool, 'spread') }),
  );
  await scenario.expectScheduled({ app: 'named', pods: 1 });
  await scenario.expectScheduled({ app: 'spread', pods: 2 });
  await pool.expectSettled(world, 3);
  const ids = new Map((await world.nodes()).map(({ name, labels }) => [name, labels[ZONE_ID]]));
  const idsOf = async (app: string): Promise<readonly (string | undefined)[]> =>
    (await pool.podsOf(world, app)).map(({ nodeName = '' }) => ids.get(nodeName)).sort();
  expect(await idsOf('named')).toEqual(['euw3-az3']);
  expect(await idsOf('spread')).toEqual(['euw3-az2', 'euw3-az3']);
}

async function shiftedAway(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('shifted-away');
  const disruption = { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] };
  await scenario.given(nodeClass(), pool.manifest({ spec: { disruption } }));
  world.cloud.shiftAway('euw3-az1');
  await world.until(
    'Berth follows the zonal shift',
    async () => (await world.events()).some(({ reason }) => reason === 'ZonalShiftActive'),
    90,
  );
  const inZone = (zone: string): Readonly<Record<string, unknown>> => pool.wanted({ [ZONE]: zone });
  await scenario.whenApplied(
    deployment({ name: 'elsewhere', requests: ALONE, pod: inZone('eu-west-3b') }),
    deployment({ name: 'waiting', requests: ALONE, pod: inZone('eu-west-3a') }),
  );
  await scenario.expectScheduled({ app: 'elsewhere', pods: 1 });
  await pool.expectSettled(world, 1);
  await world.remove({ kind: 'Deployment', name: 'elsewhere' });
  await world.quietFor(20);
  const kept = await pool.claims(world);
  expect(kept.map(({ zone, disruption: reason }) => [zone, reason])).toEqual([['eu-west-3b', undefined]]);
  world.cloud.shiftAway(undefined);
  await scenario.expectScheduled({ app: 'waiting', pods: 1 });
  const claims = await pool.expectSettled(world, 1);
  expect(claims.map(({ zone }) => zone)).toEqual(['eu-west-3a']);
}

function spreadOver(topologyKey: string, pool: OwnPool, app: string): Readonly<Record<string, unknown>> {
  const labelSelector = { matchLabels: { app } };
  return {
    ...pool.wanted(),
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
    ],
  };
}
