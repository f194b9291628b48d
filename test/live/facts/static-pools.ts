/** Static NodePools, live: how many nodes they have, which go when there are too many, and what becomes of drifted ones. */
import { DEPLOYMENTS } from '../../controlplane/fixture/api/kube-object.js';
import type { LiveFact } from '../live-fact.js';
import { SMALL } from '../stage/instance-types.js';
import { podTemplate, PROTECTED } from '../stage/pods.js';
import type { Stage } from '../stage/stage.js';

/** A label that a DaemonSet selects nodes by. */
const DAEMON = 'live.berth.sh/daemon';
const REVISION = { labels: { revision: '2' } };
const OPEN = [{ nodes: '100%' }];

function count(stage: Stage): number {
  return stage.live().length;
}

/** Waits until there are so many nodes, and five seconds more: how many there are then. */
async function settled(stage: Stage, nodes: number): Promise<number> {
  await stage.until(() => count(stage) === nodes, 60);
  await stage.seconds(5);
  return count(stage);
}

/** A static NodePool of two nodes `a` and `b`. */
async function two(stage: Stage, terms: Parameters<Stage['pool']>[0] = {}): Promise<void> {
  await stage.pool({ replicas: 2, ...terms });
  await stage.name(['a', 'b']);
}

/** One node is too many; what was seen when it had gone. */
async function oneLess(stage: Stage): Promise<unknown> {
  await stage.change({ replicas: 1 });
  await stage.until(() => stage.seen().gone.length > 0);
  return stage.seen();
}

