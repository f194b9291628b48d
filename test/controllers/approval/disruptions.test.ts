/** Disruptions under `--mode approve`: they wait as Decisions, unless nodes go whatever happens. */
import { instanceID } from '../../../src/domain/nodes/node-claim.js';
import { phaseOf } from '../../../src/domain/records/decision.js';
import { DisruptionWorld } from '../disruption/disruption-world.js';

const MINUTE_MILLIS = 60_000;
const POOL = { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } };
/** A pod that takes an instance for itself. */
const BIG = { requests: { cpu: '3500m' } };
/** Launches never wait. */
const DISRUPTIONS = { approveAboveNodes: 0, approveAbovePrice: 1e6 };

async function settled(pods: number, settings: DisruptionWorld['approval'] = {}): Promise<DisruptionWorld> {
  const made = new DisruptionWorld(POOL);
  const first = made.start();
  made.deploy('web', pods, BIG);
  expect(
    await made.until(() => made.claimsWith('Initialized').length === pods && made.unbound().length === 0),
  ).toBeLessThan(120);
  first.kill();
  made.approval = settings;
  made.start();
  return made;
}

async function proposed(made: DisruptionWorld): Promise<void> {
  expect(await made.until(() => made.proposals('Proposed').length === 1)).toBeLessThan(120);
}

describe('a voluntary disruption that needs approval', () => {
  test('waits as a Decision; nothing is marked, tainted or evicted', async () => {
    const made = await settled(2);
    made.scale('web', 1);
    await proposed(made);
    await made.rest(600);
    const [decision, ...others] = made.proposals();
    expect(others).toEqual([]);
    expect(decision?.name).toMatch(/^empty-[0-9a-f]{8}$/);
    expect(decision?.spec).toMatchObject({
      action: 'Propose',
      reason: 'Empty',
      proposal: { act: 'Disruption', price: 0, nodes: 1, evictions: 0 },
    });
    expect(made.tainted()).toEqual([]);
    expect(made.claims().every(({ status }) => status.disruption === undefined)).toBe(true);
    const told = made.told.decisions.filter(({ reason }) => reason === 'AwaitsApproval');
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringContaining(`berth approve ${decision?.name ?? ''}`),
    ]);
  });

  test('is carried out when it is approved, and the Decision says by whom', async () => {
    const made = await settled(2);
    made.scale('web', 1);
    await proposed(made);
    made.say('approved');
    expect(await made.until(() => made.claims().length === 1)).toBeLessThan(120);
    expect(await made.until(() => made.proposals('CarriedOut').length === 1)).toBeLessThan(60);
    const [decision] = made.proposals();
    expect(decision).toMatchObject({ outcome: '1 node removed', progress: { by: 'ana' } });
  });

  test('with a replacement evicts its pods only after it is approved', async () => {
    const made = await settled(1);
    made.deploy('small', 1, { requests: { cpu: '400m' } });
    await made.pass(20);
    made.scale('web', 0);
    await proposed(made);
    const [decision] = made.proposals();
    expect(decision?.spec.proposal).toMatchObject({ nodes: 1, evictions: 1, nodePools: ['general'] });
    expect(decision?.spec.proposal.price).toBeCloseTo(0.085);
    made.say('approved');
    expect(await made.until(() => made.instanceTypes().join() === 'c5.large')).toBeLessThan(300);
    expect(await made.until(() => made.proposals('CarriedOut').length === 1)).toBeLessThan(60);
    expect(made.unbound()).toEqual([]);
  });

  test('is left alone for --reject-for when it is rejected', async () => {
    const made = await settled(2, { rejectionMillis: 30 * MINUTE_MILLIS });
    made.scale('web', 1);
    await proposed(made);
    const [rejected] = made.proposals();
    made.say('rejected');
    await made.rest(28 * 60);
    const isAbout = (claims: readonly string[]): boolean =>
      claims.join() === rejected?.spec.proposal.nodeClaims.join();
    const again = (): number =>
      made.proposals().filter(({ spec }) => isAbout(spec.proposal.nodeClaims)).length;
    expect(again()).toBe(1);
    expect(made.claims()).toHaveLength(2);
    await made.rest(5 * 60);
    expect(again()).toBe(2);
  });

  test('is superseded, approved or not, when it would not be done any more', async () => {
    const made = await settled(2);
    made.scale('web', 1);
    await proposed(made);
    made.scale('web', 2);
    await made.pass(30);
    expect(made.unbound()).toEqual([]);
    made.say('approved');
    await made.pass(60);
    expect(made.claims()).toHaveLength(2);
    expect(made.proposals().map(phaseOf)).toEqual(['Superseded']);
  });

  test('that nobody looks at is checked again after ten minutes', async () => {
    const made = await settled(2);
    made.scale('web', 1);
    await proposed(made);
    made.scale('web', 2);
    await made.rest(11 * 60);
    expect(made.proposals().map(phaseOf)).toEqual(['Superseded']);
  });

  test('waits for its budget after it was approved', async () => {
    const made = await settled(2);
    made.scale('web', 1);
    await proposed(made);
    made.policies({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] } });
    await made.pass(5);
    made.say('approved');
    await made.rest(300);
    expect(made.claims()).toHaveLength(2);
    expect(made.proposals().map(phaseOf)).toEqual(['Approved']);
    made.policies(POOL);
    expect(await made.until(() => made.claims().length === 1)).toBeLessThan(240);
  });
});

test('a disruption within the thresholds does not wait', async () => {
  const made = await settled(2, { approveAboveNodes: 1 });
  made.scale('web', 1);
  expect(await made.until(() => made.claims().length === 1)).toBeLessThan(120);
  expect(made.proposals()).toEqual([]);
});

test('an interrupted node with a proposal is replaced at once, and its proposal is superseded', async () => {
  const made = await settled(1, DISRUPTIONS);
  made.deploy('small', 1, { requests: { cpu: '400m' } });
  await made.pass(20);
  made.scale('web', 0);
  await proposed(made);
  const [claim] = made.claims();
  made.queue.send({ kind: 'SpotInterruption', instanceIDs: [instanceID(claim?.status.providerID ?? '')] });
  expect(await made.until(() => made.claim(claim?.name ?? '') === undefined)).toBeLessThan(120);
  await made.pass(60);
  expect(made.unbound()).toEqual([]);
  expect(made.proposals()[0]).toMatchObject({ progress: { phase: 'Superseded' } });
});

test('a proposal takes up the budget for other disruptions, and not that for repair', async () => {
  const made = await settled(3, { proposalExpiryMillis: 600 * MINUTE_MILLIS });
  made.policies({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } });
  made.scale('web', 2);
  await proposed(made);
  const kept = made.proposals()[0]?.spec.proposal.nodeClaims ?? [];
  const sick = made.claims().find(({ name }) => !kept.includes(name));
  const node = made.nodes().find(({ name }) => name === sick?.status.nodeName);
  if (node === undefined) throw new Error('it has no node');
  made.objects.put('Node', {
    ...node,
    conditions: [{ type: 'StorageReady', status: 'False', reason: '', since: made.clock.now() }],
  });
  await made.rest(1700);
  expect(made.proposals('Proposed')).toHaveLength(1);
  expect(await made.until(() => made.claim(sick?.name ?? '') === undefined)).toBeLessThan(300);
});
