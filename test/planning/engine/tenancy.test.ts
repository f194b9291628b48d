/** Pods that select dedicated instances get them from pools that leave the tenancy open. */
import { INSTANCE_TENANCY, INSTANCE_TYPE, NODEPOOL, ZONE } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import type { Plan } from '../../../src/planning/plan.js';
import { nodeTerm, oneOf, requiredTerms } from '../../support/builders/constraints.js';
import { instanceType, offering, ofTenancy, ZONE_A } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { nodePool, poolOffer, poolOfTenancies } from '../../support/builders/node-pool.js';
import { pod, replicas, type PodOverrides } from '../../support/builders/pod.js';
import { firstTypes, leftOut, placeOf, planFor, reasonFor } from '../read-plan.js';

const OPEN = [poolOfTenancies()];
const DEDICATED = { [INSTANCE_TENANCY]: 'dedicated' };
/** Only one fits an m6i.large. */
const WHOLE = { requests: { cpu: '1800m', memory: '6Gi' } };

function asking(overrides: PodOverrides = {}) {
  return pod({ name: 'asking', nodeSelector: DEDICATED, ...overrides });
}

function tenancies({ claims }: Plan): readonly (string | undefined)[] {
  return claims.map(({ chosenLabels }) => chosenLabels.get(INSTANCE_TENANCY));
}

describe('plan, where a pool leaves the tenancy open', () => {
  test('launches a dedicated instance at its own price for the pod that selects it, and usual ones for others', () => {
    const plan = planFor({ pods: [asking(WHOLE), pod({ name: 'any', ...WHOLE })], pools: OPEN });
    const byTenancy = new Map(plan.claims.map((claim) => [claim.chosenLabels.get(INSTANCE_TENANCY), claim]));
    const [own, usual] = [byTenancy.get('dedicated'), byTenancy.get(undefined)];
    expect([own?.pods, usual?.pods]).toEqual([['default/asking'], ['default/any']]);
    expect(own?.instanceTypes).toEqual(usual?.instanceTypes);
    expect((own?.hourlyPrice ?? 0) / (usual?.hourlyPrice ?? 0)).toBeCloseTo(1.06, 4);
  });

  test('lets pods that ask for nothing share the node of one that asks', () => {
    const plan = planFor({ pods: [asking(), pod({ name: 'any' })], pools: OPEN });
    expect(tenancies(plan)).toEqual(['dedicated']);
    expect(plan.claims[0]?.pods).toEqual(['default/any', 'default/asking']);
  });

  test.each([
    [
      'requires it of its nodes',
      { nodeAffinity: requiredTerms(nodeTerm(oneOf(INSTANCE_TENANCY, 'dedicated'))) },
    ],
    [
      'excludes the usual tenancy',
      { nodeAffinity: requiredTerms(nodeTerm(requirement(INSTANCE_TENANCY, 'NotIn', ['default']))) },
    ],
    [
      'prefers it',
      { nodeAffinity: { preferred: [{ weight: 1, term: nodeTerm(oneOf(INSTANCE_TENANCY, 'dedicated')) }] } },
    ],
  ])('launches one for a pod that %s', (_, overrides) => {
    expect(tenancies(planFor({ pods: [pod(overrides)], pools: OPEN }))).toEqual(['dedicated']);
  });

  test('launches usual instances for pods that allow both', () => {
    const either = requiredTerms(nodeTerm(oneOf(INSTANCE_TENANCY, 'default', 'dedicated')));
    const plan = planFor({ pods: [pod({ nodeAffinity: either, ...WHOLE }), asking(WHOLE)], pools: OPEN });
    expect(plan.claims.map(({ pods, chosenLabels }) => [pods, chosenLabels.size])).toContainEqual([
      ['default/pod'],
      0,
    ]);
  });

  test('keeps pods that select the usual tenancy off dedicated nodes', () => {
    const usual = pod({ name: 'usual', nodeSelector: { [INSTANCE_TENANCY]: 'default' } });
    const plan = planFor({ pods: [asking(), usual], pools: OPEN });
    expect(plan.claims.map(({ pods }) => pods)).toEqual([['default/usual'], ['default/asking']]);
  });

  test('uses a dedicated node that exists before it launches another', () => {
    const nodes = [
      node({ name: 'usual', labels: { [INSTANCE_TENANCY]: 'default' } }),
      node({ name: 'own', labels: DEDICATED }),
    ];
    const plan = planFor({ pods: [asking()], nodes, pools: OPEN });
    expect([placeOf(plan, 'asking'), plan.claims]).toEqual(['own', []]);
  });

  test('prices existing nodes by their tenancy', () => {
    const where = { [INSTANCE_TYPE]: 'm6i.large', [ZONE]: ZONE_A, 'karpenter.sh/capacity-type': 'on-demand' };
    const nodes = [
      node({ name: 'usual', labels: { ...where, [INSTANCE_TENANCY]: 'default' } }),
      node({ name: 'own', labels: { ...where, ...DEDICATED } }),
    ];
    expect(planFor({ nodes, pools: OPEN }).cost.existingHourly).toBeCloseTo(0.096 * 2.06, 6);
  });

  test('counts nodes of both tenancies against the limits of the pool', () => {
    const pools = [poolOfTenancies({ limits: { nodes: '2' } })];
    const nodes = [
      node({ name: 'there', labels: { [NODEPOOL]: 'default', ...DEDICATED }, unschedulable: true }),
    ];
    const pods = [
      asking(WHOLE),
      pod({ name: 'any', ...WHOLE, nodeSelector: { [INSTANCE_TENANCY]: 'default' } }),
    ];
    const plan = planFor({ pods, nodes, pools });
    expect(plan.claims).toHaveLength(1);
    expect(plan.unschedulable[0]?.reasons[0]?.reason.code).toBe('LimitReached');
  });

  test('fills what a reservation of dedicated instances has left first', () => {
    const types = [
      instanceType({ name: 'm6i.large' }),
      instanceType({ name: 'm6i.xlarge', vcpu: 4, price: 0.192 }),
    ];
    const reserved = offering({ capacityType: 'reserved', price: 0, reservation: { id: 'cr-1', count: 1 } });
    const pool = poolOfTenancies({}, types);
    const dedicatedTypes = pool.dedicatedTypes?.map((type) =>
      type.name === 'm6i.xlarge' ? { ...type, offerings: [...type.offerings, reserved] } : type,
    );
    const pods = [asking({ name: 'a', ...WHOLE }), asking({ name: 'b', requests: { cpu: '3500m' } })];
    const plan = planFor({ pods, pools: [{ ...pool, dedicatedTypes }] });
    expect(tenancies(plan)).toEqual(['dedicated', 'dedicated']);
    expect(plan.claims.map(({ capacityTypes, pods: inside }) => [capacityTypes, inside])).toContainEqual([
      ['reserved'],
      ['default/b'],
    ]);
  });

  test.each([1, 5, 20])(
    'launches usual instances where dedicated ones cost the same, for %i pods of each kind that do not ask',
    (count) => {
      const pool = poolOfTenancies();
      const dedicatedTypes = pool.dedicatedTypes?.map((type, index) => ({
        ...type,
        offerings: pool.instanceTypes?.[index]?.offerings ?? [],
      }));
      const others = [WHOLE, { requests: { cpu: '700m', memory: '2Gi' } }].flatMap((each, kind) =>
        replicas(count, { name: `kind-${String(kind)}`, ...each }),
      );
      const { claims } = planFor({ pods: [asking(WHOLE), ...others], pools: [{ ...pool, dedicatedTypes }] });
      const dedicated = claims.filter(({ chosenLabels }) => chosenLabels.has(INSTANCE_TENANCY));
      expect(dedicated.map(({ pods }) => pods.includes('default/asking'))).toEqual([true]);
    },
  );

  test('combines it with labels that the pool leaves open', () => {
    const pools = [poolOfTenancies({ requirements: [requirement('team', 'Exists')] })];
    const plan = planFor({ pods: [asking({ nodeSelector: { ...DEDICATED, team: 'red' } })], pools });
    expect([...(plan.claims[0]?.chosenLabels ?? [])].sort()).toEqual([
      [INSTANCE_TENANCY, 'dedicated'],
      ['team', 'red'],
    ]);
  });

  test('chooses it where pods ask for more combinations of labels than are made', () => {
    const pools = [poolOfTenancies({ requirements: [requirement('team', 'Exists')] })];
    const pods = Array.from({ length: 33 }, (_, index) =>
      asking({ name: `p${String(index)}`, nodeSelector: { ...DEDICATED, team: `t${String(index)}` } }),
    );
    const plan = planFor({ pods, pools });
    expect([leftOut(plan), new Set(tenancies(plan))]).toEqual([[], new Set(['dedicated'])]);
  });
});

