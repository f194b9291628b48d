/** Labels of the user's own that a pool leaves open: each claim gets the value that its pods ask for. */
import { requirement } from '../../../src/domain/requirement.js';
import { nodeTerm, noneOf, oneOf, requiredTerms } from '../../support/builders/constraints.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { leftOut, placeOf, planFor, reasonFor } from './read-plan.js';

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

  test('labels a node that nobody asked anything of with some value', () => {
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
