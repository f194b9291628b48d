/**
 * `helm upgrade` from a chart that was packaged at an earlier commit, the first that had one. The package is stored, since checkouts of CI
 * have no history: `git archive 6c4aa8c0 charts/berth | tar -x`, `helm package charts/berth`.
 */
import { join } from 'node:path';
import { deployment, nodeClass, nodePool } from '../../../scenario/objects.js';
import { Scenario } from '../../../scenario/scenario.js';
import { forbiddenRequests } from '../../berth/account-rights.js';
import { BerthCluster } from '../../berth/berth-cluster.js';
import { berthCommand } from '../../berth/berth-command.js';
import { shippedCommand, upgradeWithSameValues } from '../../berth/chart.js';
import { NODE_CLAIMS, POLICY_STATUSES, RESERVATIONS } from '../../berth/kinds.js';
import { RealWorld } from '../../berth/real-world.js';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../fixture/api/kube-object.js';

const EARLIER = join(import.meta.dirname, 'earlier/berth-6c4aa8c0.tgz');
const PODS_WANTED = 6;

/** What must be the same afterwards. */
interface Kept {
  readonly definitions: readonly string[];
  readonly claims: readonly string[];
  readonly policies: readonly string[];
  readonly instances: number;
}

describe('charts/berth after the chart of an earlier commit', () => {
  let berth: BerthCluster;
  let scenario: Scenario;
  let before: Kept;
  let printed: string;
  /** Requests until the upgrade, which the earlier chart's rights did not all allow. */
  let earlierRequests: number;

  beforeAll(async () => {
    const values = { 'settings.retired': 'yes', 'settings.batchMaxDuration': '7s' };
    berth = await BerthCluster.start({
      level: 'L0',
      chart: { values },
      chartPackage: EARLIER,
      controlPlane: { audit: true },
    });
    scenario = new Scenario(new RealWorld(berth));
    await scenario.given(nodeClass(), nodePool());
    await scenario.whenApplied(deployment({ name: 'web', replicas: PODS_WANTED }));
    await scenario.expectScheduled({ app: 'web', pods: PODS_WANTED, whereFirstPlanned: false });
    await berth.berth.terminate();
    before = await kept();
    earlierRequests = berth.cluster.auditEvents().length;
    printed = await upgradeWithSameValues(berth.cluster);
  }, 300_000);

  afterAll(async () => {
    await berth.stop();
  });

  async function kept(): Promise<Kept> {
    const { api } = berth.cluster;
    const [definitions, claims, policies] = await Promise.all([
      api.list(CUSTOM_RESOURCE_DEFINITIONS),
      api.list(NODE_CLAIMS),
      api.list(POLICY_STATUSES),
    ]);
    const named = ({ metadata: { name, uid } }: { metadata: { name: string; uid: string } }): string =>
      `${name} ${uid}`;
    return {
      definitions: definitions.items.map(named).sort(),
      claims: claims.items.map((claim) => `${named(claim)} ${JSON.stringify(claim.spec)}`).sort(),
      policies: policies.items.map(named).sort(),
      instances: berth.instances.instances().length,
    };
  }

  test('definitions are the same objects, with the fields of today, and nothing of their kinds is lost', async () => {
    expect(before.claims.length).toBeGreaterThan(0);
    expect(before.policies.length).toBeGreaterThan(0);
    expect(await kept()).toEqual(before);
    await expect(berth.cluster.kubectl(['explain', 'decision.spec.proposal.evictions'])).resolves.toContain(
      'FIELD: evictions',
    );
    await expect(berth.cluster.api.list(RESERVATIONS)).resolves.toBeDefined();
  });

  test('values stay, and helm reports those that the chart does not have', async () => {
    expect(printed).toContain('settings.retired: not a value of this chart');
    expect(printed.match(/not a value of this chart/g)).toHaveLength(1);
    expect((await shippedCommand(berth.cluster)).env).toMatchObject({ BATCH_MAX_SECONDS: '7' });
  });

  test('a flag that the program does not have ends it with its name', async () => {
    const { flags } = await shippedCommand(berth.cluster);
    const answer = await berthCommand(['controller', ...flags, '--retired=yes'], berth.cluster);
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toContain('--retired');
  });

  test('Berth goes on with its nodes, launches others, and asks for nothing that is forbidden', async () => {
    await berth.startBerth();
    await scenario.whenScaled('web', 4 * PODS_WANTED);
    await scenario.expectScheduled({ app: 'web', pods: 4 * PODS_WANTED, whereFirstPlanned: false });
    const after = await kept();
    expect(after.claims).toEqual(expect.arrayContaining([...before.claims]));
    expect(after.instances).toBeGreaterThan(before.instances);
    const events = berth.cluster.auditEvents().slice(earlierRequests);
    expect(forbiddenRequests(events, 'berth-controller')).toEqual([]);
  });
});
