/** Labels of the user's own that a pool leaves open: each claim gets the value that its pods ask for. */
import type { Pod } from '../../../src/domain/pods/pod.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { compileProblem } from '../../../src/planning/model/problem.js';
import { compileTemplates } from '../../../src/planning/model/launch/template.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { nodeTerm, noneOf, oneOf, requiredTerms } from '../../support/builders/constraints.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { leftOut, placeOf, planFor, reasonFor } from '../read-plan.js';

const TEAM = 'example.com/team';
const anyTeam = [poolOffer({ requirements: [requirement(TEAM, 'Exists')] })];

function ofTeam(team: string, name = team): ReturnType<typeof pod> {
  return pod({ name, nodeSelector: { [TEAM]: team } });
}

describe('plan, by a key that the pool leaves open with Exists', () => {
  test('launches a node per team', () => {
    const pods = [ofTeam('red', 'a'), ofTeam('blue', 'b'), ofTeam('red', 'c')];
    const plan = planFor({ pods, pools: anyTeam });
    expect(plan.claims.map(({ chosenLabels, pods: inside }) => [chosenLabels.get(TEAM), inside])).toEqual([
      ['blue', ['default/b']],
      ['red', ['default/a', 'default/c']],
    ]);
  });

  test('puts pods of no team with those of some', () => {
    const plan = planFor({ pods: [ofTeam('red'), pod({ name: 'any' })], pools: anyTeam });
    expect(plan.claims.map(({ pods }) => pods)).toEqual([['default/any', 'default/red']]);
  });

  test('labels a node with some value where no pod asks for one', () => {
    const [claim] = planFor({ pods: [pod()], pools: anyTeam }).claims;
    expect(claim?.chosenLabels.has(TEAM)).toBe(true);
  });

  test('uses the existing node of the team first', () => {
    const nodes = [node({ name: 'red', labels: { [TEAM]: 'red' } })];
    const plan = planFor({ pods: [ofTeam('red', 'a'), ofTeam('blue', 'b')], nodes, pools: anyTeam });
    expect([placeOf(plan, 'a'), placeOf(plan, 'b')]).toEqual(['red', 'default-1']);
  });

  test('finds a value for pods that exclude one', () => {
    const not = (team: string): ReturnType<typeof pod> =>
      pod({
        name: `not-${team}`,
        nodeAffinity: requiredTerms(nodeTerm(noneOf(TEAM, team), requirement(TEAM, 'Exists'))),
      });
    const plan = planFor({ pods: [ofTeam('red'), not('red')], pools: anyTeam });
    expect(leftOut(plan)).toEqual([]);
    expect(plan.claims.map(({ pods }) => pods)).toHaveLength(2);
  });

  test('finds a value for pods that ask for a number above a bound', () => {
    const above = requiredTerms(nodeTerm(requirement(TEAM, 'Gt', ['10'])));
    const [claim] = planFor({ pods: [pod({ nodeAffinity: above })], pools: anyTeam }).claims;
    expect(claim?.chosenLabels.get(TEAM)).toBe('11');
  });
});

