/** Launches under `--mode approve`: they wait as Decisions, and are carried out when somebody approves them. */
import { phaseOf } from '../../../src/domain/records/decision.js';
import { DisruptionWorld } from '../disruption/disruption-world.js';

const MINUTE_MILLIS = 60_000;
const POOL = { disruption: { consolidateAfter: 'Never' } };
/** A pod that takes an instance for itself: c5.xlarge, 0.17 USD/h. */
const BIG = { requests: { cpu: '3500m' } };

function world(approval: DisruptionWorld['approval'] = {}): DisruptionWorld {
  const made = new DisruptionWorld(POOL);
  made.approval = approval;
  return made;
}

function told(made: DisruptionWorld, reason: string): readonly string[] {
  return made.told.decisions.filter((each) => each.reason === reason).map(({ message }) => message);
}

async function proposed(made: DisruptionWorld, count = 1): Promise<void> {
  expect(await made.until(() => made.proposals('Proposed').length === count)).toBeLessThan(60);
}

async function bound(made: DisruptionWorld): Promise<void> {
  expect(await made.until(() => made.unbound().length === 0)).toBeLessThan(120);
}

describe('a launch that needs approval', () => {
  test('waits as a Decision with price, nodes and pods, and its pods say what they wait for', async () => {
    const made = world();
    made.start();
    made.deploy('web', 3, BIG);
    await proposed(made);
    await made.pass(120);
    expect(made.claims()).toEqual([]);
    const [decision, ...others] = made.proposals();
    expect(others).toEqual([]);
    expect(decision?.name).toMatch(/^launch-[0-9a-f]{8}$/);
    expect(decision?.spec).toMatchObject({
      action: 'Propose',
      reason: 'PendingPods',
      subject: { kind: 'NodePool', name: 'general' },
      proposal: { act: 'Launch', nodes: 3, evictions: 0, nodePools: ['general'] },
    });
    expect(decision?.spec.proposal.price).toBeCloseTo(0.51);
    expect(decision?.spec.proposal.pods).toHaveLength(3);
    expect(decision?.spec.message).toBe(
      '3 nodes of NodePool general for 3 pods: 0.5100 USD/h, at most 0.5760 USD/h (3 c5.xlarge)',
    );
    expect(told(made, 'AwaitsApproval')).toEqual(
      Array(3).fill(expect.stringContaining(`berth approve ${decision?.name ?? ''}`)),
    );
  });

  test('is made when it is approved: as many nodes as proposed, once, and the Decision says by whom', async () => {
    const made = world();
    made.start();
    made.deploy('web', 3, BIG);
    await proposed(made);
    made.say('approved', 'go');
    await bound(made);
    expect(await made.until(() => made.proposals('CarriedOut').length === 1)).toBeLessThan(30);
    expect(made.claims()).toHaveLength(3);
    const [decision] = made.proposals();
    expect(decision?.progress?.by).toBe('ana');
    expect(decision?.outcome).toBe('3 nodes launched');
    await made.rest(600);
    expect(made.claims()).toHaveLength(3);
    expect(made.proposals()).toHaveLength(1);
  });

  test('is never made when it is rejected, and proposed again only after --reject-for', async () => {
    const made = world({ rejectionMillis: 30 * MINUTE_MILLIS });
    made.start();
    made.deploy('web', 1, BIG);
    await proposed(made);
    made.say('rejected', 'too dear');
    await made.rest(29 * 60);
    expect(made.claims()).toEqual([]);
    expect(made.proposals().map(phaseOf)).toEqual(['Rejected']);
    expect(made.proposals()[0]?.outcome).toBe('rejected by ana: too dear');
    expect(told(made, 'LaunchRejected')).toEqual([expect.stringContaining('rejected by ana: too dear')]);
    await made.rest(120);
    expect(made.proposals().map(phaseOf)).toEqual(['Rejected', 'Proposed']);
    made.say('approved');
    await bound(made);
  });

  test('is approved by itself after --approve-after', async () => {
    const made = world({ approveAfterMillis: 10 * MINUTE_MILLIS });
    made.start();
    made.deploy('web', 1, BIG);
    await made.rest(9 * 60);
    expect(made.claims()).toEqual([]);
    await made.rest(90);
    expect(made.claims()).toHaveLength(1);
    expect(made.proposals()[0]?.progress).toMatchObject({ by: 'berth' });
  });

  test('expires when nobody says anything, and is proposed anew', async () => {
    const made = world({ proposalExpiryMillis: 10 * MINUTE_MILLIS });
    made.start();
    made.deploy('web', 1, BIG);
    await made.rest(11 * 60);
    expect(made.proposals().map(phaseOf)).toEqual(['Expired', 'Proposed']);
    expect(made.claims()).toEqual([]);
  });

  test('is superseded when its pods are gone', async () => {
    const made = world();
    made.start();
    made.deploy('web', 2, BIG);
    await proposed(made);
    made.scale('web', 0);
    await made.pass(15);
    expect(made.proposals().map(phaseOf)).toEqual(['Superseded']);
    made.deploy('other', 1, BIG);
    await proposed(made);
  });

  test('is made for the pods that are left when others are gone', async () => {
    const made = world();
    made.start();
    made.deploy('web', 3, BIG);
    await proposed(made);
    made.scale('web', 1);
    await made.pass(10);
    made.say('approved');
    await bound(made);
    expect(made.claims()).toHaveLength(1);
  });

  test('is superseded and proposed anew when it has become dearer than what was approved', async () => {
    const made = world();
    made.start();
    made.deploy('web', 1, { requests: { cpu: '1500m' } });
    await proposed(made);
    // Only the large types are left.
    for (const instanceType of ['c5.large', 'm5.large'])
      made.unavailableOfferings.mark({ instanceType }, made.clock.now());
    made.say('approved');
    await made.pass(60);
    expect(made.claims()).toEqual([]);
    expect(made.proposals().map(phaseOf)).toEqual(['Superseded', 'Proposed']);
    expect(made.proposals()[0]?.outcome).toContain('was approved');
  });
});

