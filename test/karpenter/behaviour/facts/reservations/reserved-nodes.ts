/** Nodes of capacity reservations, and nodes that could be in one: what disruption does with them. */
import type { InstanceType } from '../../../../../src/domain/nodes/instance-type.js';
import {
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_TYPE,
} from '../../../../../src/domain/values/labels.js';
import type { Disruption } from '../../../../../src/domain/policies/node-pool.js';
import type { DisruptionInput } from '../../../../../src/planning/disrupt/question/disruption.js';
import { driftOf } from '../../../../../src/controllers/disruption/conditions/drift.js';
import { hashAnnotations } from '../../../../../src/controllers/fingerprint/template-hash.js';
import { blocks, MINUTE } from '../../../../controllers/interruption/capacity-blocks.js';
import { reservedNode } from '../../../../controllers/interruption/reserved-node.js';
import { clusterInput } from '../../../../support/builders/cluster-input.js';
import { oneOf } from '../../../../support/builders/constraints.js';
import {
  disruptionTerms,
  fleet,
  typeNamed,
  withClaimCondition,
  type FleetNode,
} from '../../../../support/builders/disruption-input.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { offering, smallCatalogue, ZONE_A } from '../../../../support/builders/instance-type.js';
import { nodeClaim } from '../../../../support/builders/node-claim.js';
import { nodePool, poolOffer } from '../../../../support/builders/node-pool.js';
import { observedNode } from '../../../../support/builders/observed-node.js';
import { RESOLVED } from '../../../../support/small-cloud.js';
import type { Suite } from '../../fact.js';
import { answerTo, staying } from '../../fleets.js';

const DRIFTED = withClaimCondition('Drifted');
const M6I = typeNamed('m6i.large');
/** One of these fills an m6i.large. */
const FULL = { requests: { cpu: '1800m', memory: '1Gi' } };
const ANYWHERE = ['reserved', 'on-demand', 'spot'] as const;

/** m6i.large in cr-1 and m6i.4xlarge in cr-2, as often as said, and all types otherwise. */
function types(small: number, large = 0): readonly InstanceType[] {
  const left: Readonly<Record<string, readonly [string, number]>> = {
    'm6i.large': ['cr-1', small],
    'm6i.4xlarge': ['cr-2', large],
  };
  return smallCatalogue().map((type) => {
    const [id, count] = left[type.name] ?? ['', 0];
    if (id === '') return type;
    const reserved = offering({ capacityType: 'reserved', price: 0, reservation: { id, count } });
    return { ...type, offerings: [...type.offerings, reserved] };
  });
}

/** m6i.large alone, in cr-1 as often as said. */
function onlyM6i(count: number): readonly InstanceType[] {
  return types(count).filter(({ name }) => name === 'm6i.large');
}

/** These nodes, in a pool that launches into reservations first and may buy what `capacityTypes` says. */
function fleetOf(
  nodes: readonly FleetNode[],
  offered: readonly InstanceType[],
  {
    capacityTypes = ANYWHERE,
    terms,
  }: { capacityTypes?: readonly string[]; terms?: Partial<Disruption> } = {},
): DisruptionInput {
  const [first = 'reserved', ...others] = capacityTypes;
  const requirements = [oneOf(CAPACITY_TYPE, first, ...others)];
  const pool = poolOffer({ disruption: disruptionTerms(terms), requirements }, offered);
  return fleet(nodes, { cluster: clusterInput({ pools: [pool] }) });
}

/** A full node, bought on demand unless said otherwise. */
function full(name: string, overrides: Partial<FleetNode> = {}): FleetNode {
  return { name, type: M6I, pods: [FULL], ...overrides };
}

/** A full node of cr-1: its instance costs nothing more. */
function inReservation(name: string, overrides: Partial<FleetNode> = {}): FleetNode {
  const labels = { [CAPACITY_RESERVATION_ID]: 'cr-1' };
  const { managed, ...rest } = overrides;
  return full(name, { capacityType: 'reserved', labels, managed: { hourlyPrice: 0, ...managed }, ...rest });
}

