/** Emptiness and budgets, live: which empty nodes go, and how many at once. */
import { PODS } from '../../controlplane/fixture/api/kube-object.js';
import type { LiveFact } from '../live-fact.js';
import { PLACE } from '../stage/pool.js';
import { PROTECTED } from '../stage/pods.js';
import type { Stage } from '../stage/stage.js';

const THREE = ['a', 'b', 'c'];
const PROTECTION = 'karpenter.sh/do-not-disrupt';

/** Nearly all of a node, so that its pods fit on no other such node. */
const FULL = { cpu: '1500m' };

const EMPTY: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'deletes a node without pods, and launches nothing for it',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a', 'b']);
      await stage.pods('b', FULL);
      await stage.open();
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: ['b'], launched: [] },
  },
  {
    fact: 'deletes a node whose pods all belong to DaemonSets',
    play: async (stage) => {
      await stage.pool({ policy: 'WhenEmpty' });
      await stage.nodes(['a', 'b']);
      await stage.daemonSet([PLACE, 'a']);
      await stage.pods('b');
      await stage.open();
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: ['b'], launched: [] },
  },
  {
    fact: 'deletes all empty nodes together, in one command',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(THREE);
      await stage.open();
      await stage.gone(...THREE);
      return { ...stage.seen(), atOnce: stage.mostAtOnce(THREE) };
    },
    seen: { gone: THREE, stayed: [], launched: [], atOnce: 3 },
  },
  {
    fact: 'deletes an empty node that has drifted, without a replacement',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a']);
      await stage.change({ labels: { revision: '2' } });
      await stage.until(async () => (await stage.having('Drifted')).length === 1);
      await stage.open();
      await stage.gone('a');
      await stage.seconds(5);
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: [], launched: [] },
  },
  {
    fact: 'leaves an empty node that is annotated do-not-disrupt, and not one where the annotation is false',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a', 'b']);
      await stage.mark('a', { annotations: PROTECTED });
      await stage.mark('b', { annotations: { [PROTECTION]: 'false' } });
      await stage.open();
      await stage.gone('b');
      return stage.seen();
    },
    seen: { gone: ['b'], stayed: ['a'], launched: [] },
  },
  {
    fact: 'leaves a node whose only pod is of a DaemonSet and annotated do-not-disrupt',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a', 'b']);
      await stage.daemonSet([PLACE, 'a'], { annotations: PROTECTED });
      await stage.daemonSet([PLACE, 'b']);
      await stage.open();
      await stage.gone('b');
      return stage.seen();
    },
    seen: { gone: ['b'], stayed: ['a'], launched: [] },
  },
  {
    fact: 'keeps an empty node until consolidateAfter has passed since its last pod left',
    play: async (stage) => {
      await stage.pool({ consolidateAfter: '30s' });
      await stage.nodes(['a']);
      const group = await stage.pods('a', { owner: 'none' });
      await stage.open();
      await stage.cluster.api.delete(PODS, { name: `${group}-0` });
      const from = stage.now();
      await stage.gone('a');
      return { ...stage.seen(), waited: (stage.at('a').goneAt ?? 0) - from >= 29 };
    },
    seen: { gone: ['a'], stayed: [], launched: [], waited: true },
  },
];

/** Of empty nodes under these budgets: what went in the end, and how many at once. */
async function emptied(
  stage: Stage,
  budgets: readonly unknown[] | 'default',
  places = THREE,
): Promise<unknown> {
  await stage.pool();
  await stage.nodes(places);
  await stage.quiet();
  await stage.change({ budgets });
  await stage.gone(...places);
  const { gone } = stage.seen();
  return { gone: gone.filter((place) => places.includes(place)), atOnce: stage.mostAtOnce(places) };
}

/** Empty nodes `a` of a NodePool with these budgets, and `b` of one that lets all go; what was seen when `b` had gone. */
async function besideAnOpenPool(stage: Stage, budgets: readonly unknown[]): Promise<unknown> {
  await stage.pool();
  await stage.pool({}, 'control');
  await stage.nodes(['a']);
  await stage.nodes(['b'], { pool: 'control' });
  await stage.quiet();
  await stage.change({ budgets });
  await stage.open('control');
  await stage.gone('b');
  return stage.seen();
}

