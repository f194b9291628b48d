/** Many pools of many types: what others outclass is left out, and no pod is worse off for it. */
import { ARCH } from '../../../src/domain/values/labels.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import type { Pod } from '../../../src/domain/pods/pod.js';
import { compileTemplates } from '../../../src/planning/model/launch/template.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { nodeTerm, oneOf, podTerm, taint, tolerateKey } from '../../support/builders/constraints.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { poolOffer, type NodePoolOverrides } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';
import { planOf } from '../laws/plan-of.js';
import { firstTypes } from '../read-plan.js';

/** Rows that all pools together may have before types are left out. */
const MOST_ROWS = 12_288;
const FAMILIES = 100;

/** For 1 to 8 CPUs a family of each price: all but the cheapest few are outclassed by many. */
const TYPES: readonly InstanceType[] = [1, 2, 4, 8].flatMap((vcpu) =>
  Array.from({ length: FAMILIES }, (_, family) =>
    instanceType({
      name: `f${String(family)}.x${String(vcpu)}`,
      arch: family === FAMILIES - 1 ? 'arm64' : 'amd64',
      vcpu,
      memoryMiB: 4096 * vcpu,
      price: vcpu * (1 + family / 1000),
      labels: { speed: family < FAMILIES / 2 ? 'slow' : 'fast', rack: `r${String(family % 2)}` },
    }),
  ),
);
const NAME_OF_ARM = `f${String(FAMILIES - 1)}.x1`;

function pools(count: number, overrides: NodePoolOverrides = {}): readonly PoolOffer[] {
  return Array.from({ length: count }, (_, index) =>
    poolOffer({ name: `pool-${String(index)}`, ...overrides }, TYPES),
  );
}

/** Names of the types of each pool. */
function namesOf(offers: readonly PoolOffer[], ...pods: readonly Pod[]): readonly (readonly string[])[] {
  const templates = compileTemplates(buildSnapshot(clusterInput({ pools: offers, pods })));
  return templates.map(({ types }) => types.map(({ name }) => name));
}

describe('types of many pools', () => {
  test('are all kept while the pools together have few', () => {
    expect(namesOf(pools(30)).map(({ length }) => length)).toEqual(Array.from({ length: 30 }, () => 400));
  });

  test('are all kept in pools that require so few of them that all pools together have few', () => {
    const requirements = [oneOf(ARCH, 'arm64')];
    expect(namesOf(pools(40, { requirements }))[0]).toHaveLength(400);
  });

  test('are no more than planning can look at, the cheapest among them', () => {
    const names = namesOf(pools(100));
    expect(names.flat().length).toBeLessThanOrEqual(MOST_ROWS);
    for (const vcpu of [1, 2, 4, 8]) expect(names[0]).toContain(`f0.x${String(vcpu)}`);
  });

  test('are as many as planning can look at: a claim still has types to choose from', () => {
    expect(namesOf(pools(100)).flat().length).toBeGreaterThan(MOST_ROWS * 0.9);
  });

  test('are distinguished by what pods ask of them, or prefer', () => {
    const asking = pod({ name: 'asking', nodeSelector: { speed: 'fast' } });
    const preferred = [{ weight: 1, term: nodeTerm(oneOf(ARCH, 'arm64')) }];
    const preferring = pod({ name: 'preferring', nodeAffinity: { preferred } });
    const [names] = namesOf(pools(100), asking, preferring);
    expect(names).toContain(`f${String(FAMILIES / 2)}.x1`);
    expect(names).toContain(NAME_OF_ARM);
    expect(namesOf(pools(100))[0]).not.toContain(NAME_OF_ARM);
  });

  test('are distinguished by labels over which pods are spread or kept apart', () => {
    const apart = pod({ podAntiAffinity: { required: [podTerm('rack', { app: 'pod' })] } });
    const racks = new Set(
      compileTemplates(buildSnapshot(clusterInput({ pools: pools(400), pods: [apart] })))[0]?.types.map(
        ({ labels }) => labels.get('rack'),
      ),
    );
    expect([...racks].sort()).toEqual(['r0', 'r1']);
  });

  test('are all kept in pools that count their values', () => {
    const requirements = [{ ...oneOf('speed', 'slow', 'fast'), minValues: 2 }];
    expect(namesOf(pools(100, { requirements }))[0]).toHaveLength(400);
  });

  test('are not left out for larger ones where a limit counts what they have', () => {
    const large = instanceType({ name: 'large.x8', vcpu: 8, memoryMiB: 65_536, price: 0.001 });
    const types = [...TYPES, large];
    const names = (overrides: NodePoolOverrides): readonly string[] | undefined =>
      namesOf(pools(3000, overrides).map((offer) => ({ ...offer, instanceTypes: types })))[0];
    expect(names({})).toEqual(['large.x8']);
    expect(names({ limits: { cpu: '4' } })).toEqual(['large.x8', 'f0.x1', 'f0.x2', 'f0.x4']);
  });

  test('do not change what pods cost: each goes to the cheapest type that its own pool has', () => {
    const offers = pools(40).map((offer, index) =>
      poolOffer({ name: offer.pool.name, taints: [taint(`tenant-${String(index)}`)] }, TYPES),
    );
    const pods = offers.map((_, index) =>
      pod({
        name: `p-${String(index)}`,
        requests: { cpu: index % 2 === 0 ? '500m' : '3' },
        tolerations: [tolerateKey(`tenant-${String(index)}`)],
      }),
    );
    // Checking so many pools rule by rule takes minutes.
    const made = planOf(clusterInput({ pods, pools: offers }));
    expect(new Set(firstTypes(made))).toEqual(new Set(['f0.x1', 'f0.x4']));
    expect(made.claims).toHaveLength(40);
  });
});
