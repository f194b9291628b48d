/** Repair, live: which unhealthy nodes are replaced. Karpenter's KWOK provider has policies for conditions that only it knows. */
import type { LiveFact } from '../live-fact.js';
import { SMALL } from '../stage/instance-types.js';
import { PROTECTED } from '../stage/pods.js';
import type { PoolTerms } from '../stage/pool.js';
import type { Stage } from '../stage/stage.js';

/** Tolerated for half a minute; in Berth a policy of the NodePool says so, since it has none of its own for it. */
const BAD = 'KWOKUnhealthy';
const TOLERATED = 30;
const FULL = { cpu: '1500m' };

const REPAIRED: PoolTerms = {
  consolidateAfter: 'Never',
  budgets: [{ nodes: '100%' }],
  berth: {
    repair: {
      policies: [
        {
          ...{ conditionType: BAD, conditionStatus: 'True' },
          ...{ tolerationDuration: '30s', terminationGracePeriod: '45s' },
        },
      ],
    },
  },
};

async function withNode(stage: Stage): Promise<void> {
  await stage.pool(REPAIRED);
  await stage.nodes(['a']);
}

/** Another NodePool with a node `j` that is unhealthy from now on; what was seen when that had gone. */
async function besideUnhealthy(stage: Stage, act: () => Promise<unknown>): Promise<unknown> {
  await stage.pool(REPAIRED, 'control');
  await stage.nodes(['j'], { pool: 'control' });
  await act();
  await stage.seconds(2);
  await stage.condition('j', BAD);
  await stage.gone('j');
  return stage.seen();
}

const REPAIRS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'launches a replacement for the pods of an unhealthy node',
    play: async (stage) => {
      await withNode(stage);
      await stage.pods('a', FULL);
      await stage.condition('a', BAD);
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: [], launched: [SMALL] },
  },
  {
    fact: 'deletes an empty unhealthy node without a replacement',
    play: async (stage) => {
      await withNode(stage);
      await stage.condition('a', BAD);
      await stage.gone('a');
      await stage.seconds(5);
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: [], launched: [] },
  },
  {
    fact: 'repairs a node that is annotated do-not-disrupt',
    play: async (stage) => {
      await withNode(stage);
      await stage.mark('a', { annotations: PROTECTED });
      await stage.condition('a', BAD);
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: [], launched: [] },
  },
  {
    fact: 'leaves a node that is annotated do-not-repair, and says so',
    play: async (stage) => {
      await withNode(stage);
      return besideUnhealthy(stage, async () => {
        await stage.mark('a', { annotations: { 'karpenter.sh/do-not-repair': 'true' } });
        await stage.condition('a', BAD);
      });
    },
    seen: { gone: ['j'], stayed: ['a'], launched: [] },
  },
  {
    fact: 'rounds the 20 % up, so that one bad node of three is repaired, and two are not',
    play: async (stage) => {
      await stage.pool(REPAIRED);
      await stage.nodes(['a', 'b', 'c']);
      await stage.pool(REPAIRED, 'one');
      await stage.nodes(['d', 'e', 'f'], { pool: 'one' });
      await stage.condition('a', BAD);
      await stage.condition('b', BAD);
      await stage.seconds(2);
      await stage.condition('d', BAD);
      await stage.gone('d');
      return stage.seen();
    },
    seen: { gone: ['d'], stayed: ['a', 'b', 'c', 'e', 'f'], launched: [] },
  },
];

const POLICIES: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'tolerates a bad condition for as long as its policy says, and no longer',
    play: async (stage) => {
      await withNode(stage);
      await stage.condition('a', BAD);
      const from = stage.now();
      await stage.gone('a');
      // A condition has no fractions of seconds.
      return { ...stage.seen(), waited: (stage.at('a').goneAt ?? 0) - from >= TOLERATED - 1 };
    },
    seen: { gone: ['a'], stayed: [], launched: [], waited: true },
  },
  {
    fact: 'leaves nodes whose conditions are of another type or status than the policies name',
    play: async (stage) => {
      await withNode(stage);
      await stage.nodes(['b']);
      return besideUnhealthy(stage, async () => {
        await stage.condition('a', BAD, 'False');
        await stage.condition('b', 'KWOKOther');
      });
    },
    seen: { gone: ['j'], stayed: ['a', 'b'], launched: [] },
  },
];

export const REPAIR: readonly LiveFact[] = [
  ...REPAIRS.map((fact) => ({ suite: 'Repair', ...fact })),
  ...POLICIES.map((fact) => ({ suite: 'Repair policies', ...fact })),
];
