/**
 * The devices of one node, what of them is in use, and the search for devices that satisfy claims: depth first, in the order
 * of requests, sub-requests and devices, as kube-scheduler's allocator (dynamic-resource-allocation/structured) does.
 */
import type { DeviceAlternative } from '../../domain/devices/claim.js';
import { deviceID, type Device, type DevicePool, type NodeDevices } from '../../domain/devices/device.js';
import type { Quantity } from '../../domain/values/quantity.js';
import { tolerates } from '../../domain/values/taint.js';
import { shareOf, type Share } from './capacity-share.js';
import { ConstraintState } from './constraint-state.js';
import { type DeviceDemand, labelOf, MOST_DEVICES } from './device-demand.js';
import { selectsDevice } from './device-selector.js';

/** Devices that one search looks at; what is not found by then is refused. */
const MOST_STEPS = 5_000;

/** A device that a claim gets. */
export interface Allotted {
  readonly pool: DevicePool;
  readonly device: Device;
  readonly id: string;
  /** Index of the claim among those asked about, and `request` or `request/sub-request`. */
  readonly demand: number;
  readonly request: string;
  /** Whether it is used beside those that have it. */
  readonly adminAccess: boolean;
  /** What is taken of a shareable device; undefined where the claim has the device alone. */
  readonly share: Share | undefined;
}

/** Why there are no devices for a claim; of the request that the search came to last. */
export interface Shortfall {
  readonly claim: string;
  readonly request: string;
  /** Devices that it asks for, that match on the node, and that are free of these. */
  readonly wanted: number;
  readonly matching: number;
  readonly free: number;
  /** An attribute that a constraint asks for, where that is in the way. */
  readonly attribute?: string | undefined;
  /** An expression that cannot be evaluated for a device, and why. */
  readonly selector?: { readonly expression: string; readonly problem: string } | undefined;
  /** Whether the search was given up. */
  readonly isGivenUp?: true | undefined;
}

export type Allocation = { readonly devices: readonly Allotted[] } | { readonly lacks: Shortfall };

/** A device that matches an alternative. */
interface Match {
  readonly pool: DevicePool;
  readonly device: Device;
  readonly id: string;
}

export class DeviceRoom {
  readonly #devices: NodeDevices;
  /** Devices that nodes share and that are used on others. */
  readonly #elsewhere: ReadonlySet<string>;
  readonly #taken = new Set<string>();
  readonly #consumed = new Map<string, Map<string, Quantity>>();
  /** `driver/pool/set/counter` → what is taken of it. */
  readonly #counted = new Map<string, Quantity>();

  constructor(devices: NodeDevices, elsewhere: ReadonlySet<string> = new Set()) {
    this.#devices = devices;
    this.#elsewhere = elsewhere;
    for (const pool of devices.pools) {
      if (pool.counters.size === 0) continue;
      for (const device of pool.devices) {
        const id = deviceID(pool, device.name);
        if (devices.taken.has(id) || devices.consumed.has(id)) this.#count(pool, device, 1n);
      }
    }
  }

  /** Devices for all of these claims together; nothing changes. */
  allocate(demands: readonly DeviceDemand[]): Allocation {
    return new Search(this, demands).run();
  }

  /** Takes what was allocated. */
  take(devices: readonly Allotted[]): void {
    for (const each of devices) this.#change(each, 1n);
  }

  /** Gives back what was taken. */
  release(devices: readonly Allotted[]): void {
    for (const each of devices) this.#change(each, -1n);
  }

