/** Conditions of NodeClaims and commands, live. */
import { NODES } from '../../controlplane/fixture/api/kube-object.js';
import type { LiveFact } from '../live-fact.js';
import { SMALL } from '../stage/instance-types.js';
import { PLACE } from '../stage/pool.js';
import type { Stage } from '../stage/stage.js';

const CONSOLIDATABLE = 'Consolidatable';

/** Waits until the NodeClaims that have a condition are these; whether they came to be. */
function areThese(stage: Stage, condition: string, places: readonly string[]): Promise<boolean> {
  const wanted = places.join();
  return stage.until(async () => (await stage.having(condition)).join() === wanted, 90);
}

const CONDITIONS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'makes a NodeClaim Consolidatable when consolidateAfter has passed since the last pod came or went',
    play: async (stage) => {
      await stage.pool({ consolidateAfter: '30s' });
      await stage.nodes(['a']);
      await areThese(stage, CONSOLIDATABLE, ['a']);
      const from = stage.now();
      await stage.pods('a');
      const removed = await areThese(stage, CONSOLIDATABLE, []);
      const set = await areThese(stage, CONSOLIDATABLE, ['a']);
      return { removed, set, waited: stage.now() - from >= 29 };
    },
    seen: { removed: true, set: true, waited: true },
  },
  {
    fact: 'removes the condition Consolidatable when consolidateAfter becomes Never',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a']);
      const before = await areThese(stage, CONSOLIDATABLE, ['a']);
      await stage.change({ consolidateAfter: 'Never' });
      return { before, removed: await areThese(stage, CONSOLIDATABLE, []) };
    },
    seen: { before: true, removed: true },
  },
  {
    fact: 'removes the condition Drifted when the node is again what is asked for',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a']);
      await stage.change({ labels: { revision: '2' } });
      const before = await areThese(stage, 'Drifted', ['a']);
      await stage.change({ labels: {} });
      return { before, removed: await areThese(stage, 'Drifted', []) };
    },
    seen: { before: true, removed: true },
  },
  {
    fact: 'does not count pods of DaemonSets as events',
    play: async (stage) => {
      await stage.pool({ consolidateAfter: '20s' });
      await stage.nodes(['a', 'b']);
      await areThese(stage, CONSOLIDATABLE, ['a', 'b']);
      await stage.daemonSet([PLACE, 'a']);
      await stage.pods('b');
      await areThese(stage, CONSOLIDATABLE, ['a']);
      return stage.having(CONSOLIDATABLE);
    },
    seen: ['a'],
  },
];

const COMMANDS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'keeps the node tainted, and its pods on it, while the replacement is not initialized',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a']);
      const group = await stage.pods('a', { cpu: '1500m' });
      await stage.quiet();
      // It stays on the replacement until it is taken away below.
      const startupTaints = [{ key: 'live.berth.sh/starting', effect: 'NoSchedule' }];
      await stage.change({
        startupTaints,
        budgets: [{ nodes: '0', reasons: ['Empty', 'Underutilized'] }, { nodes: '1' }],
      });
      await stage.launched(1);
      await stage.seconds(15);
      const isTainted = stage.at('a').disruptedAt !== undefined;
      const meanwhile = { isTainted, pods: stage.running(group).length, ...stage.seen() };
      for (const { object } of stage.further())
        await stage.cluster.api.patch(NODES, object.metadata, {
          type: 'merge',
          body: { spec: { taints: null } },
        });
      await stage.gone('a');
      return { meanwhile, then: stage.seen() };
    },
    seen: {
      meanwhile: { isTainted: true, pods: 1, gone: [], stayed: ['a'], launched: [SMALL] },
      then: { gone: ['a'], stayed: [], launched: [SMALL] },
    },
  },
];

export const CONDITIONS_AND_COMMANDS: readonly LiveFact[] = [
  ...CONDITIONS.map((fact) => ({ suite: 'Conditions of NodeClaims', ...fact })),
  ...COMMANDS.map((fact) => ({ suite: 'Disruption commands', ...fact })),
];
