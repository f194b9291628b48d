/** What pods say about the labels of their node: nodeSelector and required node affinity. */
import { ARCH, HOSTNAME, INSTANCE_TYPE, NODEPOOL, ZONE, ZONE_ID } from '../../../src/domain/values/labels.js';
import { NO_REQUIREMENTS, requirementsOf } from '../../../src/domain/values/requirements.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { nodeNameTerm, nodeTerm, noneOf, oneOf, requiredTerms } from '../../support/builders/constraints.js';
import {
  offering,
  instanceType,
  ZONE_A,
  ZONE_B,
  ZONE_C,
  ZONES,
} from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';
import { firstTypes, leftOut, placeOf, planFor, reasonFor } from '../read-plan.js';

const CPU_LABEL = 'karpenter.k8s.aws/instance-cpu';
const FAMILY = 'karpenter.k8s.aws/instance-family';

/** A pool whose cloud knows the ids of zones. */
const WITH_IDS = poolOffer({}, [
  instanceType({
    offerings: ZONES.map((zone, index) => offering({ zone, zoneID: `use1-az${String(index + 1)}` })),
  }),
]);

describe('plan, by nodeSelector', () => {
  test('keeps to the architecture that a pod selects', () => {
    const plan = planFor({ pods: [pod({ nodeSelector: { [ARCH]: 'amd64' } })] });
    expect(firstTypes(plan)).toEqual(['c6i.large']);
    expect(plan.claims[0]?.instanceTypes.filter((name) => name.includes('7g'))).toEqual([]);
    expect(plan.claims[0]?.zones).toEqual(ZONES);
  });

  test('lists only the zone that a pod selects', () => {
    const plan = planFor({ pods: [pod({ nodeSelector: { [ZONE]: ZONE_B } })] });
    expect(plan.claims[0]?.zones).toEqual([ZONE_B]);
  });

  test('lists only the zone whose id a pod selects', () => {
    const plan = planFor({ pods: [pod({ nodeSelector: { [ZONE_ID]: 'use1-az2' } })], pools: [WITH_IDS] });
    expect(plan.claims[0]?.zones).toEqual([ZONE_B]);
  });

  test('names the ids that there are where there is no zone with the id that a pod selects', () => {
    const plan = planFor({ pods: [pod({ nodeSelector: { [ZONE_ID]: 'use1-az9' } })], pools: [WITH_IDS] });
    expect(reasonFor(plan)).toMatchObject({
      code: 'IncompatibleLabel',
      key: ZONE_ID,
      offered: '[use1-az1, use1-az2, use1-az3]',
    });
  });

  test('lists only the zones whose ids the pool allows', () => {
    const requirements = [requirement(ZONE_ID, 'NotIn', ['use1-az1'])];
    const allowed = poolOffer({ requirements }, WITH_IDS.instanceTypes);
    const plan = planFor({ pods: [pod()], pools: [allowed] });
    expect(plan.claims[0]?.zones).toEqual([ZONE_B, ZONE_C]);
  });

  test('lists only the instance type that a pod selects', () => {
    const plan = planFor({ pods: [pod({ nodeSelector: { [INSTANCE_TYPE]: 'r6i.xlarge' } })] });
    expect(plan.claims[0]?.instanceTypes).toEqual(['r6i.xlarge']);
  });

  test('finds the pool whose template has the label', () => {
    const pools = [
      poolOffer({ name: 'blue', labels: { team: 'blue' } }),
      poolOffer({ name: 'red', labels: { team: 'red' } }),
    ];
    const plan = planFor({ pods: [pod({ nodeSelector: { team: 'red' } })], pools });
    expect(placeOf(plan)).toBe('red-1');
  });

  test('finds the pool by its name', () => {
    const pools = [poolOffer({ name: 'blue' }), poolOffer({ name: 'red' })];
    expect(placeOf(planFor({ pods: [pod({ nodeSelector: { [NODEPOOL]: 'red' } })], pools }))).toBe('red-1');
  });

  test('puts two pods that select different zones on two nodes', () => {
    const pods = [ZONE_A, ZONE_B].map((zone) => pod({ name: zone, nodeSelector: { [ZONE]: zone } }));
    const plan = planFor({ pods });
    expect(plan.claims.map(({ zones, pods: inside }) => [zones, inside])).toEqual([
      [[ZONE_A], [`default/${ZONE_A}`]],
      [[ZONE_B], [`default/${ZONE_B}`]],
    ]);
  });

  test('puts pods that differ only in how they say the same on one node', () => {
    const pods = [
      pod({ name: 'selector', nodeSelector: { [ZONE]: ZONE_A } }),
      pod({ name: 'affinity', nodeAffinity: requiredTerms(nodeTerm(oneOf(ZONE, ZONE_A))) }),
    ];
    expect(planFor({ pods }).claims.map(({ pods: inside }) => inside)).toEqual([
      ['default/affinity', 'default/selector'],
    ]);
  });

  test('goes to the existing node that a pod selects by hostname, and nowhere else', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two' })];
    const pods = [
      pod({ name: 'found', nodeSelector: { [HOSTNAME]: 'two' } }),
      pod({ name: 'lost', nodeSelector: { [HOSTNAME]: 'three' } }),
    ];
    const plan = planFor({ pods, nodes });
    expect(placeOf(plan, 'found')).toBe('two');
    expect(leftOut(plan)).toEqual(['lost']);
    expect(reasonFor(plan, 'lost')).toMatchObject({
      code: 'IncompatibleLabel',
      key: HOSTNAME,
      wanted: 'In [three]',
      offered: 'no such label',
    });
  });
});

