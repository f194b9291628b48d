/** What replaces nodes is launched into capacity reservations as far as these go: they are paid, and new pods would use them. */
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { CAPACITY_RESERVATION_ID, CAPACITY_TYPE } from '../../../src/domain/values/labels.js';
import type { DisruptionAnswer } from '../../../src/planning/disrupt/question/disruption.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { oneOf } from '../../support/builders/constraints.js';
import {
  disruptionTerms,
  fleet,
  withClaimCondition,
  type FleetNode,
} from '../../support/builders/disruption-input.js';
import { offering, smallCatalogue, ZONE_A } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, type PodOverrides } from '../../support/builders/pod.js';
import { answerTo } from './answers.js';

const DRIFTED = withClaimCondition('Drifted');
/** One of these fills an m6i.large. */
const LARGE = { requests: { cpu: '1800m', memory: '1Gi' } };

/** m6i.large, on demand and as often as `count` in a reservation, and all other types. */
function types(count: number): readonly InstanceType[] {
  const reserved = offering({
    zone: ZONE_A,
    capacityType: 'reserved',
    price: 0,
    reservation: { id: 'cr-1', count },
  });
  return smallCatalogue().map((type) =>
    type.name === 'm6i.large' ? { ...type, offerings: [...type.offerings, reserved] } : type,
  );
}

function withReservation(nodes: readonly FleetNode[], count: number, ...capacityTypes: readonly string[]) {
  return withReservationBeside(nodes, {}, count, ...capacityTypes);
}

/** With what else there is in the cluster. */
function withReservationBeside(
  nodes: readonly FleetNode[],
  beside: Partial<ClusterInput>,
  count: number,
  ...capacityTypes: readonly string[]
) {
  const [first = 'reserved', ...others] = capacityTypes;
  const pool = poolOffer(
    {
      disruption: disruptionTerms({ terminateFirst: true }),
      requirements: [oneOf(CAPACITY_TYPE, first, ...others)],
    },
    types(count),
  );
  return fleet(nodes, { cluster: clusterInput({ pools: [pool], ...beside }) });
}

/** Reason and nodes of each command, and the reservations or capacity types of what comes instead. */
function replacements({ commands }: DisruptionAnswer): readonly string[] {
  return commands.map(({ reason, nodes, claims }) => {
    const to = claims.map(
      ({ chosenLabels, capacityTypes }) => chosenLabels.get(CAPACITY_RESERVATION_ID) ?? capacityTypes.join(),
    );
    return `${reason} ${nodes.join(' ')} → ${to.join(' ')}`;
  });
}

describe('a replacement uses reserved capacity', () => {
  test('of a drifted node, where its pool launches into reservations only', () => {
    const answer = answerTo(withReservation([{ name: 'a', managed: DRIFTED, pods: [LARGE] }], 5, 'reserved'));
    expect(replacements(answer)).toEqual(['Drifted a → cr-1']);
  });

  test('of a drifted node, though its pool could buy one', () => {
    const nodes = [{ name: 'a', managed: DRIFTED, pods: [LARGE] }];
    const answer = answerTo(withReservation(nodes, 5, 'reserved', 'on-demand'));
    expect(replacements(answer)).toEqual(['Drifted a → cr-1']);
    expect(answer.commands.map(({ saving }) => saving)).toEqual([0.096]);
  });

  test('of a node that costs more than capacity that is paid', () => {
    const answer = answerTo(withReservation([{ name: 'a', pods: [LARGE] }], 5, 'reserved', 'on-demand'));
    expect(replacements(answer)).toEqual(['Underutilized a → cr-1']);
  });

  test('no more often than the reservation has room, over all commands of an answer', () => {
    const nodes = ['a', 'b', 'c'].map((name): FleetNode => ({ name, managed: DRIFTED, pods: [LARGE] }));
    const answer = answerTo(withReservation(nodes, 1, 'reserved', 'on-demand'));
    expect(replacements(answer)).toEqual([
      'Drifted a → cr-1',
      'Drifted b → on-demand',
      'Drifted c → on-demand',
    ]);
  });
});

