/** `berth doctor` on a healthy cluster, and with each of many faults planted in it. */
import { ExaminedCluster } from './examined-cluster.js';
import { ACCOUNT_FAULTS, joinByConfigMap } from './faults/account-faults.js';
import { INSTALLATION_FAULTS } from './faults/installation-faults.js';
import { giveScheduler } from './faults/planting.js';
import { POLICIES_FAULTS } from './faults/policies-faults.js';
import { SCHEDULING_FAULTS } from './faults/scheduling-faults.js';
import { WEBHOOKS_FAULTS } from './faults/webhooks-faults.js';

const PLANTED_FAULTS = [
  ...[...INSTALLATION_FAULTS, ...WEBHOOKS_FAULTS, ...SCHEDULING_FAULTS],
  ...[...POLICIES_FAULTS, ...ACCOUNT_FAULTS],
];

test('nothing is found in a healthy cluster', async () => {
  const cluster = await ExaminedCluster.healthy();
  const outcomes = await cluster.examine();
  expect(outcomes.filter(({ result }) => result !== 'ok')).toEqual([]);
  expect(outcomes.length).toBeGreaterThan(20);
});

test("nothing is found where the cluster's own kube-scheduler asks the extender", async () => {
  const cluster = await ExaminedCluster.healthy();
  giveScheduler(cluster);
  expect((await cluster.examine()).filter(({ result }) => result !== 'ok')).toEqual([]);
});

test('nothing is found where aws-auth lets the nodes join', async () => {
  const cluster = await ExaminedCluster.healthy();
  await joinByConfigMap(cluster);
  const outcomes = await cluster.examine();
  expect(outcomes.filter(({ result }) => result !== 'ok')).toEqual([]);
  expect(outcomes.map(({ evidence }) => evidence)).toContain(
    'nodes of the role berth-node join by the ConfigMap aws-auth',
  );
});

test('at least thirty faults are planted', () => {
  expect(PLANTED_FAULTS.length).toBeGreaterThanOrEqual(30);
});

test.each(PLANTED_FAULTS)('when $fault, $check finds it, and how to mend it', async (fault) => {
  const cluster = await ExaminedCluster.healthy();
  await fault.plant(cluster);
  const found = (await cluster.examine()).filter(({ result }) => result !== 'ok');
  const [own] = found.filter(({ check }) => check === fault.check);
  expect(own).toMatchObject({ result: fault.result });
  expect(own?.evidence).toMatch(fault.evidence);
  expect(own?.mend).toMatch(fault.mend);
  const others = [...new Set(found.map(({ check }) => check))].filter((check) => check !== fault.check);
  expect(others).toEqual(fault.also ?? []);
});