describe('a pod that selects dedicated instances', () => {
  test('is told the one requirement that keeps a pool from launching them', () => {
    const pools = [poolOfTenancies({ requirements: [oneOf(INSTANCE_TENANCY, 'default')] })];
    expect(reasonFor(planFor({ pods: [asking()], pools }), 'asking')).toEqual({
      code: 'IncompatibleLabel',
      key: INSTANCE_TENANCY,
      wanted: 'In [dedicated]',
      offered: '[default]',
      pool: { kind: 'allow', values: ['dedicated'] },
    });
  });

  test('gets nothing from a pool whose template has the usual tenancy as a label', () => {
    const pools = [poolOfTenancies({ labels: { [INSTANCE_TENANCY]: 'default' } })];
    expect(reasonFor(planFor({ pods: [asking()], pools }), 'asking')?.code).toBe('IncompatibleLabel');
  });

  test('is launched by a pool that requires them, which chooses nothing', () => {
    const required = nodePool({ requirements: [oneOf(INSTANCE_TENANCY, 'dedicated')] });
    const types = ofTenancy(poolOffer().instanceTypes ?? [], 'dedicated');
    const plan = planFor({ pods: [asking()], pools: [{ pool: required, instanceTypes: types }] });
    expect([firstTypes(plan), tenancies(plan)]).toEqual([['c7g.large'], [undefined]]);
  });
});
