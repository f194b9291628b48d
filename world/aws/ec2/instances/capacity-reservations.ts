/** The account's capacity reservations: on-demand ones, capacity blocks for ML, and those that their owner may take back. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';
import { applyFilters, type FilterFields } from '../query/filters.js';
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
  readonly tags: Labels;
}

/** What a fleet or RunInstances asks for: each kind of reservation is available on one of them only. */
export type LaunchMarket = 'on-demand' | 'spot' | 'capacity-block' | 'interruptible-capacity-reservation';

const LIMITS = { min: 1, max: 1000, usual: 1000 };

export class CapacityReservations {
  readonly #reservations = new Map<string, CapacityReservation>();
  readonly #instances: Instances;
  readonly #owner: string;

  constructor({ instances, account }: { readonly instances: Instances; readonly account: string }) {
    this.#instances = instances;
    this.#owner = account;
  }

  add(reservation: CapacityReservation): void {
    this.#reservations.set(reservation.id, reservation);
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
  }): CapacityReservation | undefined {
    const { reservationID: id, market, instanceType, zone } = launch;
    const isOrdinary = market === 'on-demand' || market === 'spot';
    if (id === undefined) {
      if (isOrdinary) return undefined;
      throw mismatch(`The market type ${market} needs the ID of a Capacity Reservation`);
    }
    const reservation = this.#reservations.get(id);
    if (reservation === undefined)
      throw new ServiceError(
        'InvalidCapacityReservationId.NotFound',
        `The capacity reservation '${id}' does not exist`,
      );
    if (reservation.instanceType !== instanceType || reservation.zone !== zone)
      throw mismatch(`The Capacity Reservation ${id} is of another instance type or Availability Zone`);
    if (marketOf(reservation) !== market)
      throw mismatch(`The Capacity Reservation ${id} cannot be used with the market type ${market}`);
    return reservation;
  }

  describe(query: QueryNode): XmlStructure {
    const ids = query.texts('CapacityReservationId');
    const all = [...this.#reservations.values()].filter(({ id }) => ids.length === 0 || ids.includes(id));
    const fields: FilterFields<CapacityReservation> = {
      state: () => 'active',
      'instance-type': ({ instanceType }) => instanceType,
      'availability-zone': ({ zone }) => zone,
      'owner-id': () => this.#owner,
      'instance-match-criteria': () => 'targeted',
    };
    const found = applyFilters(query, all, { fields, tags: ({ tags }) => tags });
    const { items, nextToken } = pageOf(query, found, LIMITS);
    return { capacityReservationSet: items.map((item) => this.#xml(item)), nextToken };
  }

  #xml(reservation: CapacityReservation): XmlStructure {
    const { id, instanceType, zone, instances, type, interruptible, tags } = reservation;
    return {
      capacityReservationId: id,
      ownerId: this.#owner,
      instanceType,
      availabilityZone: zone,
      totalInstanceCount: instances,
      availableInstanceCount: this.free(reservation),
      instanceMatchCriteria: 'targeted',
      reservationType: type,
      interruptible,
      state: 'active',
      tagSet: tagSet(tags),
    };
  }
}

function marketOf({ type, interruptible }: CapacityReservation): LaunchMarket {
  if (type === 'capacity-block') return 'capacity-block';
  return interruptible ? 'interruptible-capacity-reservation' : 'on-demand';
}

function mismatch(message: string): ServiceError {
  return new ServiceError('InvalidParameterCombination', message);
}