/** `Reason nodes → reservations or capacity types of what comes instead`. */
function moves(input: DisruptionInput): readonly string[] {
  return answerTo(input).commands.map(({ reason, nodes, claims }) => {
    const to = claims.map(
      ({ chosenLabels, capacityTypes }) => chosenLabels.get(CAPACITY_RESERVATION_ID) ?? capacityTypes.join(),
    );
    return `${reason} ${nodes.join(' ')} → ${to.join(' ')}`;
  });
}

/** Why a node in cr-1 has drifted while its node class selects these reservations. */
function driftWhile(reservationIDs: readonly string[], capacityType: 'reserved' | 'on-demand' = 'reserved') {
  const pool = nodePool({ name: 'general' });
  const nodeClass = ec2NodeClass();
  const claim = nodeClaim({
    annotations: hashAnnotations(pool, nodeClass),
    labels: new Map([
      [CAPACITY_RESERVATION_ID, 'cr-1'],
      [CAPACITY_RESERVATION_TYPE, 'default'],
    ]),
    status: { providerID: 'aws:///us-east-1a/i-1', instanceType: 'm6i.large', zone: ZONE_A, capacityType },
  });
  const resolved = { ...RESOLVED, reservationIDs };
  const node = observedNode({ nodePool: 'general' });
  return driftOf({ claim, node, pool, nodeClass, resolved, instance: undefined, types: types(1) })?.reason;
}

