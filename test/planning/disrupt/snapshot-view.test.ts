import fc from 'fast-check';
import { isMovable } from '../../../src/domain/pods/movable-pods.js';
import { SnapshotView } from '../../../src/planning/disrupt/snapshot-view.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/engine/plan.js';
import type { Snapshot } from '../../../src/planning/snapshot/snapshot.js';
import { arbitraryCluster } from '../laws/arbitrary-cluster.js';
import { asText, planOf, RUNS } from '../laws/plan-of.js';
import { closedNode } from '../../../src/planning/disrupt/closed-node.js';

describe('SnapshotView', () => {
  test('plans the same as the cluster built again without the nodes', () => {
    const chosen = fc.tuple(
      arbitraryCluster(),
      fc.subarray(['n0', 'n1', 'n2', 'n3']),
      fc.subarray(['n1', 'n2']),
    );
    fc.assert(
      fc.property(chosen, ([cluster, names, shut]) => {
        const [removed, closed] = [new Set(names), new Set(shut)];
        const pods = cluster.pods.filter(({ nodeName }) => nodeName !== undefined);
        const view: Snapshot = new SnapshotView({ ...cluster, pods }).without(removed, closed);
        const anew = {
          ...cluster,
          nodes: cluster.nodes
            .filter(({ name }) => !removed.has(name))
            .map((node) => (closed.has(node.name) ? closedNode(node) : node)),
          pods: pods
            .filter((pod) => !removed.has(pod.nodeName ?? '') || isMovable(pod))
            .map((pod) =>
              removed.has(pod.nodeName ?? '') ? { ...pod, nodeName: undefined, terminating: false } : pod,
            ),
        };
        expect(asText(plan(view, DEFAULT_PLAN_OPTIONS))).toBe(asText(planOf(anew)));
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 1.5 },
    );
  });

  test('leaves what it was made of as it is', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (cluster) => {
        const pods = cluster.pods.filter(({ nodeName }) => nodeName !== undefined);
        const view = new SnapshotView({ ...cluster, pods });
        const before = asText(view.without(new Set(), new Set()));
        plan(view.without(new Set(['n0', 'n1']), new Set(['n2'])), DEFAULT_PLAN_OPTIONS);
        expect(asText(view.without(new Set(), new Set()))).toBe(before);
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 6 },
    );
  });
});
