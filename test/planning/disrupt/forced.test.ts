/** Nodes that go whatever happens: interrupted, unhealthy and expired ones, and where their pods go. */
import type { Pod } from '../../../src/domain/pods/pod.js';
import { ZONE } from '../../../src/domain/values/labels.js';
import { disrupt } from '../../../src/planning/disrupt/methods.js';
import type { DisruptionInput } from '../../../src/planning/disrupt/question/disruption.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { spreadOver } from '../../support/builders/constraints.js';
import {
  disruptionOptions,
  disruptionTerms,
  fleet,
  NOW,
  withClaimCondition,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { ZONE_A, ZONE_B, ZONE_C } from '../../support/builders/instance-type.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod } from '../../support/builders/pod.js';
import { answerTo, codesOf, commandsOf, SMALL, wasteful } from './answers.js';

const EXPIRED = { expiresAt: NOW - 1000 };

describe('nodes that must go', () => {
  test('go first, one command each, whatever their budgets, pods and state', () => {
    const managed = { initialized: false, doNotDisrupt: 'true' };
    const nodes = [
      wasteful('a', EXPIRED),
      wasteful('b', { ...managed, ...withClaimCondition('Unhealthy') }),
      wasteful('c', { ...managed, ...withClaimCondition('Interrupted') }),
      wasteful('d', withClaimCondition('Interrupted')),
      { name: 'e' },
    ];
    const budgets = [{ nodes: { count: 1 }, reasons: undefined, window: undefined }];
    const answer = answerTo(fleet(nodes, { terms: { budgets } }));
    expect(commandsOf(answer)).toEqual(['Interrupted c', 'Interrupted d', 'Unhealthy b', 'Expired a']);
  });

  test('leave pods without a place, and say which', () => {
    const node = {
      ...wasteful('a', withClaimCondition('Interrupted'), [{ ...SMALL, nodeSelector: { rack: '7' } }, SMALL]),
      labels: { rack: '7' },
    };
    const [command] = answerTo(fleet([node])).commands;
    expect(command).toMatchObject({ unplaced: ['default/a-0'], placements: [{ pod: 'default/a-1' }] });
  });

  test('do not get pods of each other', () => {
    const forced = withClaimCondition('Interrupted');
    const { commands } = answerTo(fleet([wasteful('a', forced), wasteful('b', forced)]));
    expect(commands.flatMap(({ placements }) => placements.map(({ target }) => target.kind))).toEqual([
      'NodeClaim',
      'NodeClaim',
    ]);
  });

  describe('whose pods are spread over zones, while a pod moves from one of them to another', () => {
    const web = { app: 'web' };
    const spread = { ...SMALL, labels: web, spread: [spreadOver(ZONE, web)] };
    const nothingToBuy = poolOffer({ disruption: disruptionTerms() }, []);
    /**
     * A pod leaves the node `left` of zone B for zone C, which is as full as zone A then. So the pod of `next` has to stay in zone B, where
     * `roomy` has room, and cannot be bound there before the other has left.
     */
    const whileMoving = (left: FleetNode['managed']): DisruptionInput => {
      const moving = (nodeName: string, move: 'leaves' | 'comes'): Pod =>
        pod({ ...spread, name: move, nodeName, move });
      return fleet(
        [
          { ...wasteful('left', { leaving: true, ...left }, []), zone: ZONE_B },
          { ...wasteful('next', withClaimCondition('Interrupted'), [spread]), zone: ZONE_B },
          { name: 'a', zone: ZONE_A, pods: [spread, spread] },
          { name: 'roomy', zone: ZONE_B, pods: [spread] },
          { name: 'c', zone: ZONE_C, pods: [spread] },
        ],
        {
          cluster: clusterInput({
            pools: [nothingToBuy],
            pods: [moving('left', 'leaves'), moving('c', 'comes')],
          }),
        },
      );
    };

    test('have a place in a zone that takes them once the cloud has taken the other node', () => {
      const [command] = answerTo(whileMoving(withClaimCondition('Interrupted'))).commands;
      expect(command).toMatchObject({
        nodes: ['next'],
        placements: [{ target: { name: 'roomy' } }],
        unplaced: [],
      });
    });

    test('wait where the other node may stay for long', () => {
      const [command] = answerTo(whileMoving({})).commands;
      expect(command).toMatchObject({ nodes: ['next'], placements: [], unplaced: ['default/next-0'] });
    });
  });

  test('go even when no work is left to look for places', () => {
    const input = fleet([wasteful('a', withClaimCondition('Interrupted'))]);
    const { commands } = disrupt(input, disruptionOptions({ simulations: 0 }));
    expect(commands).toMatchObject([{ nodes: ['a'], claims: [], unplaced: ['default/a-0'] }]);
  });

  test('wait for the next pass where the work is used up, the oldest going first, unless they are taken away anyhow', () => {
    const expired = (name: string, ago: number, managed = {}): FleetNode =>
      wasteful(name, { expiresAt: NOW - ago, ...managed });
    const answer = answerTo(fleet([expired('a', 1000), expired('b', 3000), expired('c', 2000)]), {
      simulations: 2,
    });
    expect(answer.commands).toMatchObject([
      { reason: 'Expired', nodes: ['b'], unplaced: [] },
      { reason: 'Expired', nodes: ['c'], unplaced: [] },
    ]);
    expect(codesOf(answer)).toContain('a Expired NotLookedAt');
    const leaving = { leaving: true };
    const later = [expired('a', 1000), expired('b', 3000, leaving), expired('c', 2000, leaving)];
    expect(answerTo(fleet(later), { simulations: 2 }).commands).toMatchObject([
      { reason: 'Expired', nodes: ['a'], unplaced: [] },
    ]);
    const spot = ['a', 'b', 'c'].map((name) => wasteful(name, withClaimCondition('Interrupted')));
    expect(commandsOf(answerTo(fleet(spot), { simulations: 2 }))).toEqual([
      'Interrupted a',
      'Interrupted b',
      'Interrupted c',
    ]);
  });

  test('do not wait for another pass that could find no place either', () => {
    const { commands } = disrupt(fleet([wasteful('a', EXPIRED)]), disruptionOptions({ simulations: 0 }));
    expect(commands).toMatchObject([{ nodes: ['a'], claims: [], unplaced: ['default/a-0'] }]);
  });
});
