/** The order in which things are listed, and which of two pods bears which name, decide nothing. */
import fc from 'fast-check';
import { podKey, type Pod } from '../../../src/domain/pods/pod.js';
import type { Plan } from '../../../src/planning/plan.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { arbitraryCluster } from './arbitrary-cluster.js';
import { asText, planOf, RUNS } from './plan-of.js';

function shuffled<T>(list: readonly T[]): fc.Arbitrary<readonly T[]> {
  return fc.shuffledSubarray([...list], { minLength: list.length, maxLength: list.length });
}

/** The same cluster with every list in another order. */
function reordered(input: ClusterInput): fc.Arbitrary<ClusterInput> {
  return fc.record({
    pods: shuffled(input.pods),
    nodes: shuffled(input.nodes),
    daemonSets: shuffled(input.daemonSets),
    pools: shuffled(input.pools).chain((pools) =>
      fc.tuple(
        ...pools.map(({ instanceTypes, ...offer }) =>
          shuffled(instanceTypes ?? []).map((types) => ({
            ...offer,
            instanceTypes: instanceTypes && types,
          })),
        ),
      ),
    ),
    persistentVolumeClaims: shuffled(input.persistentVolumeClaims),
    persistentVolumes: shuffled(input.persistentVolumes),
    storageClasses: shuffled(input.storageClasses),
    namespaces: fc.constant(input.namespaces),
  });
}

/** The same cluster in which pending pods have swapped names; a pod's uid stays with what it asks. */
function renamed(input: ClusterInput): fc.Arbitrary<ClusterInput> {
  const pending = input.pods.filter(({ nodeName }) => nodeName === undefined);
  return shuffled(pending.map(({ name }) => name)).map((names) => ({
    ...input,
    pods: [
      ...input.pods.filter(({ nodeName }) => nodeName !== undefined),
      ...pending.map((pod, index) => ({ ...pod, name: names[index] ?? pod.name })),
    ],
  }));
}

/** What a plan says when pods are called by what they ask for: sorted, without names of pods and claims. */
function withoutNames(input: ClusterInput, { placements, claims, unschedulable, cost }: Plan): string {
  const contents = new Map(input.pods.map((pod) => [podKey(pod), contentOf(pod)]));
  const called = (pods: readonly string[]): string[] => pods.map((pod) => contents.get(pod) ?? '').sort();
  return asText({
    cost,
    claims: claims.map((claim) => asText({ ...claim, name: '', pods: called(claim.pods) })).sort(),
    nodes: placements
      .filter(({ target }) => target.kind === 'Node')
      .map(({ pod, target }) => `${target.name} ${contents.get(pod) ?? ''}`)
      .sort(),
    unschedulable: unschedulable.map(({ pod, reasons }) => asText([contents.get(pod), reasons])).sort(),
  });
}

/** Labels and namespaces are left out: pods that differ only in labels nobody selects are alike to planning. */
function contentOf({ spec }: Pod): string {
  return asText({ ...spec, labels: [], namespace: '' });
}

describe('plan', () => {
  test('is the same text for the same cluster', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        expect(asText(planOf(input))).toBe(asText(planOf(input)));
      }),
      RUNS,
    );
  });

  test('is the same text however pods, nodes, pools, types and volumes are ordered', () => {
    fc.assert(
      fc.property(
        arbitraryCluster().chain((input) => fc.tuple(fc.constant(input), reordered(input))),
        ([input, other]) => {
          expect(asText(planOf(other))).toBe(asText(planOf(input)));
        },
      ),
      RUNS,
    );
  });

  test('changes nothing but names when pods swap names', () => {
    fc.assert(
      fc.property(
        arbitraryCluster().chain((input) => fc.tuple(fc.constant(input), renamed(input))),
        ([input, other]) => {
          expect(withoutNames(other, planOf(other))).toBe(withoutNames(input, planOf(input)));
        },
      ),
      RUNS,
    );
  });
});
