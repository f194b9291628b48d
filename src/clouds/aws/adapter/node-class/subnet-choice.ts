/** Which subnet of each zone the next instances start in: the one with most free addresses, those just given away not counted. */
import type { Clock } from '../../../../ports/clock.js';

export interface SubnetWithRoom {
  readonly id: string;
  readonly zone: string;
  readonly freeAddresses: number;
}

/** What EC2 says of free addresses is at most so old, and tells of a launch by then. */
const UNSEEN_MILLIS = 90_000;

export class SubnetChoice {
  readonly #clock: Clock;
  /** Subnet → launches that its count of free addresses may not know of. */
  readonly #taken = new Map<string, readonly { readonly at: number; readonly instances: number }[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** By zone. */
  choose(subnets: readonly SubnetWithRoom[]): ReadonlyMap<string, SubnetWithRoom> {
    const best = new Map<string, SubnetWithRoom>();
    for (const subnet of [...subnets].sort((left, right) => (left.id < right.id ? -1 : 1))) {
      const other = best.get(subnet.zone);
      if (other === undefined || this.#room(subnet) > this.#room(other)) best.set(subnet.zone, subnet);
    }
    return best;
  }

  /** Zone → addresses left in its chosen subnet; 0 or less when there are none. */
  freeAddresses(subnets: readonly SubnetWithRoom[]): ReadonlyMap<string, number> {
    return new Map([...this.choose(subnets)].map(([zone, subnet]) => [zone, this.#room(subnet)]));
  }

  took(subnetID: string, instances: number): void {
    const recent = this.#recent(subnetID);
    this.#taken.set(subnetID, [...recent, { at: this.#clock.monotonic(), instances }]);
  }

  #room({ id, freeAddresses }: SubnetWithRoom): number {
    return this.#recent(id).reduce((left, { instances }) => left - instances, freeAddresses);
  }

  #recent(subnetID: string): readonly { readonly at: number; readonly instances: number }[] {
    const now = this.#clock.monotonic();
    return (this.#taken.get(subnetID) ?? []).filter(({ at }) => now - at < UNSEEN_MILLIS);
  }
}