  /** Devices that match, in order; or an expression that cannot be evaluated for one of them. */
  matching(alternative: DeviceAlternative): Matching {
    const ofDevices = MATCHING.get(this.#devices.pools) ?? new WeakMap<DeviceAlternative, Matching>();
    MATCHING.set(this.#devices.pools, ofDevices);
    const known = ofDevices.get(alternative) ?? matchingOf(this.#devices.pools, alternative);
    ofDevices.set(alternative, known);
    return known;
  }

  /** What a request would take of the device beside all that is in use; undefined where the device is not free. */
  offer(
    { pool, device, id }: Match,
    { adminAccess, capacity }: DeviceAlternative,
  ): { readonly share: Share | undefined } | undefined {
    const share = shareOf(device, pool.driver, capacity);
    if (share === undefined) return undefined;
    if (adminAccess) return { share: undefined };
    if (this.#devices.taken.has(id) || this.#taken.has(id) || (pool.shared && this.#elsewhere.has(id)))
      return undefined;
    if (device.shareable) return this.#hasShare(device, id, share) ? { share } : undefined;
    if (this.#devices.consumed.has(id)) return undefined;
    return this.#hasCounters(pool, device) ? { share: undefined } : undefined;
  }

  #hasShare({ capacity }: Device, id: string, share: Share): boolean {
    for (const [name, amount] of share) {
      const used =
        (this.#devices.consumed.get(id)?.get(name) ?? 0n) + (this.#consumed.get(id)?.get(name) ?? 0n);
      if (used + amount > (capacity.get(name)?.value ?? 0n)) return false;
    }
    return true;
  }

  #hasCounters(pool: DevicePool, device: Device): boolean {
    return device.consumes.every(({ counterSet, counters }) => {
      const set = pool.counters.get(counterSet);
      return [...counters].every(([counter, amount]) => {
        const used = this.#counted.get(counterName(pool, counterSet, counter)) ?? 0n;
        return used + amount <= (set?.get(counter) ?? 0n);
      });
    });
  }

  #change({ pool, device, id, adminAccess, share }: Allotted, sign: 1n | -1n): void {
    if (adminAccess) return;
    if (share === undefined) {
      if (sign > 0n) this.#taken.add(id);
      else this.#taken.delete(id);
      this.#count(pool, device, sign);
      return;
    }
    const consumed = this.#consumed.get(id) ?? new Map<string, Quantity>();
    for (const [name, amount] of share) consumed.set(name, (consumed.get(name) ?? 0n) + sign * amount);
    this.#consumed.set(id, consumed);
  }

  #count(pool: DevicePool, { consumes }: Device, sign: 1n | -1n): void {
    for (const { counterSet, counters } of consumes)
      for (const [counter, amount] of counters) {
        const name = counterName(pool, counterSet, counter);
        this.#counted.set(name, (this.#counted.get(name) ?? 0n) + sign * amount);
      }
  }
}

type Matching = readonly Match[] | Pick<Shortfall, 'selector'>;

/** The devices of types and nodes are asked about again and again. */
const MATCHING = new WeakMap<NodeDevices['pools'], WeakMap<DeviceAlternative, Matching>>();

function matchingOf(pools: NodeDevices['pools'], { selectors, tolerations }: DeviceAlternative): Matching {
  const found: Match[] = [];
  for (const pool of pools)
    for (const device of pool.devices) {
      const answer = selectsAll(selectors, device, pool.driver);
      if (typeof answer === 'object') return { selector: answer };
      const isRepelled = device.taints.some((taint) => !tolerations.some((each) => tolerates(each, taint)));
      if (answer && !isRepelled) found.push({ pool, device, id: deviceID(pool, device.name) });
    }
  return found;
}

function isList(matching: Matching): matching is readonly Match[] {
  return Array.isArray(matching);
}

function counterName({ driver, name }: DevicePool, counterSet: string, counter: string): string {
  return `${driver}/${name}/${counterSet}/${counter}`;
}

function selectsAll(
  selectors: readonly string[],
  device: Device,
  driver: string,
): boolean | { readonly expression: string; readonly problem: string } {
  for (const expression of selectors) {
    const answer = selectsDevice(expression, device, driver);
    if (typeof answer === 'object') return { expression, problem: answer.problem };
    if (!answer) return false;
  }
  return true;
}

/** A request that is to be satisfied. */
interface Asked {
  readonly demand: number;
  readonly name: string;
  readonly alternatives: readonly DeviceAlternative[];
}

class Search {
  readonly #room: DeviceRoom;
  readonly #demands: readonly DeviceDemand[];
  readonly #asked: readonly Asked[];
  readonly #constraints: readonly ConstraintState[];
  readonly #found: Allotted[] = [];
  #steps = 0;
  #furthest = -1;
  #lacks: Shortfall | undefined;

  constructor(room: DeviceRoom, demands: readonly DeviceDemand[]) {
    this.#room = room;
    this.#demands = demands;
    this.#asked = demands.flatMap(({ requests }, demand) =>
      requests.map((request) => ({ ...request, demand })),
    );
    this.#constraints = demands.map(({ constraints }) => new ConstraintState(constraints));
  }

  run(): Allocation {
    if (this.#satisfy(0)) return { devices: this.#found };
    const lacks = this.#lacks ?? { claim: '', request: '', ...NOTHING };
    return { lacks: this.#steps > MOST_STEPS ? { ...lacks, isGivenUp: true } : lacks };
  }

  /** Whether this request and all that come after it can be satisfied; nothing of the room is taken then. */
  #satisfy(at: number): boolean {
    const asked = this.#asked[at];
    if (asked === undefined) {
      this.#room.release(this.#found);
      return true;
    }
    return asked.alternatives.some((alternative) => this.#try(at, asked, alternative));
  }

  #try(at: number, asked: Asked, alternative: DeviceAlternative): boolean {
    const matches = this.#room.matching(alternative);
    if (!isList(matches)) return this.#miss(at, asked, alternative, { ...NOTHING, ...matches });
    const isAll = alternative.mode === 'All';
    this.#steps += matches.length;
    if (this.#steps > MOST_STEPS) return false;
    const wanted = isAll ? Math.max(1, matches.length) : alternative.count;
    const free = matches.filter((match) => this.#room.offer(match, alternative) !== undefined);
    const sums = { wanted, matching: matches.length, free: free.length };
    const ofDemand = this.#found.filter(({ demand }) => demand === asked.demand).length;
    const canRepeat = !alternative.adminAccess && free.some(({ device }) => device.shareable);
    if (
      ofDemand + wanted > MOST_DEVICES ||
      (free.length < wanted && !(canRepeat && !isAll && free.length > 0))
    )
      return this.#miss(at, asked, alternative, sums);
    return this.#choose({ at, asked, alternative, sums, of: free }, 0, wanted);
  }

  /** Chooses so many of the devices from `from` on, then continues with the next request. */
  #choose(choice: Choice, from: number, left: number): boolean {
    if (left === 0) return this.#satisfy(choice.at + 1);
    const { at, asked, alternative, sums, of } = choice;
    for (let index = from; index < of.length; index++) {
      const match = of[index];
      if (match === undefined || ++this.#steps > MOST_STEPS) break;
      if (this.#isChosen(choice, match, index, left)) return true;
      if (alternative.mode === 'All') break;
    }
    return this.#miss(at, asked, alternative, sums);
  }

  /** Whether all else can be satisfied beside this device. */
  #isChosen(choice: Choice, match: Match, index: number, left: number): boolean {
    const { at, asked, alternative, sums } = choice;
    const offer = this.#room.offer(match, alternative);
    if (offer === undefined) return false;
    const constraints = this.#constraints[asked.demand];
    const request = labelOf(asked.name, alternative);
    const broken = constraints?.add(request, match.device);
    if (broken !== undefined) return this.#miss(at, asked, alternative, { ...sums, attribute: broken });
    const { adminAccess, mode } = alternative;
    const allotted = { ...match, demand: asked.demand, request, adminAccess, share: offer.share };
    this.#found.push(allotted);
    this.#room.take([allotted]);
    const isAgain = offer.share !== undefined && mode !== 'All';
    if (this.#choose(choice, isAgain ? index : index + 1, left - 1)) return true;
    this.#room.release([allotted]);
    this.#found.pop();
    constraints?.remove(request);
    return false;
  }

  /** Remembers what is in the way of the request that was come to last. */
  #miss(at: number, { demand, name }: Asked, alternative: DeviceAlternative, sums: Sums): false {
    if (at < this.#furthest || (at === this.#furthest && this.#lacks?.attribute !== undefined)) return false;
    this.#furthest = at;
    const claim = this.#demands[demand]?.claim ?? '';
    this.#lacks = { claim, request: labelOf(name, alternative), ...sums };
    return false;
  }
}

type Sums = Omit<Shortfall, 'claim' | 'request' | 'isGivenUp'>;
const NOTHING: Sums = { wanted: 0, matching: 0, free: 0 };

interface Choice {
  readonly at: number;
  readonly asked: Asked;
  readonly alternative: DeviceAlternative;
  readonly sums: Sums;
  /** Devices that match and are free. */
  readonly of: readonly Match[];
}