describe('what is within the thresholds', () => {
  test('never waits, while what is above them does', async () => {
    const made = world({ approveAbovePrice: 0.4 });
    made.start();
    made.deploy('small', 2, BIG);
    await bound(made);
    expect(made.proposals()).toEqual([]);
    made.deploy('large', 3, BIG);
    await proposed(made);
    made.deploy('late', 1, BIG);
    expect(
      await made.until(() => made.pods('late').every(({ nodeName }) => nodeName !== undefined)),
    ).toBeLessThan(120);
    expect(made.pods('large').every(({ nodeName }) => nodeName === undefined)).toBe(true);
    expect(made.claims()).toHaveLength(3);
  });

  test('is counted in nodes, too', async () => {
    const made = world({ approveAboveNodes: 2 });
    made.start();
    made.deploy('web', 2, BIG);
    await bound(made);
    made.deploy('more', 3, BIG);
    await proposed(made);
    expect(made.claims()).toHaveLength(2);
  });
});

test('as many launches wait as --max-proposals allows; the pods of others say so, and have their turn', async () => {
  const made = world({ mostProposals: 1 });
  made.start();
  made.deploy('web', 1, BIG);
  await proposed(made);
  made.deploy('other', 1, BIG);
  await made.pass(30);
  expect(made.proposals()).toHaveLength(1);
  expect(told(made, 'TooManyProposals')).not.toEqual([]);
  made.say('approved');
  await made.pass(60);
  expect(made.proposals().map(phaseOf)).toEqual(['CarriedOut', 'Proposed']);
});

test('a process without --mode approve ends the proposals of one before it, and launches', async () => {
  const made = world();
  const first = made.start();
  made.deploy('web', 1, BIG);
  await proposed(made);
  first.kill();
  made.approval = undefined;
  made.start();
  await bound(made);
  expect(made.proposals().map(phaseOf)).toEqual(['Superseded']);
});
