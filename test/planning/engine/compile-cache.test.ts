/** Caches between plans: they change how long compiling takes, never what is compiled. */
import fc from 'fast-check';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { CompileCache } from '../../../src/planning/engine/compile-cache.js';
import { compileProblem, type Problem } from '../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { arbitraryCluster } from '../laws/arbitrary-cluster.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';
import { persistentVolume, volumeClaim } from '../../support/builders/volume.js';

function compiled(input: ClusterInput, cache?: CompileCache): Problem {
  return compileProblem(buildSnapshot(input, cache?.snapshots), DEFAULT_PLAN_OPTIONS, cache);
}

/** What a problem says, without the classes that answer from memory. */
function contentOf(problem: Problem): unknown {
  const { snapshot, topology, classes, bundleOf, nodeFree, coming, worth, lowerBound } = problem;
  const { net, daemons, price, columnRow, rowPool, templates } = problem.launchables;
  const { admission, domains } = problem;
  return {
    ...{ snapshot, topology, classes, bundleOf, nodeFree, coming, worth, lowerBound },
    launchables: { net, daemons, price, columnRow, rowPool, templates },
    admitted: classes.flatMap(({ asks }) =>
      asks.map(({ constraint }) => ({
        columns: admission.columns(constraint),
        nodes: snapshot.nodes.map((_, node) => admission.node(constraint, node)),
      })),
    ),
    domains: topology.groups.map(({ topologyKey }) => [
      domains.count(topologyKey),
      snapshot.nodes.map((_, target) => domains.at(topologyKey, { target, column: -1 })),
    ]),
  };
}

/** A cluster with some of the pods of others, and without one of its nodes. */
function mixed(clusters: readonly ClusterInput[], index: number): ClusterInput {
  const input = clusters[index];
  const other = clusters[(index + 1) % clusters.length];
  if (input === undefined || other === undefined) return clusterInput();
  const own = new Set(input.pods.map(({ name }) => name));
  const guests = other.pods.filter(({ name, nodeName }) => nodeName === undefined && !own.has(name));
  return { ...input, pods: [...guests, ...input.pods.slice(1)], nodes: input.nodes.slice(1) };
}

describe('CompileCache', () => {
  test('says the same as compiling again, whatever was compiled before', () => {
    fc.assert(
      fc.property(fc.array(arbitraryCluster(), { minLength: 1, maxLength: 4 }), (clusters) => {
        const cache = new CompileCache();
        const sequence = clusters.flatMap((input, index) => [
          ...[input, mixed(clusters, index), input],
          { ...input, pods: structuredClone(input.pods) },
        ]);
        for (const input of sequence)
          expect(contentOf(compiled(input, cache))).toEqual(contentOf(compiled(input)));
      }),
      { numRuns: 40, seed: 20_261_122 },
    );
  });

  test('compiles nothing again for the same objects in new lists', () => {
    const cache = new CompileCache();
    const input = clusterInput({ pods: [pod({ name: 'a' }), pod({ name: 'b' })], pools: [poolOffer()] });
    const first = compiled(input, cache);
    const again = compiled({ ...input, pods: [...input.pods].reverse(), pools: [...input.pools] }, cache);
    expect(again.launchables).toBe(first.launchables);
    expect(again.topology).toBe(first.topology);
    expect(again.snapshot.specs).toBe(first.snapshot.specs);
    expect(again.classes[0]?.asks).toBe(first.classes[0]?.asks);
  });

  test('knows what new pods ask by what their specs say', () => {
    const cache = new CompileCache();
    const batch = (name: string): ClusterInput =>
      clusterInput({ pods: [pod({ name }), pod({ name: `${name}-2`, requests: { cpu: '2' } })] });
    const first = compiled(batch('old'), cache);
    const again = compiled(batch('new'), cache);
    expect(again.snapshot.pods.keys).toEqual(['default/new', 'default/new-2']);
    expect(again.snapshot.specs).toBe(first.snapshot.specs);
    expect(again.classes.map(({ asks }) => asks[0])).toEqual(first.classes.map(({ asks }) => asks[0]));
    expect(again.classes[0]?.asks).toBe(first.classes[0]?.asks);
  });

  test('asks the volumes of pods again, which may be bound by now', () => {
    const cache = new CompileCache();
    const pods = [pod({ volumes: ['data'] })];
    const missing = compiled(clusterInput({ pods }), cache);
    const there = clusterInput({
      pods,
      persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })],
      persistentVolumes: [persistentVolume({ name: 'pv' })],
    });
    expect(missing.classes[0]?.blocked?.code).toBe('VolumeClaimNotFound');
    expect(compiled(there, cache).classes[0]?.blocked).toBeUndefined();
  });

  test('sees what is in flight for a pool although nothing else of it changed', () => {
    const cache = new CompileCache();
    const offer = poolOffer();
    const before = compiled(clusterInput({ pods: [pod()], pools: [offer] }), cache);
    const inFlight = new Map([['cpu', 4000]]);
    const after = compiled(clusterInput({ pods: [pod()], pools: [{ ...offer, inFlight }] }), cache);
    expect(after.launchables.templates[0]?.offer.inFlight).toBe(inFlight);
    expect(after.launchables.net).toBe(before.launchables.net);
  });

  test('sees that a type is out of stock', () => {
    const cache = new CompileCache();
    const offer = poolOffer();
    const before = compiled(clusterInput({ pods: [pod()], pools: [offer] }), cache);
    const [gone, ...others] = offer.instanceTypes ?? [];
    const offerings = gone?.offerings.map((offering) => ({ ...offering, available: false })) ?? [];
    const instanceTypes = gone === undefined ? [] : [{ ...gone, offerings }, ...others];
    const after = compiled(clusterInput({ pods: [pod()], pools: [{ ...offer, instanceTypes }] }), cache);
    expect(after.launchables.price.length).toBeLessThan(before.launchables.price.length);
  });
});