describe('plan, by a key for which the pool lists values', () => {
  const teams = [poolOffer({ requirements: [oneOf(TEAM, 'red', 'blue')] })];

  test('gives each pod the value it selects', () => {
    const plan = planFor({ pods: [ofTeam('red'), ofTeam('blue')], pools: teams });
    expect(plan.claims.map(({ chosenLabels }) => chosenLabels.get(TEAM))).toEqual(['blue', 'red']);
  });

  test('leaves out a pod that selects another', () => {
    expect(reasonFor(planFor({ pods: [ofTeam('green')], pools: teams }), 'green')).toMatchObject({
      code: 'IncompatibleLabel',
      key: TEAM,
      wanted: 'In [green]',
      offered: '[blue, red]',
    });
  });

  test('decides a key with one value as a template label would', () => {
    const pools = [poolOffer({ requirements: [oneOf(TEAM, 'red')] })];
    const plan = planFor({ pods: replicas(2, { nodeSelector: { [TEAM]: 'red' } }), pools });
    expect(placeOf(plan, 'pod-0')).toBe('default-1');
  });

  test('keeps a key out that the pool must not have', () => {
    const pools = [poolOffer({ requirements: [requirement(TEAM, 'DoesNotExist')] })];
    const plan = planFor({ pods: [pod({ name: 'any' }), ofTeam('red')], pools });
    expect(placeOf(plan, 'any')).toBe('default-1');
    expect(leftOut(plan)).toEqual(['red']);
    expect(plan.claims[0]?.chosenLabels.size).toBe(0);
  });

  test('launches a hundred values of an open key', () => {
    const pods = Array.from({ length: 100 }, (_, index) => ofTeam(`team-${String(index)}`));
    const plan = planFor({ pods, pools: anyTeam });
    expect(leftOut(plan)).toEqual([]);
    expect(plan.claims).toHaveLength(100);
  });
});

describe('compileProblem, for a pool that leaves a label open', () => {
  const sizes = Array.from({ length: 60 }, (_, index) =>
    instanceType({
      name: `m5.size${String(index)}`,
      vcpu: 2 + index,
      memoryMiB: 8192 + 4096 * index,
      price: 0.1 * (1 + index),
    }),
  );
  const pools = [poolOffer({ requirements: [requirement(TEAM, 'Exists')] }, sizes)];

  function columns(pods: readonly Pod[]): number {
    return compileProblem(buildSnapshot(clusterInput({ pods, pools })), DEFAULT_PLAN_OPTIONS).launchables
      .price.length;
  }

  test('does not copy the catalogue for every value that pods ask for', () => {
    const teams = (count: number): readonly Pod[] =>
      Array.from({ length: count }, (_, index) => ofTeam(`t${String(index)}`));
    const catalogue = columns([pod()]);
    expect(columns(teams(500))).toBeLessThan(catalogue * 20);
  });

  test('makes templates for the values that a pod prefers most only', () => {
    const preferred = Array.from({ length: 200 }, (_, index) => ({
      weight: 1 + (index % 100),
      term: nodeTerm(oneOf(TEAM, `t${String(index)}`)),
    }));
    const snapshot = buildSnapshot(clusterInput({ pods: [pod({ nodeAffinity: { preferred } })], pools }));
    expect(compileTemplates(snapshot).length).toBeLessThanOrEqual(5);
  });

  test('keeps a type for each team that holds its pods, and plans all of them', () => {
    const pods = Array.from({ length: 40 }, (_, index) => {
      const team = `t${String(index)}`;
      return pod({ name: team, nodeSelector: { [TEAM]: team }, requests: { cpu: String(1 + index) } });
    });
    const plan = planFor({ pods, pools });
    expect(leftOut(plan)).toEqual([]);
    expect(plan.claims).toHaveLength(40);
  });

  test('compares the types once for all shapes of request of a team, not once for each', () => {
    let reads = 0;
    const counted = sizes.map((type) => {
      const allocatable = new Map(type.allocatable);
      const get = allocatable.get.bind(allocatable);
      allocatable.get = (resource) => (reads++, get(resource));
      return { ...type, allocatable };
    });
    const offers = [poolOffer({ requirements: [requirement(TEAM, 'Exists')] }, counted)];
    const readsFor = (shapes: number): number => {
      const pods = Array.from({ length: 10 * shapes }, (_, index) => {
        const team = `t${String(index % 10)}`;
        const requests = { cpu: `${String(100 + Math.floor(index / 10))}m` };
        return pod({ name: `pod-${String(index)}`, nodeSelector: { [TEAM]: team }, requests });
      });
      reads = 0;
      compileTemplates(buildSnapshot(clusterInput({ pods, pools: offers })));
      return reads;
    };
    expect(readsFor(40)).toBeLessThan(3 * readsFor(1));
  });
});