const POOLS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'launches as many nodes as spec.replicas says, though there are no pods',
    play: async (stage) => {
      await stage.pool({ replicas: 3 });
      await settled(stage, 3);
      return stage.seen();
    },
    seen: { gone: [], stayed: [], launched: [SMALL, SMALL, SMALL] },
  },
  {
    fact: 'launches no more nodes than limits.nodes, and the rest once it is raised',
    play: async (stage) => {
      await stage.pool({ replicas: 3, limits: { nodes: '2' } });
      const limited = await settled(stage, 2);
      await stage.change({ limits: { nodes: '3' } });
      return { limited, raised: await settled(stage, 3) };
    },
    seen: { limited: 2, raised: 3 },
  },
  {
    fact: 'gives each node what the template of the NodePool says',
    play: async (stage) => {
      const taint = { key: 'live.berth.sh/kept', value: 'yes', effect: 'NoSchedule' };
      await stage.pool({
        replicas: 1,
        labels: { team: 'red' },
        annotations: { note: 'one' },
        taints: [taint],
      });
      await stage.name(['a']);
      const { metadata, spec } = stage.at('a').object;
      const taints = spec.taints?.map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`);
      return { team: metadata.labels?.['team'], note: metadata.annotations?.['note'], taints };
    },
    seen: { team: 'red', note: 'one', taints: ['live.berth.sh/kept=yes:NoSchedule'] },
  },
  {
    fact: 'launches no node for pods that a static NodePool could hold',
    play: async (stage) => {
      await stage.pool({ replicas: 1 });
      await stage.name(['a']);
      await stage.pool({}, 'control');
      for (const pool of ['', 'control']) {
        const name = stage.poolName(pool);
        const template = podTemplate(stage.key, `${name}-waiting`, { cpu: '1500m', pool: name });
        const selector = { matchLabels: { group: `${name}-waiting` } };
        await stage.make(DEPLOYMENTS, {
          metadata: { name: `${name}-waiting` },
          spec: { replicas: 2, selector, template },
        });
      }
      // One pod of the static NodePool has room, and the other waits.
      await stage.launched(2);
      await stage.seconds(10);
      return {
        launched: stage
          .further()
          .map(({ object }) => object.metadata.labels?.['karpenter.sh/nodepool'] !== stage.key),
        static: stage.running(`${stage.key}-waiting`).length,
      };
    },
    seen: { launched: [true, true], static: 1 },
  },
  {
    fact: 'deletes as many nodes as there are too many',
    play: async (stage) => {
      await stage.pool({ replicas: 3 });
      await stage.name(['a', 'b', 'c']);
      await stage.change({ replicas: 1 });
      return settled(stage, 1);
    },
    seen: 1,
  },
  {
    fact: 'deletes all nodes at zero replicas, protected ones too',
    play: async (stage) => {
      await two(stage);
      await stage.mark('a', { annotations: PROTECTED });
      await stage.change({ replicas: 0 });
      await stage.gone('a', 'b');
      return stage.seen();
    },
    seen: { gone: ['a', 'b'], stayed: [], launched: [] },
  },
  {
    fact: 'deletes nodes that have only pods of DaemonSets before those with other pods',
    play: async (stage) => {
      await two(stage);
      await stage.pods('a');
      await stage.mark('b', { labels: { [DAEMON]: 'yes' } });
      await stage.daemonSet([DAEMON, 'yes']);
      return oneLess(stage);
    },
    seen: { gone: ['b'], stayed: ['a'], launched: [] },
  },
  {
    fact: 'deletes nodes with a pod annotated do-not-disrupt last, however few pods they have',
    play: async (stage) => {
      await two(stage);
      await stage.pods('a', { annotations: PROTECTED });
      await stage.pods('b', { count: 3 });
      return oneLess(stage);
    },
    seen: { gone: ['b'], stayed: ['a'], launched: [] },
  },
  {
    fact: 'deletes an empty node annotated do-not-disrupt before a node with pods',
    play: async (stage) => {
      await two(stage);
      await stage.mark('a', { annotations: PROTECTED });
      await stage.pods('b');
      return oneLess(stage);
    },
    seen: { gone: ['a'], stayed: ['b'], launched: [] },
    berth: { gone: ['b'], stayed: ['a'], launched: [] },
  },
];

const DISRUPTIONS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'keeps an empty node',
    play: async (stage) => {
      await stage.pool({ replicas: 1 });
      await stage.name(['a']);
      await stage.pool({}, 'control');
      await stage.nodes(['b'], { pool: 'control' });
      await stage.open('', 'control');
      await stage.gone('b');
      return stage.seen();
    },
    seen: { gone: ['b'], stayed: ['a'], launched: [] },
  },
  {
    fact: 'replaces a drifted node that is empty as well',
    play: async (stage) => {
      await two(stage);
      await stage.quiet();
      await stage.change({ ...REVISION, budgets: OPEN });
      await stage.gone('a', 'b');
      return { ...stage.seen(), nodes: count(stage) };
    },
    seen: { gone: ['a', 'b'], stayed: [], launched: [SMALL, SMALL], nodes: 2 },
  },
  {
    fact: 'keeps a drifted node that is annotated do-not-disrupt',
    play: async (stage) => {
      await two(stage);
      await stage.mark('a', { annotations: PROTECTED });
      await stage.quiet();
      await stage.change({ ...REVISION, budgets: OPEN });
      await stage.gone('b');
      return stage.seen();
    },
    seen: { gone: ['b'], stayed: ['a'], launched: [SMALL] },
  },
  {
    fact: 'keeps drifted nodes while limits.nodes leaves no room for a replacement',
    play: async (stage) => {
      await stage.pool({ replicas: 1, limits: { nodes: '1' } });
      await stage.name(['a']);
      await stage.pool({ replicas: 1, limits: { nodes: '2' } }, 'control');
      await stage.name(['b'], 'control');
      await stage.quiet();
      await stage.change({ ...REVISION, budgets: OPEN });
      await stage.change({ ...REVISION, budgets: OPEN }, 'control');
      await stage.gone('b');
      return stage.seen();
    },
    seen: { gone: ['b'], stayed: ['a'], launched: [SMALL] },
  },
];

export const STATIC_POOLS: readonly LiveFact[] = [
  ...POOLS.map((fact) => ({ suite: 'Static pools', ...fact })),
  ...DISRUPTIONS.map((fact) => ({ suite: 'Static pools, disruption', ...fact })),
];
