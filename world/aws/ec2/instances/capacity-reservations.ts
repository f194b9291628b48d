/** The account's capacity reservations: on-demand ones, capacity blocks for ML, and those that their owner may take back. */
import type { Tenancy } from '../../../../src/domain/nodes/tenancy.js';
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';
import { applyFilters, type FilterFields } from '../query/filters.js';
import type { Clock } from '../../../../src/ports/clock.js';
import type { Instances } from './instances.js';
import { pageOf } from '../../protocol/paging.js';
import { tagSet } from '../query/tags.js';

export interface CapacityReservation {
  /** `cr-…`. */
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  /** In all, those in use included. */
  readonly instances: number;
  readonly type: 'default' | 'capacity-block';
  readonly interruptible: boolean;
  /** `default` unless given. */
  readonly tenancy?: Tenancy | undefined;
  /** When it ends, in milliseconds since 1970. EC2 terminates the instances of a capacity block 30 minutes before. */
  readonly endsAt?: number | undefined;
  readonly tags: Labels;
}

/** What a fleet or RunInstances asks for: each kind of reservation is available on one of them only. */
export type LaunchMarket = 'on-demand' | 'spot' | 'capacity-block' | 'interruptible-capacity-reservation';

const LIMITS = { min: 1, max: 1000, usual: 1000 };

const RECLAIM_MILLIS = 1_800_000;
const RECLAIMED = {
  code: 'Server.CapacityBlockReservationTermination',
  message: 'Server.CapacityBlockReservationTermination: The Capacity Block reservation ends',
};

interface CapacityReservationsOptions {
  readonly instances: Instances;
  readonly account: string;
  readonly clock: Clock;
}

export class CapacityReservations {
  readonly #reservations = new Map<string, CapacityReservation>();
  readonly #instances: Instances;
  readonly #owner: string;
  readonly #clock: Clock;
  /** Of blocks whose instances have not been terminated yet. */
  readonly #timers = new Map<string, () => void>();

  constructor({ instances, account, clock }: CapacityReservationsOptions) {
    this.#instances = instances;
    this.#owner = account;
    this.#clock = clock;
  }

  /** Of a known one it changes what it says, its end for example. */
  add(reservation: CapacityReservation): void {
    this.#reservations.set(reservation.id, reservation);
    const { id, type, endsAt } = reservation;
    this.#timers.get(id)?.();
    this.#timers.delete(id);
    if (type !== 'capacity-block' || endsAt === undefined) return;
    const left = Math.max(0, endsAt - RECLAIM_MILLIS - this.#clock.now());
    this.#timers.set(
      id,
      this.#clock.timer(left, () => {
        this.#reclaim(id);
      }),
    );
  }

  /** Nothing ends any more by itself. */
  close(): void {
    for (const stop of this.#timers.values()) stop();
    this.#timers.clear();
  }

  /** Whether instances are in it. */
  isActive(id: string): boolean {
    const reservation = this.#reservations.get(id);
    return reservation !== undefined && this.#state(reservation) === 'active';
  }

  /** Instances that the reservation has left. */
  free({ id, instances }: CapacityReservation): number {
    const used = this.#instances.active().filter(({ capacityReservationID }) => capacityReservationID === id);
    return Math.max(instances - used.length, 0);
  }

  /**
   * The reservation that a launch aims at; undefined when it aims at none.
   * @throws ServiceError InvalidCapacityReservationId.NotFound; InvalidParameterCombination, when it is of another type, zone
   *   or market than the launch.
   */
  aimedAt(launch: {
    readonly reservationID: string | undefined;
    readonly market: LaunchMarket;
    readonly instanceType: string;
    readonly zone: string;
    readonly tenancy: Tenancy | undefined;
  }): CapacityReservation | undefined {
    const { reservationID: id, market, instanceType, zone } = launch;
    const isOrdinary = market === 'on-demand' || market === 'spot';
    if (id === undefined) {
      if (isOrdinary) return undefined;
      throw mismatch(`The market type ${market} needs the ID of a Capacity Reservation`);
    }
    const reservation = this.#reservations.get(id);
    if (reservation === undefined) throw notFound(id);
    if (reservation.instanceType !== instanceType || reservation.zone !== zone)
      throw mismatch(`The Capacity Reservation ${id} is of another instance type or Availability Zone`);
    if ((reservation.tenancy ?? 'default') !== (launch.tenancy ?? 'default'))
      throw mismatch(`The Capacity Reservation ${id} is of another tenancy`);
    if (marketOf(reservation) !== market)
      throw mismatch(`The Capacity Reservation ${id} cannot be used with the market type ${market}`);
    return reservation;
  }

  /** @throws ServiceError InvalidCapacityReservationId.NotFound, for all of them, when one is not known. */
  describe(query: QueryNode): XmlStructure {
    const ids = query.texts('CapacityReservationId');
    const unknown = ids.find((id) => !this.#reservations.has(id));
    if (unknown !== undefined) throw notFound(unknown);
    const all = [...this.#reservations.values()].filter(({ id }) => ids.length === 0 || ids.includes(id));
    const fields: FilterFields<CapacityReservation> = {
      state: (reservation) => this.#state(reservation),
      'instance-type': ({ instanceType }) => instanceType,
      'availability-zone': ({ zone }) => zone,
      'owner-id': () => this.#owner,
      'instance-match-criteria': () => 'targeted',
    };
    const found = applyFilters(query, all, { fields, tags: ({ tags }) => tags });
    const { items, nextToken } = pageOf(query, found, LIMITS);
    return { capacityReservationSet: items.map((item) => this.#xml(item)), nextToken };
  }

  #reclaim(id: string): void {
    for (const instance of this.#instances.active())
      if (instance.capacityReservationID === id) this.#instances.terminate(instance, RECLAIMED);
  }

  #state({ endsAt = Infinity }: CapacityReservation): 'active' | 'expired' {
    return this.#clock.now() < endsAt ? 'active' : 'expired';
  }

  #xml(reservation: CapacityReservation): XmlStructure {
    const { id, instanceType, zone, instances, type, interruptible, tags, endsAt } = reservation;
    return {
      capacityReservationId: id,
      ownerId: this.#owner,
      instanceType,
      availabilityZone: zone,
      totalInstanceCount: instances,
      availableInstanceCount: this.free(reservation),
      instanceMatchCriteria: 'targeted',
      tenancy: reservation.tenancy ?? 'default',
      reservationType: type,
      interruptible,
      state: this.#state(reservation),
      ...(endsAt !== undefined && { endDateType: 'limited', endDate: new Date(endsAt).toISOString() }),
      tagSet: tagSet(tags),
    };
  }
}

function marketOf({ type, interruptible }: CapacityReservation): LaunchMarket {
  if (type === 'capacity-block') return 'capacity-block';
  return interruptible ? 'interruptible-capacity-reservation' : 'on-demand';
}

function notFound(id: string): ServiceError {
  return new ServiceError(
    'InvalidCapacityReservationId.NotFound',
    `The capacity reservation '${id}' does not exist`,
  );
}

function mismatch(message: string): ServiceError {
  return new ServiceError('InvalidParameterCombination', message);
}
