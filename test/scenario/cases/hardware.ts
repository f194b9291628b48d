/** Nodes with what only some instance types have. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import { unscheduledMessage } from '../told.js';
import type { World } from '../world.js';

const TYPE = 'node.kubernetes.io/instance-type';

export const HARDWARE: readonly ScenarioCase[] = [
  {
    name: 'an EC2NodeClass with enclaveOptions launches instances with Nitro Enclaves, and pods that want another type learn why',
    run: enclaves,
  },
  {
    name: 'pods that request vpc.amazonaws.com/efa get an instance that is launched with Elastic Fabric Adapters, and others one without',
    run: adapters,
  },
];

/** An m5.large is the cheapest for the pod, and has none. */
async function enclaves(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('enclaves');
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'enclaves' };
  await scenario.given(
    nodeClass('enclaves', { enclaveOptions: { enabled: true } }),
    pool.manifest({ template: { nodeClassRef }, requirements: { [TYPE]: ['m5.large', 'm5.xlarge'] } }),
  );
  const requests = { cpu: '500m' };
  await scenario.whenApplied(deployment({ name: 'sealed', requests, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'sealed', pods: 1 });
  const claims = await pool.expectSettled(world, 1);
  expect(claims.map(({ instanceType }) => instanceType)).toEqual(['m5.xlarge']);
  expect(pool.instances(world).map((instance) => instance.enclaves)).toEqual([true]);
  await scenario.whenApplied(
    deployment({ name: 'small', requests, pod: pool.wanted({ [TYPE]: 'm5.large' }) }),
  );
  expect(await unscheduledMessage(world, 'small', 'm5.large')).toContain(
    'EC2NodeClass enclaves excludes the instance types that fit (m5.large): spec.enclaveOptions.enabled needs Nitro Enclaves',
  );
  await pool.expectSettled(world, 1);
}

/** A g4dn.8xlarge has 32 vCPUs, and can have one adapter. */
async function adapters(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('adapters');
  await scenario.given(
    nodeClass(),
    pool.manifest({ requirements: { [TYPE]: ['m5.large', 'g4dn.8xlarge'] } }),
  );
  await scenario.whenApplied(deployment({ name: 'plain', requests: { cpu: '24' }, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'plain', pods: 1 });
  await pool.expectSettled(world, 1);
  expect(pool.instances(world).map(({ efaInterfaces }) => efaInterfaces)).toEqual([0]);
  const requests = { cpu: '10', 'vpc.amazonaws.com/efa': '1' };
  await scenario.whenApplied(deployment({ name: 'mpi', requests, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'mpi', pods: 1 });
  const claims = await pool.expectSettled(world, 2, 120);
  expect(claims.map(({ instanceType }) => instanceType)).toEqual(['g4dn.8xlarge', 'g4dn.8xlarge']);
  expect(
    pool
      .instances(world)
      .map(({ efaInterfaces }) => efaInterfaces)
      .sort(),
  ).toEqual([0, 1]);
  const [plain, mpi] = await Promise.all(['plain', 'mpi'].map((app) => pool.podsOf(world, app)));
  expect(mpi?.[0]?.nodeName).not.toBe(plain?.[0]?.nodeName);
}
