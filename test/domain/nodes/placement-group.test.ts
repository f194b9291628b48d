/** What placement groups have room for beside the instances that are in them. */
import { canBeIn, instancesOf, roomIn, roomInZone } from '../../../src/domain/nodes/placement-group.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { placementGroup } from '../../support/builders/placement-group.js';
import { launchStatus, nodeClaim, type NodeClaimOverrides } from '../../support/builders/node-claim.js';

const [A, B] = ['eu-west-3a', 'eu-west-3b'];

function member(overrides: NodeClaimOverrides = {}) {
  return nodeClaim({ labels: new Map([['karpenter.k8s.aws/placement-group-id', 'pg-1']]), ...overrides });
}

/** So many that run in a zone. */
function running(zone: string, count: number) {
  return Array.from({ length: count }, () => member({ status: { zone, providerID: 'aws:///a/i-1' } }));
}

describe('instances of a group', () => {
  test('are those of its claims, by the zone where they are or are going to be, and those of others', () => {
    const inZone = { requirements: [requirement('topology.kubernetes.io/zone', 'In', [A])] };
    const claims = [
      ...running(A, 2),
      member({ spec: inZone }),
      member(),
      member({ status: { launch: launchStatus({ answeredAt: undefined }) } }),
      member({ deletionTimestamp: 1 }),
      nodeClaim({ status: { zone: A } }),
    ];
    const found = instancesOf(placementGroup({ others: new Map([[B, 3]]) }), claims);
    expect([...found.byZone]).toEqual([
      [B, 3],
      [A, 3],
    ]);
    expect(found.unplaced).toBe(2);
  });

  test('leave a spread group room for seven in each zone, less those that are going to be in any', () => {
    const group = placementGroup();
    const instances = instancesOf(group, [...running(A, 5), ...running(B, 7), member()]);
    expect([A, B].map((zone) => roomInZone(group, zone, instances))).toEqual([2, 0]);
    expect(roomIn(group, [A, B], instances)).toBe(1);
    expect(roomIn(placementGroup({ spreadLevel: 'host' }), [A, B], instances)).toBe(Infinity);
  });

  test('keep a cluster in their zone, and leave partitions any', () => {
    const close = placementGroup({ strategy: 'cluster' });
    const some = instancesOf(close, running(B, 1));
    expect([A, B].map((zone) => roomInZone(close, zone, some))).toEqual([0, Infinity]);
    expect([A, B].map((zone) => roomInZone(close, zone, instancesOf(close, [])))).toEqual([
      Infinity,
      Infinity,
    ]);
    const parted = placementGroup({ strategy: 'partition', partitions: 3 });
    expect(roomInZone(parted, A, instancesOf(parted, running(A, 100)))).toBe(Infinity);
  });
});

test.each([
  ['cluster', 't3.large', false],
  ['cluster', 'm7i-flex.large', false],
  ['cluster', 'mac2.metal', false],
  ['cluster', 'trn1.32xlarge', true],
  ['spread', 't3.large', true],
] as const)('a %s can have an %s: %s', (strategy, name, expected) => {
  expect(canBeIn(placementGroup({ strategy }), { name })).toBe(expected);
});
