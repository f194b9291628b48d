/** The devices of nodes: what their drivers publish; until they do, what nodes of the type have. */
import { termSelects } from '../pods/affinity.js';
import type { Labels } from '../values/labels.js';
import type { Quantity } from '../values/quantity.js';
import type { ResourceClaim } from './claim.js';
import type {
  DevicePool,
  DeviceReach,
  DevicesInUse,
  NodeDevices,
  ResourceSlice,
  SlicedDevice,
} from './device.js';

/** What of a node decides which devices it reaches. */
interface ReachingNode {
  readonly name: string;
  readonly labels: Labels;
}

/** So long after its creation a node is taken to have the devices of its type that no driver has published; then none. */
export const UNPUBLISHED_MILLIS = 600_000;

/** All slices of one pool that are up to date. */
interface PublishedPool {
  readonly driver: string;
  readonly name: string;
  readonly devices: readonly { readonly device: SlicedDevice; readonly reach: DeviceReach }[];
  readonly counters: DevicePool['counters'];
}

export class PublishedDevices {
  /** Node → pools whose devices are all its own. */
  readonly #ofNode = new Map<string, DevicePool[]>();
  /** Pools that nodes share. */
  readonly #others: readonly PublishedPool[];
  readonly #inUse: DevicesInUse;

  constructor(slices: Iterable<ResourceSlice>, claims: Iterable<ResourceClaim>) {
    const others: PublishedPool[] = [];
    for (const pool of publishedPools(slices)) {
      const owner = ownerOf(pool);
      if (owner === undefined) others.push(pool);
      else {
        const made = { ...pool, devices: pool.devices.map(({ device }) => device), shared: false };
        this.#ofNode.set(owner, [...(this.#ofNode.get(owner) ?? []), made]);
      }
    }
    this.#others = others;
    this.#inUse = inUse(claims);
  }

  /** Devices of a node; `expected` are those of its type, which count where no driver of theirs has published any. */
  of(node: ReachingNode, expected: NodeDevices | undefined): NodeDevices | undefined {
    const own = this.#ofNode.get(node.name) ?? [];
    const shared = this.#others.flatMap((pool): readonly DevicePool[] => {
      const devices = pool.devices.filter(({ reach }) => reaches(reach, node)).map(({ device }) => device);
      return devices.length === 0 ? [] : [{ ...pool, devices, shared: true }];
    });
    const published = [...own, ...shared];
    const drivers = new Set(published.map(({ driver }) => driver));
    const pools = [...published, ...(expected?.pools ?? []).filter(({ driver }) => !drivers.has(driver))];
    return pools.length === 0 ? undefined : { pools, ...this.#inUse };
  }
}

/** The one node that has all devices of the pool; undefined where others reach some of them. */
function ownerOf({ devices }: PublishedPool): string | undefined {
  const [first] = devices;
  if (first === undefined || !('nodeName' in first.reach)) return undefined;
  const { nodeName } = first.reach;
  const isOwn = devices.every(({ reach }) => 'nodeName' in reach && reach.nodeName === nodeName);
  return isOwn ? nodeName : undefined;
}

function reaches(reach: DeviceReach, node: ReachingNode): boolean {
  if ('nodeName' in reach) return reach.nodeName === node.name;
  return 'everywhere' in reach || reach.terms.some((term) => termSelects(term, node));
}

/** Pools of which every slice of the newest generation is there: kube-scheduler allocates nothing of others. */
function publishedPools(slices: Iterable<ResourceSlice>): readonly PublishedPool[] {
  const byPool = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    const key = `${slice.driver}/${slice.pool}`;
    const known = byPool.get(key) ?? [];
    const newest = known[0]?.generation ?? slice.generation;
    if (slice.generation > newest) byPool.set(key, [slice]);
    else if (slice.generation === newest) byPool.set(key, [...known, slice]);
  }
  return [...byPool.values()].flatMap((parts) => {
    const sorted = [...parts].sort((left, right) => (left.name < right.name ? -1 : 1));
    const [first] = sorted;
    return first === undefined || sorted.length < first.slices ? [] : [joined(first, sorted)];
  });
}

function joined({ driver, pool: name }: ResourceSlice, slices: readonly ResourceSlice[]): PublishedPool {
  return {
    driver,
    name,
    devices: slices.flatMap(({ reach, devices }) =>
      devices.flatMap((device) => {
        const where = reach ?? device.reach;
        return where === undefined ? [] : [{ device, reach: where }];
      }),
    ),
    counters: new Map(slices.flatMap(({ counters }) => [...counters])),
  };
}

function inUse(claims: Iterable<ResourceClaim>): DevicesInUse {
  const taken = new Set<string>();
  const consumed = new Map<string, Map<string, Quantity>>();
  const allocated = [...claims].flatMap(({ allocation }) => allocation?.devices ?? []);
  for (const { id, adminAccess, consumed: share } of allocated) {
    if (adminAccess) continue;
    if (share === undefined) {
      taken.add(id);
      continue;
    }
    const sum = consumed.get(id) ?? new Map<string, Quantity>();
    for (const [name, amount] of share) sum.set(name, (sum.get(name) ?? 0n) + amount);
    consumed.set(id, sum);
  }
  return { taken, consumed };
}
