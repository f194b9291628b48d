/** Nodes that a monitoring agent calls bad: which are repaired, and which stay. */
import { deployment, nodeClass, podDisruptionBudget } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { SeenClaim, World } from '../world.js';

export const REPAIR: readonly ScenarioCase[] = [
  {
    name: 'with berth.repair.policies a node is replaced for the reason that they name, and stays for any other',
    run: replacedForReason,
  },
  {
    name: 'a bad node is replaced though a startup taint keeps it from being initialized',
    run: replacedBeforeInitialized,
  },
  {
    name: 'with action Reboot a node with an error of its GPU is drained, rebooted with its instance kept, and takes its pods again',
    run: rebooted,
  },
];

/** Whether the disk of the node is in order, and why not. */
function disk(reason: string): { readonly type: string; readonly status: string; readonly reason: string } {
  return { type: 'DiskHealthy', status: 'False', reason };
}

async function replacedForReason(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('repaired');
  const bad = { conditionType: 'DiskHealthy', conditionStatus: 'False' };
  const policies = [
    { ...bad, reasons: ['FileSystem*'], tolerationDuration: '3s', terminationGracePeriod: '10s' },
    { ...bad, tolerationDuration: 'Never' },
  ];
  await scenario.given(
    nodeClass(),
    pool.manifest({ berth: { repair: { policies } } }),
    podDisruptionBudget('repaired', { maxUnavailable: 0 }),
  );
  await scenario.whenApplied(deployment({ name: 'repaired', pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'repaired', pods: 1 });
  const [before] = await pool.expectSettled(world, 1);
  const nodeName = before?.nodeName ?? '';
  await world.setNodeCondition(nodeName, disk('Slow'));
  await scenario.expectQuiet(10, { pools: [pool.name], namespaces: ['default'] });
  await world.setNodeCondition(nodeName, disk('FileSystemReadOnly'));
  // Whatever the PodDisruptionBudget says.
  await expectRepaired(world, pool, before);
}

async function replacedBeforeInitialized(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('never-initialized');
  const policies = [{ conditionType: 'DiskHealthy', conditionStatus: 'False', tolerationDuration: '3s' }];
  const startupTaints = [{ key: 'example.com/starting', effect: 'NoSchedule' }];
  const berth = { repair: { policies } };
  await scenario.given(nodeClass(), pool.manifest({ template: { startupTaints }, berth }));
  const tolerations = [{ key: 'example.com/starting', operator: 'Exists' }];
  await scenario.whenApplied(
    deployment({ name: 'never-initialized', pod: { ...pool.wanted(), tolerations } }),
  );
  await scenario.expectScheduled({ app: 'never-initialized', pods: 1 });
  const [before] = await pool.claims(world);
  expect(before?.conditions).toContain('Registered');
  expect(before?.conditions).not.toContain('Initialized');
  await scenario.whenApplied(pool.manifest({ berth }));
  await world.setNodeCondition(before?.nodeName ?? '', disk('FileSystemReadOnly'));
  await expectRepaired(world, pool, before);
}

async function rebooted(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('rebooted');
  const type = 'AcceleratedHardwareReady';
  const policies = [
    {
      ...{ conditionType: type, conditionStatus: 'False', reasons: ['NvidiaXID48Error'] },
      ...{ tolerationDuration: '3s', terminationGracePeriod: '60s', action: 'Reboot' },
    },
  ];
  await scenario.given(nodeClass(), pool.manifest({ berth: { repair: { policies } } }));
  await scenario.whenApplied(deployment({ name: 'rebooted', pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'rebooted', pods: 1 });
  const [before] = await pool.expectSettled(world, 1);
  const nodeName = before?.nodeName ?? '';
  const [pod] = (await world.pods()).filter((each) => each.nodeName === nodeName);
  await world.setNodeCondition(nodeName, { type, status: 'False', reason: 'NvidiaXID48Error' });
  await world.until(
    'the node is being rebooted, and drained',
    async () => {
      const [claim] = await pool.claims(world);
      const pods = await world.pods();
      return claim?.conditions.includes('Rebooting') === true && !pods.some(({ uid }) => uid === pod?.uid);
    },
    120,
  );
  const subject = `NodeClaim/${before?.name ?? ''}`;
  await world.until(
    'the reboot is observed',
    async () =>
      (await world.events()).some((event) => event.subject === subject && event.reason === 'RebootObserved'),
    120,
  );
  // As the agent does that finds the GPU well.
  await world.setNodeCondition(nodeName, { type, status: 'True', reason: 'AcceleratedHardwareIsReady' });
  await scenario.expectDecision(subject, 'Disrupt', 'RebootRequested');
  await scenario.expectScheduled({ app: 'rebooted', pods: 1, whereFirstPlanned: false });
  const after = await pool.expectSettled(world, 1);
  expect(after.map(({ name, nodeName: node }) => [name, node])).toEqual([[before?.name, nodeName]]);
  await scenario.expectQuiet(10, { pools: [pool.name], namespaces: ['default'] });
}

/** Its only node is replaced as unhealthy, and the pod of the workload that is named as the pool runs on the new one. */
async function expectRepaired(world: World, pool: OwnPool, before: SeenClaim | undefined): Promise<void> {
  const scenario = new Scenario(world);
  await world.until(
    'the node is replaced',
    async () => {
      const claims = await pool.claims(world);
      return claims.length === 1 && claims[0]?.name !== before?.name;
    },
    120,
  );
  await scenario.expectDecision(`NodeClaim/${before?.name ?? ''}`, 'Disrupt', 'Unhealthy');
  await scenario.expectScheduled({ app: pool.name, pods: 1, whereFirstPlanned: false });
}