describe('a node in a full reservation', () => {
  const inReservation: FleetNode = {
    name: 'a',
    capacityType: 'reserved',
    labels: { [CAPACITY_RESERVATION_ID]: 'cr-1' },
    managed: DRIFTED,
    pods: [LARGE],
  };

  test('goes first where its pods fit nowhere else, and they have a place once it is gone', () => {
    const { commands } = answerTo(withReservation([inReservation], 0, 'reserved'));
    expect(commands).toMatchObject([
      {
        nodes: ['a'],
        claims: [],
        placements: [],
        unplaced: ['default/a-0'],
        terminateFirst: 'no-reserved-capacity',
      },
    ]);
  });

  test('is replaced first where its pool can buy an instance', () => {
    const answer = answerTo(withReservation([inReservation], 0, 'reserved', 'on-demand'));
    expect(replacements(answer)).toEqual(['Drifted a → on-demand']);
    expect(answer.commands[0]?.terminateFirst).toBeUndefined();
  });

  test('stays where its pods would have no place, either, once it is gone', () => {
    const large = { requests: { cpu: '3' } };
    const { commands } = answerTo(
      withReservation([{ ...inReservation, pods: [LARGE, large] }], 0, 'reserved'),
    );
    expect(commands).toEqual([]);
  });

  const waiting = (overrides: PodOverrides = {}): Partial<ClusterInput> => ({
    pods: [pod({ name: 'of-another', ...LARGE, ...overrides })],
  });

  test.each([
    ['the room that it left is not seen yet', 0],
    ['there is room again', 1],
  ])('stays while the pod of one that went first waits, and %s', (_, count) => {
    const { commands, refusals } = answerTo(
      withReservationBeside([inReservation], waiting(), count, 'reserved'),
    );
    expect(commands).toEqual([]);
    expect(refusals[0]).toMatchObject({ node: 'a', reason: 'Drifted', refusal: { code: 'NodesMissing' } });
  });

  test('stays while what replaces one that went first is being launched', () => {
    const launching = {
      ...node({ name: 'claim', nodePool: 'default', capacityType: 'reserved', allocatable: { cpu: '0' } }),
      providerID: undefined,
    };
    const { commands, refusals } = answerTo(
      withReservationBeside([inReservation], { nodes: [launching] }, 0, 'reserved'),
    );
    expect(commands).toEqual([]);
    expect(refusals[0]).toMatchObject({ node: 'a', reason: 'Drifted', refusal: { code: 'NodesMissing' } });
  });

  test('goes first though a pod waits that its room would not help', () => {
    const { commands } = answerTo(
      withReservationBeside([inReservation], waiting({ nodeSelector: { rack: '7' } }), 0, 'reserved'),
    );
    expect(commands).toMatchObject([{ nodes: ['a'], terminateFirst: 'no-reserved-capacity' }]);
  });

  test('is replaced while a pod waits, where its pool can buy an instance', () => {
    const answer = answerTo(withReservationBeside([inReservation], waiting(), 0, 'reserved', 'on-demand'));
    expect(replacements(answer)).toEqual(['Drifted a → on-demand']);
  });

  test('stays unless its pool says that it goes first', () => {
    const input = withReservation([inReservation], 0, 'reserved');
    const pools = input.cluster.pools.map(({ pool, ...offer }) => ({
      ...offer,
      pool: { ...pool, disruption: { ...pool.disruption, terminateFirst: false } },
    }));
    const { commands, refusals } = answerTo({ ...input, cluster: { ...input.cluster, pools } });
    expect(commands).toEqual([]);
    expect(refusals[0]).toMatchObject({ node: 'a', reason: 'Drifted', refusal: { code: 'NoPlace' } });
  });
});
