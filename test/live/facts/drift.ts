/** Drift and expiration, live: what counts as drift, and what becomes of nodes that drifted or whose time is over. */
import type { LiveFact } from '../live-fact.js';
import { LARGE, MEDIUM, SMALL } from '../stage/instance-types.js';
import { PROTECTED } from '../stage/pods.js';
import { CLOSED, FACT } from '../stage/pool.js';
import type { Stage } from '../stage/stage.js';

/** Nearly all of a small node, so that two of them share none. */
const FULL = { cpu: '1500m' };
/** Only drifted nodes may go. */
const DRIFTED_ONLY = [{ nodes: '0', reasons: ['Empty', 'Underutilized'] }, { nodes: '100%' }];
const REVISION = { labels: { revision: '2' } };

/** Has all nodes of the NodePool drift, and lets them go. */
async function drift(stage: Stage): Promise<void> {
  await stage.quiet();
  await stage.change({ ...REVISION, budgets: DRIFTED_ONLY });
}

/** Two drifted nodes with a pod each, of which something holds `a`; what was seen when `b` had gone. */
async function besideDrifted(stage: Stage, hold: (stage: Stage) => Promise<unknown>): Promise<unknown> {
  await stage.pool();
  await stage.nodes(['a', 'b']);
  await stage.pods('b', FULL);
  await hold(stage);
  await drift(stage);
  await stage.gone('b');
  return stage.seen();
}

const ONE_REPLACED = { gone: ['b'], stayed: ['a'], launched: [SMALL] };

const DRIFT: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'launches a replacement for the pods of a drifted node, whatever it costs',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a']);
      await stage.pods('a', FULL);
      await stage.quiet();
      await stage.change({ types: [LARGE], budgets: DRIFTED_ONLY });
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: [], launched: [LARGE] },
  },
  {
    fact: 'launches nothing where the pods of the drifted node fit on others',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, LARGE] });
      await stage.nodes(['a'], { type: SMALL });
      await stage.nodes(['b'], { type: LARGE });
      await stage.pods('a', FULL);
      await stage.pods('b', FULL);
      await stage.quiet();
      await stage.change({ types: [LARGE], budgets: DRIFTED_ONLY });
      await stage.gone('a');
      await stage.seconds(5);
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: ['b'], launched: [] },
  },
  {
    fact: 'leaves a drifted node with a pod that is annotated do-not-disrupt',
    play: (stage) => besideDrifted(stage, () => stage.pods('a', { ...FULL, annotations: PROTECTED })),
    seen: ONE_REPLACED,
  },
  {
    fact: 'leaves a drifted node with a pod whose PodDisruptionBudget allows no eviction',
    play: (stage) => besideDrifted(stage, async () => stage.disruptionBudget(await stage.pods('a', FULL))),
    seen: ONE_REPLACED,
  },
  {
    fact: 'leaves a drifted node that is annotated do-not-disrupt, and not one where the annotation is false',
    play: (stage) =>
      besideDrifted(stage, async () => {
        await stage.pods('a', FULL);
        await stage.mark('a', { annotations: PROTECTED });
        await stage.mark('b', { annotations: { 'karpenter.sh/do-not-disrupt': 'false' } });
      }),
    seen: ONE_REPLACED,
  },
  {
    fact: 'replaces a node whose pods may not be evicted if its NodeClaim has a terminationGracePeriod, which consolidation does not',
    play: async (stage) => {
      await stage.pool({ terminationGracePeriod: '20s' });
      await stage.nodes(['a']);
      await stage.pods('a', { ...FULL, annotations: PROTECTED });
      await drift(stage);
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: [], launched: [SMALL] },
  },
  {
    fact: 'does not wait for consolidateAfter',
    play: async (stage) => {
      await stage.pool({ consolidateAfter: '1h' });
      await stage.nodes(['a']);
      await stage.pods('a', FULL);
      await drift(stage);
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: [], launched: [SMALL] },
  },
  {
    fact: 'deletes empty drifted nodes without replacements',
    play: async (stage) => {
      await stage.pool({ consolidateAfter: 'Never' });
      await stage.nodes(['a', 'b']);
      await drift(stage);
      await stage.gone('a', 'b');
      await stage.seconds(5);
      return stage.seen();
    },
    seen: { gone: ['a', 'b'], stayed: [], launched: [] },
  },
  {
    fact: 'comes after emptiness: where the budget allows one node, an empty one goes before a drifted one with pods',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, MEDIUM] });
      await stage.nodes(['a'], { type: SMALL });
      await stage.nodes(['b'], { type: MEDIUM });
      // What is empty cannot take the pod of the other.
      const nodeSelector = { [FACT]: stage.key, 'node.kubernetes.io/instance-type': SMALL };
      await stage.pods('a', { ...FULL, spec: { nodeSelector } });
      await stage.change({ types: [MEDIUM] });
      await stage.until(async () => (await stage.having('Drifted')).length > 0, 60);
      await stage.quiet();
      await stage.pool({ types: [SMALL] }, 'other');
      await stage.change({ budgets: [{ nodes: '1' }] });
      await stage.gone('a', 'b');
      const [first = 0, second = 0] = ['a', 'b'].map((place) => stage.at(place).goneAt);
      return { first: first < second ? 'drifted' : 'empty' };
    },
    seen: { first: 'empty' },
    berth: { first: 'drifted' },
  },
];

/**
 * Nodes `a` of a NodePool and `b` of another, both changed while nothing may go: the places that have drifted once one
 * has, and five seconds later.
 */
