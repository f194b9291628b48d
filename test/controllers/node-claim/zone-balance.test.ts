/** Which zone instances of one price start in. */
import { ZoneBalance, zonesWithRoom } from '../../../src/controllers/node-claim/launch/zone-balance.js';
import type { NodeClaim } from '../../../src/domain/nodes/node-claim.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { launchStatus, nodeClaim } from '../../support/builders/node-claim.js';
import { ClaimWorld } from './claim-world.js';

const ZONES = ['a', 'b', 'c'];

function launched(name: string, zone: string, nodePool = 'general'): NodeClaim {
  return nodeClaim({ name, spec: { nodePool }, status: { zone } });
}

function preferred(
  claims: readonly NodeClaim[],
  free?: Readonly<Record<string, number>>,
  size = 1,
): readonly string[] {
  const freeAddresses = free && new Map(Object.entries(free));
  const balance = new ZoneBalance(() => claims);
  return balance.preferred({ nodePool: 'general', resolved: { zones: ZONES, freeAddresses }, size });
}

describe('the preferred zone', () => {
  test('is the one with fewest nodes of the pool', () => {
    const claims = [launched('1', 'a'), launched('2', 'b'), launched('3', 'a'), launched('4', 'c', 'other')];
    expect(preferred(claims)).toEqual(['c', 'b', 'a']);
  });

  test('is, among equals, the one with most free addresses', () => {
    expect(preferred([], { a: 10, b: 30, c: 20 })).toEqual(['b', 'c', 'a']);
    expect(preferred([launched('1', 'b')], { a: 10, b: 30, c: 20 })).toEqual(['c', 'a', 'b']);
  });

  test('has room for all instances that are wanted, if any has', () => {
    const claims = [launched('1', 'a')];
    expect(preferred(claims, { a: 10, b: 3, c: 2 }, 5)).toEqual(['a', 'b', 'c']);
    expect(preferred(claims, { a: 10 }, 5)).toEqual(['b', 'c', 'a']);
  });

  test('has a free address', () => {
    expect(preferred([], { a: 0, b: -2, c: 1 })).toEqual(['c']);
    expect(zonesWithRoom({ zones: ZONES })).toEqual(ZONES);
  });

  test('counts nodes that leave no longer, and those that are asked for already', () => {
    const leaving = { ...launched('1', 'b'), deletionTimestamp: 1 };
    const [override] = launchStatus().request.overrides;
    const overrides = override === undefined ? [] : [{ ...override, zone: 'a' }];
    const launch = launchStatus({ request: { capacityType: 'on-demand', size: 1, overrides } });
    const asked = nodeClaim({ name: '2', status: { launch } });
    expect(preferred([leaving, asked])).toEqual(['b', 'c', 'a']);
    const spot = { ...launch, request: { ...launch.request, capacityType: 'spot' as const } };
    expect(preferred([nodeClaim({ status: { launch: spot } })])).toEqual(ZONES);
  });

  test('counts launches that begin at the same time, until they are written down', () => {
    const balance = new ZoneBalance(() => []);
    const question = { nodePool: 'general', resolved: { zones: ZONES }, size: 2 };
    balance.begins('group-1', question, 'a');
    balance.begins('group-2', { nodePool: 'other', size: 9 }, 'b');
    expect(balance.preferred(question)).toEqual(['b', 'c', 'a']);
    balance.begun('group-1');
    expect(balance.preferred(question)).toEqual(ZONES);
  });
});

describe('a world with three zones of one price', () => {
  const requirements = [
    requirement('node.kubernetes.io/instance-type', 'In', ['m5.large']),
    requirement('karpenter.sh/capacity-type', 'In', ['on-demand']),
  ];

  test('launches that begin together go to different zones', async () => {
    const world = new ClaimWorld();
    world.start();
    const names = ['general-1', 'general-2', 'general-3'];
    for (const name of names) await world.launchGroup([name], { requirements }, `group-of-${name}`);
    await world.seconds(20);
    expect(
      world
        .liveInstances()
        .map(({ zone }) => zone)
        .sort(),
    ).toEqual(['eu-west-3a', 'eu-west-3b', 'eu-west-3c']);
  });
});
