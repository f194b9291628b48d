import fc from 'fast-check';
import { podKey, type Pod } from '../../../src/domain/pods/pod.js';
import { isMovable } from '../../../src/domain/pods/movable-pods.js';
import { closedNode, SnapshotView } from '../../../src/planning/snapshot/snapshot-view.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { Snapshot } from '../../../src/planning/snapshot/snapshot.js';
import { arbitraryCluster } from '../laws/arbitrary-cluster.js';
import { asText, fewerRuns, planOf } from '../laws/plan-of.js';

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
      fewerRuns(1.5),
    );
  });

  test('takes pods off their nodes as the cluster built again with them pending', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (cluster) => {
        const pods = cluster.pods.filter(({ nodeName }) => nodeName !== undefined);
        const { snapshot, pod, node } = new SnapshotView({ ...cluster, pods }).homes();
        const moves = (each: Pod): boolean => isMovable(each) && !each.terminating;
        const unbound = pods.map((each) => (moves(each) ? { ...each, nodeName: undefined } : each));
        expect(asText(snapshot)).toBe(asText(buildSnapshot({ ...cluster, pods: unbound, gangs: [] })));
        snapshot.pods.keys.forEach((key, row) => {
          const home = pods.find((each) => podKey(each) === key && moves(each));
          expect(pod[row]).toBe(home);
          expect(snapshot.nodes[node[row] ?? -1]?.name).toBe(home?.nodeName);
        });
      }),
      fewerRuns(6),
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
      fewerRuns(6),
    );
  });
});