async function drifting(
  stage: Stage,
  before: Parameters<Stage['pool']>[0],
  after: Parameters<Stage['pool']>[0],
  control: Parameters<Stage['pool']>[0] = REVISION,
): Promise<readonly string[]> {
  await stage.pool(before);
  await stage.pool(before, 'control');
  await stage.nodes(['a']);
  await stage.nodes(['b'], { pool: 'control' });
  await stage.change({ ...after });
  await stage.change({ ...control }, 'control');
  const drifted = async (): Promise<readonly string[]> => [
    ...(await stage.having('Drifted')),
    ...(await stage.having('Drifted', 'control')),
  ];
  await stage.until(async () => (await drifted()).length > 0, 60);
  await stage.seconds(5);
  return drifted();
}

const RACK = { key: 'live.berth.sh/rack', operator: 'In', values: ['1'] };
const FIRST = { key: 'first', value: 'yes', effect: 'PreferNoSchedule' };
const SECOND = { ...FIRST, key: 'second' };
const THIRD = { ...FIRST, key: 'third' };

const FINDINGS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'finds drift when a label or an annotation of the template changes',
    play: (stage) => drifting(stage, {}, { annotations: { revision: '2' } }),
    seen: ['a', 'b'],
  },
  {
    fact: 'finds drift when a taint or a startup taint is added, and none when their order changes',
    play: (stage) =>
      drifting(stage, { taints: [FIRST, SECOND] }, { taints: [SECOND, FIRST] }, { startupTaints: [THIRD] }),
    seen: ['b'],
  },
  {
    fact: 'does not find drift when the weight, limits, replicas or the disruption block of the NodePool change',
    play: (stage) =>
      drifting(
        stage,
        {},
        { weight: 7, limits: { cpu: '1000' }, consolidateAfter: '1h', policy: 'WhenEmpty' },
      ),
    seen: ['b'],
  },
  {
    fact: 'finds drift when a requirement no longer allows what the node is',
    play: (stage) => drifting(stage, {}, { types: [MEDIUM] }, { types: [SMALL, MEDIUM] }),
    seen: ['a'],
  },
  {
    fact: 'finds drift when a requirement is added for a label that the node does not have',
    play: (stage) => drifting(stage, {}, { requirements: [RACK] }, {}),
    seen: ['a'],
  },
  {
    fact: 'does not find drift when a requirement allows more, or only asks that the label exists',
    play: (stage) => {
      const exists = { key: 'topology.kubernetes.io/zone', operator: 'Exists' };
      return drifting(stage, {}, { types: [SMALL, LARGE], requirements: [exists] });
    },
    seen: ['b'],
  },
  {
    fact: 'finds those NodeClaims of a changed NodePool drifted that no longer match, and no others',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, MEDIUM] });
      await stage.nodes(['a'], { type: SMALL });
      await stage.nodes(['b'], { type: MEDIUM });
      await stage.change({ types: [MEDIUM] });
      await stage.until(async () => (await stage.having('Drifted')).length > 0, 60);
      await stage.seconds(5);
      return stage.having('Drifted');
    },
    seen: ['a'],
  },
];

/** A node with a pod whose time is over after a minute. */
async function shortLived(stage: Stage, pod: Parameters<Stage['pods']>[1] = {}): Promise<string> {
  await stage.pool({ expireAfter: '60s', terminationGracePeriod: '20s', budgets: CLOSED });
  await stage.nodes(['a']);
  return stage.pods('a', { ...FULL, ...pod });
}

const EXPIRY: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'removes a node whose time is over, and none whose time is not',
    play: async (stage) => {
      await stage.pool({ expireAfter: '1h' }, 'control');
      await stage.nodes(['b'], { pool: 'control' });
      await shortLived(stage, { pool: stage.key });
      await stage.gone('a');
      const { gone, stayed } = stage.seen();
      return { gone, stayed };
    },
    seen: { gone: ['a'], stayed: ['b'] },
  },
  {
    fact: 'does not wait for disruption budgets',
    play: async (stage) => {
      await shortLived(stage);
      await stage.gone('a');
      return stage.seen().gone;
    },
    seen: ['a'],
  },
  {
    fact: 'does not wait for pods: neither do-not-disrupt nor PodDisruptionBudgets keep an expired node',
    play: async (stage) => {
      const group = await shortLived(stage, { annotations: PROTECTED });
      await stage.disruptionBudget(group);
      await stage.gone('a');
      return stage.seen().gone;
    },
    seen: ['a'],
  },
  {
    fact: 'deletes an expired node at once, and launches for its pods when they are evicted',
    play: async (stage) => {
      const group = await shortLived(stage);
      await stage.gone('a');
      await stage.launched(1);
      const evicted =
        stage.allPods().find(({ object }) => object.metadata.name === `${group}-0`)?.deletedAt ?? 0;
      return { first: evicted < (stage.further()[0]?.createdAt ?? 0) ? 'evicted' : 'launched' };
    },
    seen: { first: 'evicted' },
    berth: { first: 'launched' },
  },
];

export const DRIFT_AND_EXPIRATION: readonly LiveFact[] = [
  ...DRIFT.map((fact) => ({ suite: 'Drift', ...fact })),
  ...FINDINGS.map((fact) => ({ suite: 'Drift of NodeClaims', ...fact })),
  ...EXPIRY.map((fact) => ({ suite: 'Expiration', ...fact })),
];