describe('plan, by required node affinity', () => {
  const typesFor = (...terms: readonly ReturnType<typeof nodeTerm>[]): readonly (string | undefined)[] =>
    firstTypes(planFor({ pods: [pod({ nodeAffinity: requiredTerms(...terms) })] }));

  test('takes the cheaper of two terms: terms are alternatives', () => {
    const terms = [
      nodeTerm(oneOf(FAMILY, 'r6i'), oneOf(ZONE, ZONE_A)),
      nodeTerm(oneOf(FAMILY, 'm6i'), oneOf(ZONE, ZONE_B)),
    ];
    const plan = planFor({ pods: [pod({ nodeAffinity: requiredTerms(...terms) })] });
    expect(firstTypes(plan)).toEqual(['m6i.large']);
    expect(plan.claims[0]?.zones).toEqual([ZONE_B]);
  });

  test('falls back on the second term where the first cannot hold', () => {
    expect(typesFor(nodeTerm(oneOf(ZONE, 'us-east-1f')), nodeTerm(oneOf(FAMILY, 'r6i')))).toEqual([
      'r6i.large',
    ]);
  });

  test('asks all requirements of one term together', () => {
    expect(
      typesFor(nodeTerm(oneOf(FAMILY, 'm6i', 'r6i'), oneOf('karpenter.k8s.aws/instance-size', 'xlarge'))),
    ).toEqual(['m6i.xlarge']);
  });

  test.each([
    [
      'Gt and Lt leave out the bounds',
      [requirement(CPU_LABEL, 'Gt', ['4']), requirement(CPU_LABEL, 'Lt', ['16'])],
      'c7g.2xlarge',
    ],
    [
      'Gte and Lte take the bounds in',
      [requirement(CPU_LABEL, 'Gte', ['16']), requirement(CPU_LABEL, 'Lte', ['16'])],
      'c7g.4xlarge',
    ],
    ['NotIn leaves out the values named', [noneOf(FAMILY, 'c7g', 'm7g', 'c6i')], 'm6i.large'],
    ['NotIn takes nodes without the label', [noneOf('example.com/team', 'red')], 'c7g.large'],
    [
      'DoesNotExist takes nodes without the label',
      [requirement('example.com/team', 'DoesNotExist')],
      'c7g.large',
    ],
    [
      'Exists takes only nodes that have the label',
      [requirement('karpenter.k8s.aws/instance-gpu-name', 'Exists')],
      'g5.xlarge',
    ],
  ])('%s', (_, requirements, type) => {
    expect(typesFor(nodeTerm(...requirements))).toEqual([type]);
  });

  test('leaves out a pod that wants a label which nothing has', () => {
    const nodeAffinity = requiredTerms(nodeTerm(requirement('example.com/team', 'Exists')));
    expect(reasonFor(planFor({ pods: [pod({ nodeAffinity })] }))).toMatchObject({
      code: 'IncompatibleLabel',
      key: 'example.com/team',
      wanted: 'Exists',
      offered: 'no such label',
    });
  });

  test('goes to the node that a term names by metadata.name', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two' })];
    const plan = planFor({ pods: [pod({ nodeAffinity: requiredTerms(nodeNameTerm('two')) })], nodes });
    expect(placeOf(plan)).toBe('two');
  });

  test('launches nothing for a node name, since the name of a new node is not known', () => {
    const plan = planFor({ pods: [pod({ nodeAffinity: requiredTerms(nodeNameTerm('default-1')) })] });
    expect(leftOut(plan)).toEqual(['pod']);
  });

  test('keeps off the node that a term excludes by name, and launches instead', () => {
    const notOne = { labels: NO_REQUIREMENTS, fields: requirementsOf([noneOf('metadata.name', 'one')]) };
    const plan = planFor({
      pods: [pod({ nodeAffinity: requiredTerms(notOne) })],
      nodes: [node({ name: 'one' })],
    });
    expect(placeOf(plan)).toBe('default-1');
  });

  test('asks labels and name of one term together', () => {
    const nodes = [node({ name: 'one', zone: ZONE_A }), node({ name: 'two', zone: ZONE_B })];
    const term = { ...nodeNameTerm('one', 'two'), labels: requirementsOf([oneOf(ZONE, ZONE_B)]) };
    expect(placeOf(planFor({ pods: [pod({ nodeAffinity: requiredTerms(term) })], nodes }))).toBe('two');
  });

  test('matches nothing with a term that says nothing, nor with no term at all', () => {
    const pods = [
      pod({ name: 'empty-term', nodeAffinity: requiredTerms(nodeTerm()) }),
      pod({ name: 'no-term', nodeAffinity: requiredTerms() }),
    ];
    expect(leftOut(planFor({ pods, nodes: [node()] }))).toEqual(['empty-term', 'no-term']);
  });
});
