import { ZONE } from '../../../src/domain/values/labels.js';
import { disrupt } from '../../../src/planning/disrupt/methods.js';
import type { DisruptionAnswer, DisruptionInput } from '../../../src/planning/disrupt/question/disruption.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { oneOf } from '../../support/builders/constraints.js';
import {
  disruptionOptions,
  disruptionTerms,
  fleet,
  NOW,
  typeNamed,
  withClaimCondition,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { ZONE_B } from '../../support/builders/instance-type.js';
import { poolOffer, type NodePoolOverrides } from '../../support/builders/node-pool.js';

const DRIFTED = withClaimCondition('Drifted');
const POD = { requests: { cpu: '1' } };
const LARGE = typeNamed('m6i.large');

function staticFleet(nodes: readonly FleetNode[], pool: NodePoolOverrides = {}): DisruptionInput {
  const pools = [poolOffer({ replicas: nodes.length, disruption: disruptionTerms(), ...pool })];
  return fleet(nodes, { cluster: clusterInput({ pools }) });
}

function answerTo(input: DisruptionInput): DisruptionAnswer {
  return disrupt(input, disruptionOptions());
}

describe('a node of a static pool', () => {
  test('that has drifted is replaced by another of the pool in its zone, which takes its pods', () => {
    const node: FleetNode = { name: 'a', type: LARGE, zone: ZONE_B, managed: DRIFTED, pods: [POD] };
    const { commands } = answerTo(staticFleet([node]));
    expect(commands).toMatchObject([
      {
        reason: 'Drifted',
        nodes: ['a'],
        claims: [{ name: 'default-1', nodePool: 'default', zones: [ZONE_B], pods: ['default/a-0'] }],
        placements: [{ pod: 'default/a-0', target: { kind: 'NodeClaim', name: 'default-1' } }],
        unplaced: [],
      },
    ]);
  });

  test('is replaced though it is empty and others have room', () => {
    const nodes: readonly FleetNode[] = [
      { name: 'a', type: LARGE, managed: DRIFTED },
      { name: 'b', type: LARGE },
    ];
    const { commands } = answerTo(staticFleet(nodes));
    expect(commands).toMatchObject([{ nodes: ['a'], claims: [{ nodePool: 'default' }], placements: [] }]);
  });

  test('waits for budgets when it drifts', () => {
    const nodes = ['a', 'b', 'c'].map((name): FleetNode => ({ name, type: LARGE, managed: DRIFTED }));
    const two = { nodes: { count: 2 }, reasons: undefined, window: undefined };
    const { commands, refusals } = answerTo(
      staticFleet(nodes, { disruption: disruptionTerms({ budgets: [two] }) }),
    );
    expect(commands.map(({ claims, nodes: going }) => [going, claims.length])).toEqual([
      [['a'], 1],
      [['b'], 1],
    ]);
    expect(new Set(commands.flatMap(({ claims }) => claims.map(({ name }) => name))).size).toBe(2);
    expect(refusals[0]).toMatchObject({ node: 'c', reason: 'Drifted', refusal: { code: 'Budget' } });
  });

  test('stays while limits.nodes leaves no room for its replacement', () => {
    const nodes = ['a', 'b'].map((name): FleetNode => ({ name, type: LARGE, managed: DRIFTED }));
    const { commands, refusals } = answerTo(staticFleet(nodes, { limits: { nodes: '3' } }));
    expect(commands.map(({ nodes: going }) => going)).toEqual([['a']]);
    expect(refusals[0]).toMatchObject({ node: 'b', refusal: { code: 'StaticPoolFull', limit: 3 } });
  });

  test('goes first where limits.nodes leaves no room for its replacement and its pool says so, as budgets let it', () => {
    const nodes = ['a', 'b'].map((name): FleetNode => ({ name, type: LARGE, managed: DRIFTED, pods: [POD] }));
    const one = { nodes: { count: 1 }, reasons: undefined, window: undefined };
    const disruption = disruptionTerms({ terminateFirst: true, budgets: [one] });
    const { commands, refusals } = answerTo(staticFleet(nodes, { disruption, limits: { nodes: '2' } }));
    expect(commands).toMatchObject([
      {
        reason: 'Drifted',
        nodes: ['a'],
        claims: [],
        unplaced: ['default/a-0'],
        terminateFirst: 'static-at-limit',
      },
    ]);
    expect(refusals[0]).toMatchObject({ node: 'b', refusal: { code: 'Budget' } });
  });

  test.each<[string, Partial<FleetNode>, number]>([
    ['is not initialized', { managed: { initialized: false } }, 2],
    ['is not ready', { managed: { ready: false } }, 2],
    ['is leaving', { managed: { leaving: true } }, 2],
    ['is missing', {}, 3],
  ])('stays though it may go first while another of its pool %s', (_, other, replicas) => {
    const nodes: readonly FleetNode[] = [
      { name: 'a', type: LARGE, managed: DRIFTED },
      { name: 'b', type: LARGE, ...other },
    ];
    const disruption = disruptionTerms({ terminateFirst: true });
    const { commands, refusals } = answerTo(
      staticFleet(nodes, { disruption, replicas, limits: { nodes: '2' } }),
    );
    expect(commands).toEqual([]);
    expect(refusals[0]).toMatchObject({ node: 'a', refusal: { code: 'NodesMissing' } });
  });

  test('stays though it may go first while nothing of its pool can be launched', () => {
    const node: FleetNode = { name: 'a', type: LARGE, managed: DRIFTED };
    const pool = {
      disruption: disruptionTerms({ terminateFirst: true }),
      requirements: [oneOf(ZONE, 'no-such-zone')],
      limits: { nodes: '1' },
    };
    const { commands, refusals } = answerTo(staticFleet([node], pool));
    expect(commands).toEqual([]);
    expect(refusals[0]).toMatchObject({ node: 'a', refusal: { code: 'StaticPoolFull' } });
  });

  test('stays while nothing of its pool can be launched', () => {
    const node: FleetNode = { name: 'a', type: LARGE, managed: DRIFTED };
    const { commands, refusals } = answerTo(
      staticFleet([node], { requirements: [oneOf(ZONE, 'no-such-zone')] }),
    );
    expect(commands).toEqual([]);
    expect(refusals[0]).toMatchObject({ node: 'a', reason: 'Drifted', refusal: { code: 'NoReplica' } });
  });

  test.each([
    ['is interrupted', withClaimCondition('Interrupted')],
    ['has expired', { expiresAt: NOW - 1000 }],
    ['is unhealthy', withClaimCondition('Unhealthy')],
  ])('that %s is replaced by another of the pool', (_, managed) => {
    const { commands } = answerTo(staticFleet([{ name: 'a', type: LARGE, managed, pods: [POD] }]));
    expect(commands).toMatchObject([{ nodes: ['a'], claims: [{ nodePool: 'default' }], unplaced: [] }]);
  });

  test('stays while there are more than spec.replicas says, and goes without a replacement if it has to', () => {
    const drifted = ['a', 'b'].map((name): FleetNode => ({ name, type: LARGE, managed: DRIFTED }));
    const { commands, refusals } = answerTo(staticFleet(drifted, { replicas: 1 }));
    expect(commands).toEqual([]);
    expect(refusals[0]).toMatchObject({ node: 'a', refusal: { code: 'SurplusNodes', replicas: 1 } });
    const [, other] = drifted;
    const interrupted: FleetNode = { name: 'a', type: LARGE, managed: withClaimCondition('Interrupted') };
    const nodes = other === undefined ? [interrupted] : [interrupted, other];
    expect(answerTo(staticFleet(nodes, { replicas: 1 })).commands).toMatchObject([
      { reason: 'Interrupted', nodes: ['a'], claims: [] },
    ]);
  });

  test('that is interrupted goes without a replacement where limits.nodes leaves no room for one', () => {
    const node: FleetNode = { name: 'a', type: LARGE, managed: withClaimCondition('Interrupted') };
    const { commands } = answerTo(staticFleet([node], { limits: { nodes: '1' } }));
    expect(commands).toMatchObject([{ nodes: ['a'], claims: [] }]);
  });
});
