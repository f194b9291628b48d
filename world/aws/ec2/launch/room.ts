/** How many more instances there is room for, while a launch is being put together: nothing is taken before it is decided. */
import type { Account } from '../account/account.js';
import type { LaunchCandidate } from './launch-candidate.js';

/** What an offering is refused for. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export interface RoomLeft {
  readonly instances: number;
  /** What stops the next one after these. */
  readonly refusal: Refusal;
}

/** Whatever is short of something. */
interface Bound extends RoomLeft {
  readonly name: string;
}

export class Room {
  readonly #account: Account;
  readonly #spotRunning: number;
  readonly #vcpuRunning: number;
  readonly #taken = new Map<string, number>();

  constructor(account: Account) {
    this.#account = account;
    const active = account.instances.active();
    this.#spotRunning = active.filter(({ pool }) => pool.capacityType === 'spot').length;
    this.#vcpuRunning = active
      .filter(({ pool }) => pool.capacityType !== 'spot')
      .reduce((sum, { vcpu }) => sum + vcpu, 0);
  }

  left(candidate: LaunchCandidate): RoomLeft {
    return this.#bounds(candidate).reduce((least, bound) =>
      bound.instances < least.instances ? bound : least,
    );
  }

  take(candidate: LaunchCandidate, count: number): void {
    const { placementGroup: group, pool } = candidate;
    const placed = group === undefined ? [] : [placementName(group.id, pool.zone)];
    for (const name of [...namesOf(candidate), ...placed])
      this.#taken.set(
        name,
        this.#used(name) + count * (name === ON_DEMAND_VCPU ? Math.max(candidate.vcpu, 1) : 1),
      );
  }

  /** The first of the smallest is reported; never empty. */
  #bounds(candidate: LaunchCandidate): readonly [Bound, ...Bound[]] {
    const { subnet } = candidate;
    const [poolName, subnetName, quotaName] = namesOf(candidate);
    return [
      this.#quota(candidate, quotaName),
      {
        name: subnetName,
        instances: subnet.free - this.#used(subnetName),
        refusal: {
          code: 'InsufficientFreeAddressesInSubnet',
          message: `There are not enough free addresses in subnet '${subnet.id}' to satisfy the requested number of instances.`,
        },
      },
      this.#supply(candidate, poolName),
      ...this.#placement(candidate),
    ];
  }

  /** Of its placement group, where it has one. */
  #placement({ placementGroup: group, pool }: LaunchCandidate): readonly Bound[] {
    if (group === undefined) return [];
    const name = placementName(group.id, pool.zone);
    const instances = this.#account.placementGroups.left(group, pool.zone) - this.#used(name);
    return [
      {
        name,
        instances,
        refusal: {
          code: 'InsufficientInstanceCapacity',
          message: `The spread placement group '${group.name}' has the most instances that it can have in ${pool.zone}.`,
        },
      },
    ];
  }

  /** Of its capacity reservation, where it has one, else of the pool. */
  #supply({ pool, reservation }: LaunchCandidate, name: string): Bound {
    if (reservation !== undefined)
      return {
        name,
        instances: this.#account.reservations.free(reservation) - this.#used(name),
        refusal: {
          code: 'ReservationCapacityExceeded',
          message: `The requested capacity exceeds the available capacity of the reservation ${reservation.id}.`,
        },
      };
    return {
      name,
      instances: this.#account.stock.free(pool) - this.#used(name),
      refusal: {
        code: 'InsufficientInstanceCapacity',
        message: `We currently do not have sufficient ${pool.instanceType} capacity in the Availability Zone you requested (${pool.zone}).`,
      },
    };
  }

  #quota({ vcpu }: LaunchCandidate, name: string): Bound {
    const { spotInstances, vcpu: vcpuLimit } = this.#account.quotas;
    if (name === SPOT_INSTANCES)
      return {
        name,
        instances: Math.max(spotInstances - this.#spotRunning - this.#used(name), 0),
        refusal: { code: 'MaxSpotInstanceCountExceeded', message: 'Max spot instance count exceeded' },
      };
    const left = vcpuLimit - this.#vcpuRunning - this.#used(name);
    return {
      name,
      instances: Math.max(left === Infinity ? Infinity : Math.floor(left / Math.max(vcpu, 1)), 0),
      refusal: {
        code: 'VcpuLimitExceeded',
        message: `You have requested more vCPU capacity than your current vCPU limit of ${String(vcpuLimit)} allows for the instance bucket that the specified instance type belongs to.`,
      },
    };
  }

  #used(name: string): number {
    return this.#taken.get(name) ?? 0;
  }
}

const SPOT_INSTANCES = 'spot instances';
const ON_DEMAND_VCPU = 'on-demand vCPU';

function placementName(group: string, zone: string): string {
  return `placement group ${group} ${zone}`;
}

function namesOf({ pool, subnet, reservation }: LaunchCandidate): readonly [string, string, string] {
  return [
    reservation === undefined
      ? `pool ${pool.instanceType} ${pool.zone} ${pool.capacityType}`
      : `reservation ${reservation.id}`,
    `subnet ${subnet.id}`,
    pool.capacityType === 'spot' ? SPOT_INSTANCES : ON_DEMAND_VCPU,
  ];
}
