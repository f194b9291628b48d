/** Consolidation, live: nodes that go because their pods fit elsewhere, and nodes that stay. */
import type { LiveFact } from '../live-fact.js';
import { PROTECTED } from '../stage/pods.js';
import type { Stage } from '../stage/stage.js';

const suite = 'Consolidation';

/**
 * Two alike nodes, `a` with one pod and `b` with two, so that `a` is the first to go unless something holds it. `hold` does something
 * to `a`, or says what its pod is like.
 */
async function pair(stage: Stage, ...[first, second]: Parameters<Stage['pods']>[1][]): Promise<readonly string[]> {
  await stage.pool();
  await stage.nodes(['a', 'b']);
  return [await stage.pods('a', first), await stage.pods('b', { count: 2, ...second })];
}

export const CONSOLIDATION: readonly LiveFact[] = [
  {
    suite,
    fact: 'deletes a node whose pods fit on the others, and launches nothing for it',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a', 'b']);
      await stage.pods('a');
      await stage.pods('b', { count: 3 });
      await stage.open();
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: ['b'], launched: [] },
  },
  {
    suite,
    fact: 'deletes of two alike the node with fewer pods',
    play: async (stage) => {
      await pair(stage);
      await stage.open();
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: ['b'], launched: [] },
  },
  {
    suite,
    fact: 'deletes another node than one annotated do-not-disrupt, though that has fewer pods',
    play: async (stage) => {
      await pair(stage);
      await stage.mark('a', { annotations: PROTECTED });
      await stage.open();
      await stage.gone('b');
      return stage.seen();
    },
    seen: { gone: ['b'], stayed: ['a'], launched: [] },
  },
];
