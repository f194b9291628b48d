import { DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { join } from 'node:path';
import { folderManifests } from '../../world/demo/manifests/manifest-set.js';
import { NODE_FILES } from '../../src/app/process-io.js';
import { KILL_POINTS, trapped, type KillPoint } from './kill-points.js';
import { startSoakWorld, type SoakWorld } from './soak-world.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? '2');
const EXAMPLES = join(import.meta.dirname, '../../manifests/examples');
/** Three pods that each need a node of their own. */
const FOLDERS = ['shared', 'flexible'];
const REPLICAS = 9;

describe('Berth killed with SIGKILL in the middle of a launch', () => {
  test.concurrent.each(KILL_POINTS.map((point) => ({ point, name: point.name })))(
    `has as many instances as claims two minutes later, and each pod a node: $name (${String(ROUNDS)} rounds)`,
    async ({ point }) => {
      for (let round = 1; round <= ROUNDS; round++) expect(await killedAt(point, round)).toEqual(WELL);
    },
  );
});

interface Outcome {
  readonly kills: number;
  readonly instancesWithoutClaim: readonly string[];
  readonly claimsWithoutInstance: readonly string[];
  readonly podsWithoutNode: number;
}

const WELL: Outcome = { kills: 1, instancesWithoutClaim: [], claimsWithoutInstance: [], podsWithoutNode: 0 };

async function killedAt(point: KillPoint, seed: number): Promise<Outcome> {
  let kills = 0;
  const soak = await startSoakWorld({
    seed,
    around: (berth) => (service, handler) =>
      service !== point.service
        ? handler
        : trapped(handler, point, () => {
            kills++;
            berth().kill();
          }),
  });
  try {
    for (const folder of FOLDERS) await soak.apply(folderManifests(join(EXAMPLES, folder), NODE_FILES));
    await soak.until(`Berth is killed: ${point.name}`, 300, () => kills > 0);
    const killedAt = soak.clock.monotonic();
    await soak.until('two minutes have passed', 200, () => soak.clock.monotonic() - killedAt > 120_000);
    const found = await instancesAndClaims(soak);
    await soak.until('all pods have a node', 300, () => podsWithoutNode(soak) === 0);
    return { kills, ...found, podsWithoutNode: podsWithoutNode(soak) };
  } finally {
    await soak.close();
  }
}

async function instancesAndClaims({
  world,
}: SoakWorld): Promise<Pick<Outcome, 'instancesWithoutClaim' | 'claimsWithoutInstance'>> {
  const claimed = world.api.list('nodeclaims.berth.sh').map((claim) => {
    const { providerID } = (claim['status'] ?? {}) as { readonly providerID?: string };
    return providerID?.split('/').at(-1) ?? claim.metadata.name;
  });
  const instances = await runningInstances(world.awsURL);
  return {
    instancesWithoutClaim: instances.filter((id) => !claimed.includes(id)),
    claimsWithoutInstance: claimed.filter((id) => !instances.includes(id)),
  };
}

/** As EC2 lists them to anybody who asks. */
async function runningInstances(endpoint: string): Promise<readonly string[]> {
  const client = new EC2Client({
    region: 'eu-west-3',
    endpoint,
    credentials: { accessKeyId: 'nobody', secretAccessKey: 'nothing' },
  });
  try {
    const { Reservations = [] } = await client.send(
      new DescribeInstancesCommand({
        Filters: [{ Name: 'instance-state-name', Values: ['pending', 'running'] }],
        MaxResults: 1000,
      }),
    );
    return Reservations.flatMap(({ Instances = [] }) =>
      Instances.flatMap(({ InstanceId }) => InstanceId ?? []),
    );
  } finally {
    client.destroy();
  }
}

function podsWithoutNode({ world }: SoakWorld): number {
  const pods = world.api.list('pods', { namespace: 'example-flexible' });
  const bound = pods.filter((pod) => (pod['spec'] as { readonly nodeName?: string }).nodeName !== undefined);
  return Math.max(REPLICAS, pods.length) - bound.length;
}
