/** Capacity reservations: what is launched into them, and how often. */
import {
  reservationsLeft,
  withReservedOfferings,
} from '../../../../../src/controllers/reserved-offerings.js';
import type { InstanceType, Offering } from '../../../../../src/domain/nodes/instance-type.js';
import {
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_TYPE,
  HOSTNAME,
} from '../../../../../src/domain/values/labels.js';
import { plan } from '../../../../../src/planning/engine/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../../../src/planning/plan-options.js';
import { buildSnapshot } from '../../../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput, PoolOffer } from '../../../../../src/planning/snapshot/cluster-input.js';
import { leftOut, planFor } from '../../../../planning/read-plan.js';
import { clusterInput } from '../../../../support/builders/cluster-input.js';
import { oneOf, podTerm, taint, tolerateKey } from '../../../../support/builders/constraints.js';
import {
  instanceType,
  offering,
  smallCatalogue,
  ZONE_A,
  ZONE_B,
} from '../../../../support/builders/instance-type.js';
import { launchStatus, nodeClaim } from '../../../../support/builders/node-claim.js';
import { poolOffer, type NodePoolOverrides } from '../../../../support/builders/node-pool.js';
import { pod, replicas } from '../../../../support/builders/pod.js';
import { resolvedReservation } from '../../../../support/builders/resolved-reservation.js';
import type { Suite } from '../../fact.js';

const SMALL = { requests: { cpu: '100m' } };
/** One of these fills an m6i.large. */
const LARGE = { requests: { cpu: '1800m' } };
const RESERVED_ONLY = [oneOf(CAPACITY_TYPE, 'reserved')];
const ON_DEMAND = [oneOf(CAPACITY_TYPE, 'on-demand')];
const NOW = Date.UTC(2026, 0, 1);

function reserved(id: string, count: number, overrides: Partial<Offering> = {}): Offering {
  return offering({ capacityType: 'reserved', price: 0, reservation: { id, count }, ...overrides });
}

/** m6i.large in these reservations and on demand, and all other types. */
function typesWith(reservations: readonly Offering[]): readonly InstanceType[] {
  return smallCatalogue().map((type) =>
    type.name === 'm6i.large' ? { ...type, offerings: [...type.offerings, ...reservations] } : type,
  );
}

function poolWith(overrides: NodePoolOverrides, ...reservations: readonly Offering[]): PoolOffer {
  return poolOffer(overrides, typesWith(reservations));
}

/** The reservation or the capacity types of each claim, sorted. */
function launched(pods: ClusterInput['pods'], ...pools: readonly PoolOffer[]): readonly string[] {
  return planFor({ pods, pools })
    .claims.map(
      ({ chosenLabels, capacityTypes }) => chosenLabels.get(CAPACITY_RESERVATION_ID) ?? capacityTypes.join(),
    )
    .sort();
}

/** As many pods of this size, none beside another. */
function apart(count: number): ClusterInput['pods'] {
  const podAntiAffinity = { required: [podTerm(HOSTNAME, { app: 'web' })] };
  return replicas(count, { name: 'web', labels: { app: 'web' }, podAntiAffinity, ...SMALL });
}

