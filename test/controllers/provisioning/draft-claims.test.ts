import { draftClaims, type WantedClaim } from '../../../src/controllers/provisioning/draft-claims.js';
import {
  CAPACITY_TYPE,
  INSTANCE_PREFIX,
  INSTANCE_TYPE,
  NODEPOOL,
  ZONE,
} from '../../../src/domain/values/labels.js';
import {
  LAUNCH_GROUP_ANNOTATION,
  LAUNCH_GROUP_SIZE_ANNOTATION,
} from '../../../src/domain/nodes/node-claim.js';
import { formatRequirement, requirement } from '../../../src/domain/values/requirement.js';
import type { PlannedClaim } from '../../../src/planning/plan.js';
import { instanceType } from '../../support/builders/instance-type.js';
import { nodePool, type NodePoolOverrides } from '../../support/builders/node-pool.js';
import { amounts } from '../../support/builders/pod.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';
import { constantRandom } from '../../support/constant-random.js';
import { seededRandom } from '../../../world/seeded-random.js';

const TYPES = [instanceType({ name: 'm6i.large' }), instanceType({ name: 'm7g.large', arch: 'arm64' })];

function wanted(planned: Partial<PlannedClaim> = {}, pool: NodePoolOverrides = {}): WantedClaim {
  return {
    planned: {
      name: 'default-1',
      nodePool: 'default',
      instanceTypes: ['m7g.large', 'm6i.large'],
      zones: ['us-east-1b'],
      capacityTypes: ['spot'],
      chosenLabels: new Map(),
      pods: ['default/pod'],
      requests: amounts({ cpu: '1' }),
      allocatable: amounts({ cpu: '2' }),
      hourlyPrice: 0.1,
      hourlyPriceMax: 0.2,
      estimated: false,
      ...planned,
    },
    pool: nodePool(pool),
    types: TYPES,
    pods: [unschedulablePod()],
  };
}

function drafted(...claims: readonly WantedClaim[]) {
  return draftClaims(claims, seededRandom(), () => false).map(({ claim }) => claim);
}

describe('draftClaims', () => {
  test('names are the pool and five characters, distinct, and fit into a label', () => {
    const name = 'a'.repeat(60);
    const claims = drafted(...Array.from({ length: 50 }, () => wanted({}, { name })));
    const names = claims.map((claim) => claim.name);
    expect(new Set(names).size).toBe(50);
    for (const each of names) expect(each).toMatch(/^a{57}-[a-z0-9]{5}$/);
  });

  test('a name that is taken is not used', () => {
    let asked = 0;
    const isTaken = (): boolean => asked++ === 0;
    const [draft] = draftClaims([wanted()], seededRandom(), isTaken);
    expect(asked).toBe(2);
    expect(draft?.claim.name).not.toBe(draftClaims([wanted()], seededRandom(), () => false)[0]?.claim.name);
  });

  test('requirements are the pool narrowed to the plan, instance types in their rank', () => {
    const requirements = [
      requirement(INSTANCE_TYPE, 'In', ['m6i.large', 'm7g.large', 'c6i.large'], 2),
      requirement(`${INSTANCE_PREFIX}category`, 'In', ['m', 'c']),
      requirement('tier', 'Exists'),
    ];
    const [claim] = drafted(wanted({ chosenLabels: new Map([['tier', 'gold']]) }, { requirements }));
    const told = new Map(claim?.spec.requirements.map((item) => [item.key, item]));
    expect([...(told.get(INSTANCE_TYPE)?.values ?? [])]).toEqual(['m7g.large', 'm6i.large']);
    expect(told.get(INSTANCE_TYPE)?.minValues).toBe(2);
    const words = [...told].map(([key, item]) => `${key} ${formatRequirement(item)}`);
    expect(words).toEqual([
      `${INSTANCE_TYPE} In [m6i.large, m7g.large]`,
      `${INSTANCE_PREFIX}category In [c, m]`,
      'tier In [gold]',
      `${ZONE} In [us-east-1b]`,
      `${CAPACITY_TYPE} In [spot]`,
      'kubernetes.io/arch In [amd64, arm64]',
      'kubernetes.io/os In [linux]',
      `${NODEPOOL} In [default]`,
    ]);
    expect(claim?.labels.get('tier')).toBe('gold');
  });

  test('claims that one launch can serve are one group, whatever their pods ask; others are not', () => {
    const claims = drafted(
      wanted(),
      wanted({ requests: amounts({ cpu: '500m' }) }),
      wanted({ zones: ['us-east-1c'] }),
      wanted({ chosenLabels: new Map([['tier', 'gold']]) }),
    );
    const groups = claims.map(({ annotations }) => annotations.get(LAUNCH_GROUP_ANNOTATION));
    expect(groups[0]).toBe(groups[1]);
    expect(new Set(groups).size).toBe(3);
    expect(claims.map(({ annotations }) => annotations.get(LAUNCH_GROUP_SIZE_ANNOTATION))).toEqual([
      '2',
      '2',
      '1',
      '1',
    ]);
  });

  test('claims of which one is for pods with devices are two groups: an instance may be launched without them', () => {
    const claims = drafted(
      wanted(),
      wanted({ requests: amounts({ cpu: '1', 'vpc.amazonaws.com/efa': '1' }) }),
    );
    const groups = claims.map(({ annotations }) => annotations.get(LAUNCH_GROUP_ANNOTATION));
    expect(new Set(groups).size).toBe(2);
  });

  test('two batches never share a group', () => {
    const random = constantRandom();
    const batches = [1, 2].map(() => draftClaims([wanted()], random, () => false)[0]?.claim);
    const groups = batches.map((claim) => claim?.annotations.get(LAUNCH_GROUP_ANNOTATION));
    expect(new Set(groups).size).toBe(2);
  });
});
