/** Drift that only the cloud, or EKS, can tell of: nodes are replaced by what their class says now. */
import { deployment, nodeClass } from '../scenario/objects.js';
import { OwnPool } from '../scenario/own-pool.js';
import { Scenario } from '../scenario/scenario.js';
import { SimulatedWorld } from './simulated-world.js';

const ALONE = { cpu: '1500m' };

/** A bundle as EKS tells it. */
function bundle(...certificates: readonly string[]): string {
  const texts = certificates.map(
    (text) =>
      `-----BEGIN CERTIFICATE-----\n${Buffer.from(text).toString('base64')}\n-----END CERTIFICATE-----\n`,
  );
  return Buffer.from(texts.join('')).toString('base64');
}

/** Two nodes of a pool on a class of its own. */
async function twoNodes(spec: Readonly<Record<string, unknown>> = {}) {
  const world = await SimulatedWorld.start({ aws: { certificateAuthority: bundle('first') } });
  for (const name of ['a', 'b']) world.aws.addPlacementGroup({ id: `pg-${name}`, name, strategy: 'spread' });
  const scenario = new Scenario(world);
  const pool = new OwnPool('drifting');
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'own' };
  const disruption = { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' };
  await scenario.given(
    nodeClass('own', spec),
    pool.manifest({ template: { nodeClassRef }, spec: { disruption } }),
  );
  await scenario.whenApplied(deployment({ name: 'web', replicas: 2, requests: ALONE, pod: pool.wanted() }));
  const before = (await pool.expectSettled(world, 2)).map(({ name }) => name);
  /** All nodes are others than at first. */
  const replaced = (): Promise<unknown> =>
    world.until(
      'both nodes are others',
      async () => {
        const names = (await pool.claims(world)).map(({ name }) => name);
        return names.length === 2 && !names.some((name) => before.includes(name));
      },
      1800,
    );
  const reasons = async (): Promise<readonly string[]> =>
    (await world.decisions())
      .filter(({ action, subject }) => action === 'Disrupt' && subject.startsWith('NodeClaim/'))
      .map(({ message }) => message);
  return { world, pool, before, replaced, reasons };
}

test('nodes are replaced when EKS has another CA bundle for the cluster, and not for the same certificates in another order', async () => {
  const { world, pool, before, replaced, reasons } = await twoNodes();
  world.aws.setCertificateAuthority(bundle('second', 'first'));
  await replaced();
  expect(await reasons()).toEqual([
    expect.stringContaining('the CA bundle of the cluster') as string,
    expect.stringContaining('the CA bundle of the cluster') as string,
  ]);
  const names = (await pool.expectSettled(world, 2, 180)).map(({ name }) => name);
  expect(names).not.toEqual(before);
  world.aws.setCertificateAuthority(bundle('first', 'second'));
  await world.quietFor(1200);
  expect((await pool.claims(world)).map(({ name }) => name)).toEqual(names);
  await world.close();
});

test('nodes move with their class to another placement group, and stay in the one that it selects', async () => {
  const { world, pool, before, replaced, reasons } = await twoNodes({
    placementGroupSelector: { name: 'a' },
  });
  await world.quietFor(600);
  expect((await pool.claims(world)).map(({ name }) => name)).toEqual(before);
  await world.apply([nodeClass('own', { placementGroupSelector: { name: 'b' } })]);
  await replaced();
  expect(await reasons()).toEqual(
    [0, 1].map(
      () =>
        expect.stringContaining(
          'the instance is in placement group a, but EC2NodeClass own now selects placement group b',
        ) as string,
    ),
  );
  await world.close();
});
