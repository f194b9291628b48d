/** What waits under `--mode approve`, until somebody approves or rejects it. */
import { deployment, nodeClass } from '../objects.js';
import { OwnPool } from '../own-pool.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { SeenDecision, World } from '../world.js';

/** More than half of an m5.large. */
const ALONE = { cpu: '1500m' };
const NOW = {
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  consolidateAfter: '0s',
  budgets: [{ nodes: '100%' }],
};

export const APPROVALS: readonly ScenarioCase[] = [
  {
    name: 'with --mode approve a launch above a threshold waits until it is approved, and one below does not wait',
    flags: { mode: 'approve', 'approve-above-nodes': '1' },
    run: launchApproved,
  },
  {
    name: 'with --mode approve a rejected launch is not made, and another is',
    flags: { mode: 'approve', 'approve-above-nodes': '1' },
    run: launchRejected,
  },
  {
    name: 'with --mode approve empty nodes stay until their removal is approved',
    flags: { mode: 'approve', 'approve-above-nodes': '2' },
    run: removalApproved,
  },
];

async function launchApproved(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('approved');
  await scenario.given(nodeClass(), pool.manifest());
  await scenario.whenApplied(deployment({ name: 'large', replicas: 3, requests: ALONE, pod: pool.wanted() }));
  const waiting = await proposal(world, 'PendingPods', 'Proposed');
  await scenario.whenApplied(deployment({ name: 'small', requests: ALONE, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'small', pods: 1 });
  await world.quietFor(20);
  await pool.expectSettled(world, 1);
  await world.decide('approve', waiting.name);
  await scenario.expectScheduled({ app: 'large', pods: 3 });
  await pool.expectSettled(world, 4);
  await proposal(world, 'PendingPods', 'CarriedOut');
}

async function launchRejected(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('rejected');
  await scenario.given(nodeClass(), pool.manifest());
  await scenario.whenApplied(deployment({ name: 'large', replicas: 2, requests: ALONE, pod: pool.wanted() }));
  const waiting = await proposal(world, 'PendingPods', 'Proposed');
  await world.decide('reject', waiting.name);
  await proposal(world, 'PendingPods', 'Rejected');
  await scenario.whenApplied(deployment({ name: 'small', requests: ALONE, pod: pool.wanted() }));
  await scenario.expectScheduled({ app: 'small', pods: 1 });
  await world.quietFor(20);
  await pool.expectSettled(world, 1);
}

async function removalApproved(world: World): Promise<void> {
  const scenario = new Scenario(world);
  const pool = new OwnPool('removal');
  await scenario.given(nodeClass(), pool.manifest({ spec: { disruption: NOW } }));
  const app = 'removal';
  await scenario.whenApplied(deployment({ name: app, replicas: 3, requests: ALONE, pod: pool.wanted() }));
  // Three at once need approval, too.
  await world.until(
    'three nodes are there, approved where they have to be',
    async () => {
      for (const { name, phase } of await world.decisions())
        if (phase === 'Proposed') await world.decide('approve', name);
      return (await pool.claims(world)).filter(({ conditions }) => conditions.includes('Ready')).length === 3;
    },
    120,
  );
  await scenario.expectScheduled({ app, pods: 3 });
  await scenario.whenScaled(app, 0);
  const waiting = await proposal(world, 'Empty', 'Proposed');
  await world.quietFor(20);
  await pool.expectSettled(world, 3);
  await world.decide('approve', waiting.name);
  await pool.expectSettled(world, 0);
}

/** The first for this reason that is in this phase. */
function proposal(world: World, reason: string, phase: string): Promise<SeenDecision> {
  return world.until(
    `a proposal for ${reason} is ${phase}`,
    async () =>
      (await world.decisions()).find(
        (each) => each.action === 'Propose' && each.reason === reason && each.phase === phase,
      ),
    60,
  );
}