export const RESERVED_NODES: Suite = {
  name: 'Reserved capacity, disruption',
  facts: [
    {
      fact: 'moves pods from an on-demand node into a reservation of the same type',
      run: (): void => {
        const capacityTypes = ['reserved', 'on-demand'];
        expect(moves(fleetOf([full('a')], types(1), { capacityTypes }))).toEqual(['Underutilized a → cr-1']);
      },
    },
    {
      fact: 'moves pods from a spot node into a reservation',
      run: (): void => {
        const nodes = [full('a', { capacityType: 'spot' })];
        expect(moves(fleetOf(nodes, types(1), { terms: {} }))).toEqual(['Underutilized a → cr-1']);
      },
    },
    {
      fact: 'keeps an on-demand node while the reservation is full',
      run: (): void => {
        const capacityTypes = ['reserved', 'on-demand'];
        expect(moves(fleetOf([full('a')], onlyM6i(0), { capacityTypes }))).toEqual([]);
        expect(moves(fleetOf([full('a')], onlyM6i(1), { capacityTypes }))).toEqual([
          'Underutilized a → cr-1',
        ]);
      },
    },
    {
      fact: 'moves no more nodes into a reservation than it has instances',
      run: (): void => {
        const nodes = [full('a'), full('b'), full('c')];
        const into = moves(fleetOf(nodes, onlyM6i(1), { capacityTypes: ['reserved', 'on-demand'] }));
        expect(into).toHaveLength(1);
        expect(into[0]).toMatch(/ → cr-1$/);
      },
    },
    {
      fact: 'never replaces a reserved node by a spot or on-demand one, which costs more',
      run: (): void => {
        expect(moves(fleetOf([inReservation('a')], types(0)))).toEqual([]);
        expect(moves(fleetOf([full('a')], types(0)))).not.toEqual([]);
      },
    },
    {
      fact: 'deletes a reserved node that is empty',
      run: (): void => {
        expect(moves(fleetOf([inReservation('a', { pods: [] })], types(0)))).toEqual(['Empty a → ']);
      },
    },
    {
      fact: 'moves pods from a reservation into one of a smaller type',
      differs:
        'the node stays: both are paid for whether they are used or not, so that its pods would be evicted for nothing',
      run: (): void => {
        const large = { type: typeNamed('m6i.4xlarge'), labels: { [CAPACITY_RESERVATION_ID]: 'cr-2' } };
        expect(moves(fleetOf([inReservation('a', large)], types(1)))).toEqual([]);
        const bought = full('a', { type: typeNamed('m6i.4xlarge') });
        expect(moves(fleetOf([bought], types(1)))).toEqual(['Underutilized a → cr-1']);
      },
    },
    {
      fact: 'replaces a drifted reserved node within its reservation while that has instances left',
      run: (): void => {
        const node = inReservation('a', { managed: DRIFTED });
        expect(moves(fleetOf([node], types(1)))).toEqual(['Drifted a → cr-1']);
      },
    },
    {
      fact: 'replaces a drifted reserved node by a bought one where the reservation is full and the NodePool allows it',
      run: (): void => {
        const node = inReservation('a', { managed: DRIFTED });
        const capacityTypes = ['reserved', 'on-demand'];
        expect(moves(fleetOf([node], types(0), { capacityTypes }))).toEqual(['Drifted a → on-demand']);
      },
    },
    {
      fact: 'keeps a drifted node of a full reservation that its NodePool is confined to',
      run: (): void => {
        const node = inReservation('a', { managed: DRIFTED });
        const input = fleetOf([node], types(0), { capacityTypes: ['reserved'] });
        expect(moves(input)).toEqual([]);
        expect(staying(input)).toContain('a Drifted NoPlace');
      },
    },
    {
      fact: 'lets such a node go before its replacement is launched where terminate-first is on',
      run: (): void => {
        const node = inReservation('a', { managed: DRIFTED });
        const terms = { terminateFirst: true };
        const { commands } = answerTo(fleetOf([node], types(0), { capacityTypes: ['reserved'], terms }));
        expect(commands).toMatchObject([
          { nodes: ['a'], claims: [], terminateFirst: 'no-reserved-capacity' },
        ]);
      },
    },
    {
      fact: 'finds drifted a node whose reservation the node class selects no more',
      run: (): void => {
        expect(driftWhile(['cr-2'])).toBe('CapacityReservationDrift');
        expect(driftWhile(['cr-1', 'cr-2'])).toBeUndefined();
      },
    },
    {
      fact: 'finds no drift in a node that has become on-demand since its reservation is over',
      run: (): void => {
        expect(driftWhile(['cr-2'], 'on-demand')).toBeUndefined();
      },
    },
    {
      fact: 'makes a node on-demand whose instance has left its reservation, and not one whose instance is in it',
      run: async (): Promise<void> => {
        const over = reservedNode();
        await over.look();
        expect(over.seen()).toMatchObject({
          capacityType: 'on-demand',
          node: { [CAPACITY_TYPE]: 'on-demand' },
        });
        expect(over.seen().node).not.toHaveProperty([CAPACITY_RESERVATION_ID]);
        expect(over.seen().claim).not.toHaveProperty([CAPACITY_RESERVATION_ID]);
        const running = reservedNode({}, { capacityType: 'reserved' });
        await running.look();
        expect(running.seen()).toMatchObject({
          capacityType: 'reserved',
          node: { [CAPACITY_TYPE]: 'reserved' },
        });
      },
    },
    {
      fact: 'makes both Node and NodeClaim on-demand, though a write failed in between',
      run: async (): Promise<void> => {
        for (const method of ['patchNode', 'labelNodeClaim', 'putNodeClaimStatus'] as const) {
          const world = reservedNode();
          world.kube.fail({ method, code: 'Unavailable' });
          await world.look();
          expect(world.seen().capacityType).toBe('reserved');
          await world.look();
          expect(world.seen()).toMatchObject({
            capacityType: 'on-demand',
            node: { [CAPACITY_TYPE]: 'on-demand' },
          });
        }
      },
    },
    {
      fact: 'takes nodes of a capacity block ten minutes before EC2 terminates their instances, and of no other reservation',
      run: async (): Promise<void> => {
        const world = blocks({
          ending: ['cr-1', 'capacity-block'],
          running: ['cr-2', 'capacity-block'],
          standard: ['cr-3', 'default'],
        });
        const now = world.clock.now();
        for (const [id, minutes] of [
          ['cr-1', 9],
          ['cr-2', 30],
          ['cr-3', 9],
        ] as const)
          world.ends.set(id, now + minutes * MINUTE);
        await world.controller.look(new AbortController().signal);
        expect(world.interrupted()).toEqual(['ending']);
      },
    },
  ],
};