const BUDGETS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'lets no node go at 0, nor at 0 %',
    play: async (stage) => {
      await stage.pool({ budgets: [{ nodes: '0%' }] }, 'percent');
      await stage.nodes(['c'], { pool: 'percent' });
      return besideAnOpenPool(stage, [{ nodes: '0' }]);
    },
    seen: { gone: ['b'], stayed: ['a', 'c'], launched: [] },
  },
  {
    fact: 'rounds a percentage of the nodes up',
    play: (stage) => emptied(stage, [{ nodes: '34%' }]),
    seen: { gone: THREE, atOnce: 2 },
  },
  {
    fact: 'lets a count of empty nodes go',
    play: (stage) => emptied(stage, [{ nodes: '2' }]),
    seen: { gone: THREE, atOnce: 2 },
  },
  {
    fact: 'goes by the smallest of several budgets',
    play: (stage) => emptied(stage, [{ nodes: '100%' }, { nodes: '1' }, { nodes: '2' }]),
    seen: { gone: THREE, atOnce: 1 },
  },
  {
    fact: 'is only for the reasons that it names',
    play: async (stage) => {
      await stage.pool();
      await stage.pool({}, 'control');
      await stage.nodes(['a', 'b', 'c']);
      await stage.nodes(['d', 'e'], { pool: 'control' });
      await stage.pods('a', { pool: stage.key });
      await stage.pods('b', { count: 2, pool: stage.key });
      await stage.pods('d', { count: 2, pool: stage.poolName('control') });
      await stage.pods('e', { count: 3, pool: stage.poolName('control') });
      await stage.open('control');
      await stage.change({ budgets: [{ nodes: '0', reasons: ['Underutilized'] }, { nodes: '100%' }] });
      await stage.gone('c', 'd');
      return stage.seen();
    },
    seen: { gone: ['c', 'd'], stayed: ['a', 'b', 'e'], launched: [] },
  },
  {
    fact: 'is of each NodePool alone: half of three nodes are two of each',
    play: async (stage) => {
      await stage.pool({}, 'other');
      await stage.nodes(['d', 'e', 'f'], { pool: 'other' });
      await stage.quiet();
      await stage.change({ budgets: [{ nodes: '50%' }] }, 'other');
      const own = await emptied(stage, [{ nodes: '50%' }]);
      await stage.gone('d', 'e', 'f');
      return { own, other: stage.mostAtOnce(['d', 'e', 'f']) };
    },
    seen: { own: { gone: ['a', 'b', 'c'], atOnce: 2 }, other: 2 },
  },
];

/** The first of a month that is not near, at midnight. */
function otherDay(): string {
  return `0 0 1 ${String(((new Date().getUTCMonth() + 6) % 12) + 1)} *`;
}

const SCHEDULES: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'holds without end where it starts again before its duration is over',
    play: (stage) => besideAnOpenPool(stage, [{ nodes: '0', schedule: '* * * * *', duration: '2m' }]),
    seen: { gone: ['b'], stayed: ['a'], launched: [] },
  },
  {
    fact: 'lets everything go while no budget holds',
    play: (stage) => emptied(stage, [{ nodes: '0', schedule: otherDay(), duration: '1h' }]),
    seen: { gone: THREE, atOnce: 3 },
  },
  {
    fact: 'is a tenth of the nodes where a NodePool says nothing of budgets',
    play: (stage) => emptied(stage, 'default'),
    seen: { gone: THREE, atOnce: 1 },
  },
];

export const EMPTINESS: readonly LiveFact[] = [
  ...EMPTY.map((fact) => ({ suite: 'Emptiness', ...fact })),
  ...BUDGETS.map((fact) => ({ suite: 'Budget', ...fact })),
  ...SCHEDULES.map((fact) => ({ suite: 'Budget in a NodePool', ...fact })),
];
