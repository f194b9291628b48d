import fc from 'fast-check';
import { podKey, type Pod } from '../../../src/domain/pods/pod.js';
import { isMovable } from '../../../src/domain/pods/movable-pods.js';
import { closedNode, SnapshotView } from '../../../src/planning/snapshot/snapshot-view.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { SnapshotCache } from '../../../src/planning/snapshot/snapshot-cache.js';
import type { Snapshot } from '../../../src/planning/snapshot/snapshot.js';
import { arbitraryCluster } from '../laws/arbitrary-cluster.js';
import { asText, fewerRuns, planOf } from '../laws/plan-of.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { taint } from '../../support/builders/constraints.js';
import { node } from '../../support/builders/node.js';
import { pod } from '../../support/builders/pod.js';

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

  describe('is the same as another', () => {
    const bound = (cluster: ClusterInput): ClusterInput => ({
      ...cluster,
      pods: cluster.pods.filter(({ nodeName }) => nodeName !== undefined),
    });
    /** Written to by others: new objects that say the same. */
    const written = (cluster: ClusterInput): ClusterInput => ({
      ...cluster,
      nodes: cluster.nodes.map((each) => ({
        ...each,
        labels: new Map(each.labels),
        taints: each.taints.map((taint) => ({ ...taint })),
        allocatable: new Map(each.allocatable),
      })),
      pods: cluster.pods.map((each) => ({ ...each })),
      pools: cluster.pools.map((offer) => ({ ...offer, instanceTypes: offer.instanceTypes?.slice() })),
    });
    const CHANGES: Readonly<Record<string, (cluster: ClusterInput) => Partial<ClusterInput>>> = {
      'a node is cordoned': ({ nodes }) => ({ nodes: ofFirst(nodes, () => ({ unschedulable: true })) }),
      'a node is tainted': ({ nodes }) => ({ nodes: ofFirst(nodes, () => ({ taints: [taint('new')] })) }),
      'a node has another label': ({ nodes }) => ({
        nodes: ofFirst(nodes, (each) => ({ labels: new Map([...each.labels, ['new', 'yes']]) })),
      }),
      'a node is larger': ({ nodes }) => ({
        nodes: ofFirst(nodes, (each) => ({ allocatable: new Map([...each.allocatable, ['cpu', 99_000]]) })),
      }),
      'a pod is gone': ({ pods }) => ({ pods: pods.slice(1) }),
      'a pod ends': ({ pods }) => ({ pods: ofFirst(pods, () => ({ terminating: true })) }),
      'a pod dies with its node': ({ pods }) => ({ pods: ofFirst(pods, () => ({ mirror: true })) }),
      'a pool has less left': ({ pools }) => ({
        pools: ofFirst(pools, () => ({ inFlight: new Map([['cpu', 1000]]) })),
      }),
      'a pool sells less': ({ pools }) => ({
        pools: ofFirst(pools, (each) => ({ instanceTypes: each.instanceTypes?.slice(1) })),
      }),
      'a pool has changed': ({ pools }) => ({
        pools: ofFirst(pools, ({ pool }) => ({ pool: { ...pool, limits: new Map([['cpu', 1000]]) } })),
      }),
      'a namespace has another label': () => ({
        namespaces: new Map([['default', new Map([['new', 'yes']])]]),
      }),
    };

    test('while nothing changes that planning reads, whatever was written', () => {
      fc.assert(
        fc.property(arbitraryCluster(), (cluster) => {
          const cache = new SnapshotCache();
          const view = new SnapshotView(bound(cluster), cache);
          expect(view.isSame(new SnapshotView(bound(written(cluster)), cache))).toBe(true);
        }),
        fewerRuns(6),
      );
    });

    test.each(Object.entries(CHANGES))('not when %s', (_, change) => {
      const cluster = clusterInput({
        nodes: [node({ name: 'n0' })],
        pods: [pod({ name: 'first', nodeName: 'n0', phase: 'Running' })],
      });
      const cache = new SnapshotCache();
      const view = new SnapshotView(cluster, cache);
      expect(view.isSame(new SnapshotView({ ...cluster, ...change(cluster) }, cache))).toBe(false);
    });

    test('only if the clusters without any of the nodes are', () => {
      const changed = fc.tuple(
        arbitraryCluster(),
        fc.subarray(Object.values(CHANGES), { maxLength: 2 }),
        fc.subarray(['n0', 'n1', 'n2', 'n3']),
      );
      fc.assert(
        fc.property(changed, ([cluster, changes, names]) => {
          const cache = new SnapshotCache();
          const other = changes.reduce((from, change) => ({ ...from, ...change(from) }), written(cluster));
          const [view, changedView] = [cluster, other].map((each) => new SnapshotView(bound(each), cache));
          const without = (each: SnapshotView | undefined): string =>
            asText(each?.without(new Set(names), new Set()));
          if (changedView === undefined || view?.isSame(changedView) !== true) return;
          expect(without(changedView)).toBe(without(view));
        }),
        fewerRuns(6),
      );
    });
  });
});

function ofFirst<T>([first, ...others]: readonly T[], change: (first: T) => Partial<T>): readonly T[] {
  return first === undefined ? [] : [{ ...first, ...change(first) }, ...others];
}
