/** Pods that claim devices (dynamic resource allocation): GPUs of EC2 types, published by a driver once their nodes are up. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import { unscheduledMessage } from '../told.js';
import type { Manifest, World } from '../world.js';

const TYPE = 'node.kubernetes.io/instance-type';
const DRIVER = 'gpu.nvidia.com';
const flags = { 'ignore-dra-requests': 'false' };

export const DEVICES: readonly ScenarioCase[] = [
  {
    name: 'pods of a Deployment that claim a GPU each by a ResourceClaimTemplate get nodes with enough GPUs, and every pod is bound',
    flags,
    run: oneEach,
  },
  {
    name: 'a claim whose first choice of devices no instance type has gets the second (firstAvailable)',
    flags,
    run: secondChoice,
  },
  {
    name: 'a pod whose claim selects devices that no instance type has is refused, and the reason names the request',
    flags,
    run: nowhere,
  },
];

const GPU_CLASS: Manifest = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceClass',
  metadata: { name: DRIVER },
  spec: {
    selectors: [
      {
        cel: {
          expression: `device.driver == "${DRIVER}" && device.attributes["${DRIVER}"].type == "gpu"`,
        },
      },
    ],
  },
};

function product(name: string): Readonly<Record<string, unknown>> {
  const expression = `device.attributes["${DRIVER}"].productName == "${name}"`;
  return { deviceClassName: DRIVER, selectors: [{ cel: { expression } }] };
}

function template(name: string, request: Readonly<Record<string, unknown>>): Manifest {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name },
    spec: { spec: { devices: { requests: [{ name: 'gpu', ...request }] } } },
  };
}

/** Fields of the spec of pods with a claim of the template. */
function claiming(pool: OwnPool, name: string): Readonly<Record<string, unknown>> {
  return { ...pool.wanted(), resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: name }] };
}

/** A g4dn.xlarge has one GPU, a g4dn.12xlarge four. */
async function oneEach(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('devices');
  await scenario.given(
    nodeClass(),
    pool.manifest({ requirements: { [TYPE]: ['m5.large', 'g4dn.xlarge', 'g4dn.12xlarge'] } }),
    GPU_CLASS,
    template('one-gpu', { exactly: { deviceClassName: DRIVER } }),
  );
  await scenario.whenApplied(deployment({ name: 'trainer', replicas: 3, pod: claiming(pool, 'one-gpu') }));
  const pods = await scenario.expectScheduled({ app: 'trainer', pods: 3 });
  const claims = await pool.expectSettled(world, 3);
  expect(claims.map(({ instanceType }) => instanceType)).toEqual(Array(3).fill('g4dn.xlarge'));
  expect(new Set(pods.map(({ nodeName }) => nodeName)).size).toBe(3);
  await scenario.whenScaled('trainer', 4);
  await scenario.expectScheduled({ app: 'trainer', pods: 4 });
  await pool.expectSettled(world, 4);
}

async function secondChoice(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('second-choice');
  const choices = [
    { name: 'newest', ...product('NVIDIA B200') },
    { name: 'usual', ...product('NVIDIA A10G') },
  ];
  await scenario.given(
    nodeClass(),
    pool.manifest({ requirements: { [TYPE]: ['g4dn.xlarge', 'g5.xlarge'] } }),
    GPU_CLASS,
    template('newest-or-usual', { firstAvailable: choices }),
  );
  await scenario.whenApplied(deployment({ name: 'picky', pod: claiming(pool, 'newest-or-usual') }));
  await scenario.expectScheduled({ app: 'picky', pods: 1 });
  const claims = await pool.expectSettled(world, 1);
  expect(claims.map(({ instanceType }) => instanceType)).toEqual(['g5.xlarge']);
}

async function nowhere(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('no-devices');
  await scenario.given(
    nodeClass(),
    pool.manifest({ requirements: { [TYPE]: ['g4dn.xlarge', 'g5.xlarge'] } }),
    GPU_CLASS,
    template('rare-gpu', { exactly: product('NVIDIA H200') }),
  );
  await scenario.whenApplied(deployment({ name: 'rare', pod: claiming(pool, 'rare-gpu') }));
  expect(await unscheduledMessage(world, 'rare', 'rare-gpu')).toContain(
    'no instance type of the pool has a device for request gpu of default/rare-gpu',
  );
  await pool.expectSettled(world, 0);
}
