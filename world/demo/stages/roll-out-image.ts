/** The third stage: Amazon publishes a newer image, and nodes move to it one by one, as their pools' budgets allow. */
import type { NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import { acceptedPolicies } from '../../../src/state/policies/accepted-policies.js';
import { BudgetWatch } from './budget-watch.js';
import { isCalm, liveClaims } from './cluster-view.js';
import { finding, type Finding, type Stage, type StageContext } from './stage.js';

/** Budgets let most pools replace one instance at a time, and each replacement boots first. */
const MOST_SECONDS = 1500;
const ALIAS = 'al2023@latest';

export const ROLL_OUT_IMAGE: Stage = {
  name: 'roll out',
  announcement: 'a newer image of Amazon Linux 2023 is published: nodes with the old image have drifted',
  run,
};

async function run(context: StageContext): Promise<readonly Finding[]> {
  const { cluster, clock, levers, say } = context;
  const users = nodeClassesWithAlias(context);
  const budgets = new BudgetWatch(cluster, 'Drifted');
  const drifting = liveClaims(cluster).filter(({ spec }) => users.has(spec.nodeClassRef.name));
  const others = liveClaims(cluster).filter((claim) => !drifting.includes(claim));
  const open = new Set(
    drifting.map(({ spec }) => spec.nodePool).filter((pool) => budgets.allowed(pool, clock.now()) > 0),
  );
  const closed = [...new Set(drifting.map(({ spec }) => spec.nodePool))].filter((pool) => !open.has(pool));
  if (closed.length > 0) say('budget', `${closed.join(', ')}: budgets allow no replacement at this time`);
  const newest = new Set(levers.publishImages());
  const onOldImage = (): readonly NodeClaim[] =>
    liveClaims(cluster).filter(
      ({ spec, status }) =>
        users.has(spec.nodeClassRef.name) && open.has(spec.nodePool) && !newest.has(status.imageID ?? ''),
    );
  const before = onOldImage().length;
  await context.until(MOST_SECONDS, () => {
    budgets.look(clock.now());
    return onOldImage().length === 0 && isCalm(cluster);
  });
  const left = others.filter(({ name }) => cluster.nodeClaims.get(name) !== undefined);
  return [
    {
      what: 'drifted nodes that may be replaced',
      expected: 'at least 1',
      seen: String(before),
      isMet: before > 0,
    },
    finding('of these, still on the old image', 0, onOldImage().length),
    finding('NodePools that exceeded their budget', 'none', budgets.offenders().join(', ') || 'none'),
    finding('nodes with custom images, unchanged', others.length, left.length),
  ];
}

function nodeClassesWithAlias({ cluster }: StageContext): ReadonlySet<string> {
  const { nodeClasses } = acceptedPolicies(
    cluster.policyConfigMaps.values(),
    cluster.policyStatuses.values(),
  );
  return new Set(
    nodeClasses.filter((nodeClass) => JSON.stringify(nodeClass).includes(ALIAS)).map(({ name }) => name),
  );
}
