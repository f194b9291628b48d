/**
 * Offerings that the cloud had none of a moment ago, zones that traffic is moved away from, and NodePools that it launched nothing of, so
 * that plans do not use them until they may be available again.
 */
import type { CapacityType } from '../../domain/nodes/instance-type.js';

/** What was out of stock; what is undefined may be anything: a zone without addresses, a capacity type without quota. */
export interface UnavailableOffering {
  readonly instanceType?: string | undefined;
  readonly zone?: string | undefined;
  readonly capacityType?: CapacityType | undefined;
  /** Id of the placement group in which alone it is out of stock; undefined: anywhere. */
  readonly placementGroup?: string | undefined;
}

/** Id of a capacity reservation that had no room, which says nothing of others of its type and zone. */
export interface UnavailableReservation {
  readonly reservation: string;
}

/** As long as Karpenter's cache of insufficient capacity. */
const DEFAULT_TTL_MILLIS = 180_000;
/** What is wrong with a NodePool is mended by people, who want to see soon that they did. */
const POOL_TTL_MILLIS = 60_000;
const ANY = '*';

export class UnavailableOfferings {
  readonly #ttlMillis: number;
  /** Key → until when, in milliseconds since 1970. */
  readonly #until = new Map<string, number>();
  /** NodePool → what its launches failed with, and until when plans leave it out. */
  readonly #pools = new Map<string, { readonly why: string; readonly until: number }>();
  #shifted: ReadonlySet<string> | undefined;
  #version = 0;
  /** Outside placement groups; `now` in milliseconds since 1970. */
  readonly isUnavailable = this.within(undefined);

  /** `awaitsShifts`: whether a controller is going to set the zones that traffic is moved away from; false, unless given. */
  constructor({
    ttlMillis = DEFAULT_TTL_MILLIS,
    awaitsShifts = false,
  }: { readonly ttlMillis?: number | undefined; readonly awaitsShifts?: boolean | undefined } = {}) {
    this.#ttlMillis = ttlMillis;
    this.#shifted = awaitsShifts ? undefined : new Set();
  }

  /** Times in milliseconds since 1970, here and below. */
  mark(unavailable: UnavailableOffering | UnavailableReservation, now: number): void {
    this.#forget(now);
    const key = keyOfMark(unavailable);
    if (!this.#until.has(key)) this.#version++;
    this.#until.set(key, now + this.#ttlMillis);
  }

  isReservationUnavailable(id: string, now: number): boolean {
    return now < (this.#until.get(keyOfMark({ reservation: id })) ?? 0);
  }

  /** Nothing can be launched in these zones, which traffic is moved away from, until others are set. */
  shiftAway(zones: ReadonlySet<string>): void {
    const before = this.#shifted;
    if (before?.size === zones.size && [...zones].every((zone) => before.has(zone))) return;
    this.#shifted = zones;
    this.#version++;
  }

  /** The zones that were set last; undefined while they are awaited. */
  get shiftedZones(): ReadonlySet<string> | undefined {
    return this.#shifted;
  }

  /** As `isUnavailable`, in the placement group of this id; undefined: in none. What is out of stock anywhere is so in a group, too. */
  within(
    placementGroup: string | undefined,
  ): (instanceType: string, zone: string, capacityType: CapacityType, now: number) => boolean {
    return (instanceType, zone, capacityType, now) => {
      if (this.#shifted?.has(zone) === true) return true;
      if (this.#until.size === 0) return false;
      const held = [instanceType, ANY].flatMap((type) =>
        [zone, ANY].flatMap((place) => [keyOf(type, place, capacityType), keyOf(type, place, ANY)]),
      );
      const isHeld = (key: string): boolean => now < (this.#until.get(key) ?? 0);
      return held.some(
        (key) => isHeld(key) || (placementGroup !== undefined && isHeld(placementGroup + key)),
      );
    };
  }

  /** Nothing can be launched of the NodePool for a while; `why`: what its launches failed with. */
  markPool(nodePool: string, why: string, now: number): void {
    this.#pools.set(nodePool, { why, until: now + POOL_TTL_MILLIS });
  }

  /** Why plans leave the NodePool out; undefined when they need not. */
  poolProblem(nodePool: string, now: number): string | undefined {
    const mark = this.#pools.get(nodePool);
    if (mark === undefined || mark.until <= now) {
      this.#pools.delete(nodePool);
      return undefined;
    }
    return `launches fail: ${mark.why}; they are tried again within a minute`;
  }

  /** Another number whenever other offerings are unavailable than before. */
  version(now: number): number {
    this.#forget(now);
    return this.#version;
  }

  #forget(now: number): void {
    for (const [key, until] of this.#until) if (until <= now && this.#until.delete(key)) this.#version++;
  }
}

function keyOfMark(unavailable: UnavailableOffering | UnavailableReservation): string {
  if ('reservation' in unavailable) return keyOf(unavailable.reservation, ANY, 'reserved');
  const { instanceType = ANY, zone = ANY, capacityType = ANY, placementGroup = '' } = unavailable;
  return placementGroup + keyOf(instanceType, zone, capacityType);
}

function keyOf(instanceType: string, zone: string, capacityType: string): string {
  return `${instanceType} ${zone} ${capacityType}`;
}
