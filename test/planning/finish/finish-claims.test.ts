/** Finished claims: what they list holds their pods, is cheapest first, and leaves spot enough types to choose from. */
import fc from 'fast-check';
import { CAPACITY_TYPE, ZONE } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { finishClaims, type FinishedClaim } from '../../../src/planning/finish/finish-claims.js';
import { pack } from '../../../src/planning/pack/pack.js';
import type { Packing } from '../../../src/planning/rules/packing.js';
import { compileProblem } from '../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { nodeTerm, oneOf, requiredTerms, spreadOver, taint } from '../../support/builders/constraints.js';
import { catalogue } from '../../fuzz/catalog.js';
import { instanceType, ZONE_A, ZONE_B } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { arbitraryCluster } from '../laws/arbitrary-cluster.js';
import { fewerRuns, planOf } from '../laws/plan-of.js';
import { NaiveFinish } from './naive-finish.js';
import { planFor } from '../read-plan.js';

const FAMILY = 'karpenter.k8s.aws/instance-family';
const TRIES = fewerRuns(3);

function packed(input: ClusterInput, maxInstanceTypes = DEFAULT_PLAN_OPTIONS.maxInstanceTypes): Packing {
  return pack(compileProblem(buildSnapshot(input), { ...DEFAULT_PLAN_OPTIONS, maxInstanceTypes }));
}

/** The columns that a claim lists, per listed type. */
function listedColumns(
  { problem: { launchables } }: Packing,
  claim: FinishedClaim,
): readonly (readonly number[])[] {
  const rows = launchables.templateRows[claim.template.index] ?? [];
  return claim.types.map((type) =>
    rows
      .filter((row) => launchables.rowType[row] === type)
      .flatMap((row) => launchables.rowColumns[row] ?? [])
      .filter((column) => {
        const { zone = '', capacityType = 'spot' } = launchables.offerings[column] ?? {};
        return claim.zones.includes(zone) && claim.capacityTypes.includes(capacityType);
      }),
  );
}

describe('finishClaims', () => {
  test.each([60, 3])('lists what the long way round finds, at most %i types', (most) => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const packing = packed(input, most);
        const expected = new NaiveFinish(packing).finish();
        const found = finishClaims(packing).map(
          ({ types, zones, capacityTypes, hourlyPrice, hourlyPriceMax }) => ({
            types: types.map(({ name }) => name),
            zones,
            capacityTypes,
            hourlyPrice,
            hourlyPriceMax,
          }),
        );
        expect(found).toEqual(expected);
      }),
      TRIES,
    );
  });

  test('lists no offering that does not hold the claim, and the cheapest one first', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const packing = packed(input);
        const naive = new NaiveFinish(packing);
        const { price } = packing.problem.launchables;
        for (const claim of finishClaims(packing)) {
          const possible = naive.possible(claim.target);
          const listed = listedColumns(packing, claim);
          expect(listed.flat().filter((column) => !possible.has(column))).toEqual([]);
          const cheapest = listed.map((columns) => Math.min(...columns.map((column) => price[column] ?? 0)));
          expect(cheapest).toEqual([...cheapest].sort((left, right) => left - right));
          expect(claim.hourlyPrice).toBe(cheapest[0]);
        }
      }),
      TRIES,
    );
  });

  test('lists 15 types for spot, or all that hold the claim in some zone that it lists', () => {
    fc.assert(
      fc.property(arbitraryCluster(), (input) => {
        const packing = packed(input);
        const { launchables } = packing.problem;
        const naive = new NaiveFinish(packing);
        for (const claim of finishClaims(packing)) {
          const { pool } = claim.template.offer;
          const isFlexible = [...claim.template.requirements.values()].some(({ minValues }) => minValues > 0);
          if (isFlexible || pool.limits.size > 0 || !claim.capacityTypes.includes('spot')) continue;
          const first = listedColumns(packing, claim)[0] ?? [];
          const home = first.reduce((best, column) =>
            (launchables.price[column] ?? 0) < (launchables.price[best] ?? 0) ? column : best,
          );
          const holding = [...naive.possible(claim.target)].filter(
            (column) => launchables.columnPlace[column] === launchables.columnPlace[home],
          );
          const types = new Set(
            holding.map((column) => launchables.rowType[launchables.columnRow[column] ?? 0]),
          );
          expect(claim.types.length).toBeGreaterThanOrEqual(Math.min(15, types.size));
        }
      }),
      TRIES,
    );
  });

  test('gives up zones for types where only some types hold a spot claim everywhere', () => {
    const types = Array.from({ length: 20 }, (_, index) =>
      instanceType({ name: `m${String(index)}.large`, price: 1 + index / 100 }),
    );
    const pools = [poolOffer({ requirements: [oneOf(CAPACITY_TYPE, 'spot')] }, types)];
    const nodeAffinity = requiredTerms(
      nodeTerm(oneOf(ZONE, ZONE_A)),
      nodeTerm(oneOf(ZONE, ZONE_B), oneOf('node.kubernetes.io/instance-type', 'm0.large')),
    );
    const [claim] = planFor({ pods: [pod({ nodeAffinity })], pools }).claims;
    expect(claim?.zones).toEqual([ZONE_A]);
    expect(claim?.instanceTypes).toHaveLength(20);
  });

  test('leaves every spot claim of a limited pool room for 15 types before any lists more', () => {
    const types = Array.from({ length: 30 }, (_, index) =>
      instanceType({
        name: `m${String(index)}.large`,
        vcpu: 2 + index,
        memoryMiB: 8192 * (1 + index),
        price: 1 + index / 10,
      }),
    );
    const requirements = [oneOf(CAPACITY_TYPE, 'spot')];
    const pools = [poolOffer({ requirements, limits: { cpu: '48', nodes: '3' } }, types)];
    const pods = replicas(3, {
      requests: { cpu: '1500m' },
      hostPorts: [{ hostIP: '', protocol: 'TCP', port: 80 }],
    });
    const { claims } = planFor({ pods, pools });
    expect(claims.map(({ instanceTypes }) => instanceTypes.length)).toEqual([15, 15, 15]);
  });

  test('lists types of every size in the zones that pods rely on, where spread looks at some sizes only', () => {
    const { instanceTypes } = catalogue();
    const labels = { app: 'wide' };
    const pools = [
      poolOffer(
        {
          name: 'open',
          requirements: [oneOf(ZONE, 'us-west-2a'), requirement(FAMILY, 'Exists', [], 3)],
        },
        instanceTypes,
      ),
      poolOffer(
        { name: 'closed', requirements: [oneOf(ZONE, 'us-west-2b')], taints: [taint('closed')] },
        instanceTypes,
      ),
    ];
    const pods = [
      // The second of them has no place but by the zones that there are, since none tolerates the taint in the other zone.
      ...replicas(2, {
        name: 'wide',
        labels,
        requests: { memory: '6Gi' },
        nodeAffinity: requiredTerms(nodeTerm(requirement('karpenter.k8s.aws/instance-cpu', 'Gt', ['2']))),
        spread: [spreadOver(ZONE, labels)],
      }),
      pod({ name: 'narrow', requests: { memory: '12Gi' } }),
    ];
    const plan = planOf(clusterInput({ pods, pools }));
    expect(plan.repairs ?? []).toEqual([]);
    expect(plan.unschedulable).toEqual([]);
    const narrow = plan.claims.find((claim) => claim.pods.includes('default/narrow'));
    expect(narrow?.instanceTypes).toEqual(expect.arrayContaining(['r6i.large', 'm6i.xlarge', 'm7g.xlarge']));
    expect(narrow?.zones).toEqual(['us-west-2a']);
  });
});
