/** A subnet: a range of addresses, some taken by instances, some by others. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { Tagged } from '../query/tags.js';

/** In each subnet AWS keeps the first four addresses and the last one (VPC user guide, subnet sizing). */
const KEPT_AT_START = 4;
const KEPT = KEPT_AT_START + 1;

export interface SubnetSeed {
  readonly id: string;
  readonly zone: string;
  /** `10.0.0.0/20`. */
  readonly cidr: string;
  /** `2001:db8:0:10::/64`; undefined where it has none. */
  readonly ipv6Cidr?: string | undefined;
  readonly tags: Labels;
}

export class Subnet implements Tagged {
  readonly id: string;
  readonly zone: string;
  readonly cidr: string;
  readonly ipv6Cidr: string | undefined;
  /** Addresses that there are for interfaces. */
  readonly size: number;
  readonly #base: number;
  readonly #used = new Set<number>();
  #tags: Labels;
  #others = 0;
  #next = 0;

  constructor({ id, zone, cidr, ipv6Cidr, tags }: SubnetSeed) {
    this.id = id;
    this.zone = zone;
    this.cidr = cidr;
    this.ipv6Cidr = ipv6Cidr;
    this.#tags = tags;
    const [address = '', prefix = ''] = cidr.split('/');
    this.#base = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + KEPT_AT_START;
    this.size = 2 ** (32 - Number(prefix)) - KEPT;
  }

  get tags(): Labels {
    return this.#tags;
  }

  setTags(tags: Labels): void {
    this.#tags = tags;
  }

  /** Addresses that are free. */
  get free(): number {
    return Math.max(this.size - this.#used.size - this.#others, 0);
  }

  /** From now on so many are free, as though pods and load balancers had taken the rest, or had left. */
  setFree(addresses: number): void {
    this.#others = this.size - this.#used.size - addresses;
  }

  /** The next free address, as numbers joined by dots. @throws RangeError when there is none. */
  take(): string {
    if (this.free === 0) throw new RangeError(`subnet ${this.id}: no free address`);
    while (this.#used.has(this.#next)) this.#next = (this.#next + 1) % this.size;
    const offset = this.#next;
    this.#used.add(offset);
    this.#next = (offset + 1) % this.size;
    const address = this.#base + offset;
    return [2 ** 24, 2 ** 16, 2 ** 8, 1].map((unit) => Math.floor(address / unit) % 256).join('.');
  }

  /** The IPv6 address of what has this IPv4 address here; undefined where the subnet has none. */
  ipv6Of(address: string): string | undefined {
    return this.ipv6Cidr?.replace(
      /::\/\d+$/,
      () =>
        `::${address
          .split('.')
          .slice(2)
          .map((part) => Number(part).toString(16))
          .join(':')}`,
    );
  }

  /** Gives an address back that was taken here. */
  release(address: string): void {
    this.#used.delete(address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) - this.#base);
  }
}