export const RESERVATIONS: Suite = {
  name: 'Reserved capacity',
  facts: [
    {
      fact: 'is launched before spot and on-demand instances, and the node can be nothing else',
      run: (): void => {
        const { claims } = planFor({ pods: [pod(SMALL)], pools: [poolWith({}, reserved('cr-1', 3))] });
        expect(claims).toMatchObject([{ capacityTypes: ['reserved'], zones: [ZONE_A], hourlyPrice: 0 }]);
        expect(claims[0]?.chosenLabels.get(CAPACITY_RESERVATION_ID)).toBe('cr-1');
      },
    },
    {
      fact: 'is launched as often as the reservation has instances, and the other nodes are bought',
      run: (): void => {
        const requirements = [oneOf(CAPACITY_TYPE, 'reserved', 'on-demand')];
        const pools = [poolWith({ requirements, limits: { nodes: '4' } }, reserved('cr-1', 2))];
        expect(launched(apart(4), ...pools)).toEqual(['cr-1', 'cr-1', 'on-demand', 'on-demand']);
      },
    },
    {
      fact: 'is not launched by a NodePool that does not allow it',
      run: (): void => {
        const requirements = ON_DEMAND;
        expect(launched([pod(SMALL)], poolWith({ requirements }, reserved('cr-1', 2)))).toEqual([
          'on-demand',
        ]);
      },
    },
    {
      fact: 'keeps pods pending whose NodePool allows nothing else while the reservation is full',
      run: (): void => {
        const requirements = RESERVED_ONLY;
        const pods = [pod(SMALL)];
        expect(leftOut(planFor({ pods, pools: [poolWith({ requirements }, reserved('cr-1', 0))] }))).toEqual([
          'pod',
        ]);
        expect(launched(pods, poolWith({ requirements }, reserved('cr-1', 1)))).toEqual(['cr-1']);
      },
    },
    {
      fact: 'leaves pods to a lighter on-demand NodePool while the reservation of the heavier one is full',
      run: (): void => {
        const lighter = poolOffer({ name: 'bought', weight: 1, requirements: ON_DEMAND });
        const heavier = (count: number): PoolOffer =>
          poolWith({ weight: 100, requirements: RESERVED_ONLY }, reserved('cr-1', count));
        expect(launched([pod(SMALL)], heavier(0), lighter)).toEqual(['on-demand']);
        expect(launched([pod(SMALL)], heavier(1), lighter)).toEqual(['cr-1']);
      },
    },
    {
      fact: 'is not launched where the reservation is unavailable, however many instances it has',
      run: (): void => {
        const gone = reserved('cr-1', 5, { available: false });
        const pools = [poolWith({ requirements: RESERVED_ONLY }, gone)];
        expect(leftOut(planFor({ pods: [pod(SMALL)], pools }))).toEqual(['pod']);
      },
    },
    {
      fact: 'is taken from several reservations of one type and zone',
      run: (): void => {
        const pools = [poolWith({}, reserved('cr-1', 1), reserved('cr-2', 1))];
        expect(launched(apart(2), ...pools)).toEqual(['cr-1', 'cr-2']);
      },
    },
    {
      fact: 'is counted once, however many NodePools may launch it',
      run: (): void => {
        const requirements = RESERVED_ONLY;
        const own = { name: 'own', weight: 10, requirements, taints: [taint('team')] };
        const pools = [poolWith(own, reserved('cr-1', 3)), poolWith({ requirements }, reserved('cr-1', 3))];
        const tolerations = [tolerateKey('team')];
        const pods = [
          ...replicas(2, { name: 'a', tolerations, ...LARGE }),
          ...replicas(4, { name: 'b', ...LARGE }),
        ];
        expect(launched(pods, ...pools)).toEqual(['cr-1', 'cr-1', 'cr-1']);
      },
    },
    {
      fact: 'is launched rather than a larger instance that would hold the pods of two nodes',
      run: (): void => {
        const pods = replicas(3, LARGE);
        expect(launched(pods, poolWith({}, reserved('cr-1', 3)))).toEqual(['cr-1', 'cr-1', 'cr-1']);
      },
    },
    {
      fact: 'is launched no more often than pods need it',
      run: (): void => {
        expect(launched(replicas(2, SMALL), poolWith({}, reserved('cr-1', 9)))).toEqual(['cr-1']);
      },
    },
    {
      fact: 'is found by pods that select a reservation, or a type of reservation',
      run: (): void => {
        const blocks = { id: 'cr-2', count: 1, type: 'capacity-block', interruptible: false } as const;
        const pools = [poolWith({}, reserved('cr-1', 1), reserved('cr-2', 1, { reservation: blocks }))];
        const byID = pod({ ...SMALL, nodeSelector: { [CAPACITY_RESERVATION_ID]: 'cr-1' } });
        const byType = pod({ ...SMALL, nodeSelector: { [CAPACITY_RESERVATION_TYPE]: 'capacity-block' } });
        expect(launched([byID], ...pools)).toEqual(['cr-1']);
        expect(launched([byType], ...pools)).toEqual(['cr-2']);
      },
    },
    {
      fact: 'counts within limits of the NodePool',
      run: (): void => {
        const limited = { requirements: RESERVED_ONLY, limits: { cpu: '4' } };
        expect(launched(replicas(3, LARGE), poolWith(limited, reserved('cr-1', 3)))).toEqual([
          'cr-1',
          'cr-1',
        ]);
      },
    },
    {
      fact: 'is no choice of a heavier NodePool that does not allow it, which is asked first',
      differs:
        'instances that are paid for are used first, whatever the weights of NodePools are (docs/planning.md, Reserved capacity)',
      run: (): void => {
        const heavier = poolOffer({ name: 'bought', weight: 100, requirements: ON_DEMAND });
        const lighter = poolWith({ weight: 1, requirements: RESERVED_ONLY }, reserved('cr-1', 1));
        const input = clusterInput({ pods: [pod(SMALL)], pools: [heavier, lighter] });
        const { claims } = plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
        expect(claims).toMatchObject([{ nodePool: 'default', capacityTypes: ['reserved'] }]);
      },
    },
    {
      fact: 'is an offering of its type in its zone, which cannot be launched while the reservation is full',
      run: (): void => {
        const reservations = [
          resolvedReservation({ zone: ZONE_A, available: 4 }),
          resolvedReservation({ id: 'cr-2', zone: ZONE_B, available: 0 }),
        ];
        const m5 = instanceType();
        const [type, other] = withReservedOfferings([m5, instanceType({ name: 'm6i.large' })], reservations);
        expect(type?.offerings.slice(m5.offerings.length)).toMatchObject([
          { zone: ZONE_A, capacityType: 'reserved', available: true, reservation: { id: 'cr-1', count: 4 } },
          { zone: ZONE_B, capacityType: 'reserved', available: false, reservation: { id: 'cr-2', count: 0 } },
        ]);
        expect(other?.offerings).toHaveLength(m5.offerings.length);
      },
    },
    {
      fact: 'counts launches that EC2 does not show in the reservation yet',
      run: (): void => {
        const labels = new Map([[CAPACITY_RESERVATION_ID, 'cr-1']]);
        const status = { providerID: 'aws:///a/i-1', launch: launchStatus({ answeredAt: NOW - 60_000 }) };
        const claims = [nodeClaim({ labels }), nodeClaim({ labels, status })];
        const [left] = reservationsLeft([resolvedReservation({ available: 4 })], claims, NOW);
        const [later] = reservationsLeft([resolvedReservation({ available: 4 })], claims, NOW + 600_000);
        expect([left?.available, later?.available]).toEqual([2, 3]);
      },
    },
  ],
};
