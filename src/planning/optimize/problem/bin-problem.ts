/** What the optimizer solves: classes of equal items to be packed into bins that can be bought, as typed arrays. */

/** The first resources of every problem, in this order; others (GPUs, ephemeral storage) follow. */
export const CPU_AXIS = 0;
export const MEMORY_AXIS = 1;
export const PODS_AXIS = 2;
export const FIRST_OTHER_AXIS = 3;

/** Most zones of a problem: a zone mask is one integer. */
export const MAX_ZONES = 30;

/** What can be bought: room and, per zone, a price. Amounts may be in any unit, the same for bin types and items. */
export interface BinTypes {
  readonly count: number;
  /** bin types × R. */
  readonly capacity: Float64Array;
  /** bin types × Z: USD/h, above 0; Infinity where it is not offered. */
  readonly price: Float64Array;
  /** Bin type → its signature: bin types of equal signature admit the same requirement sets. */
  readonly signature: Int32Array;
  /** Bin type → the account that buying one is charged to, or -1. */
  readonly account: Int32Array;
  /** bin types × `Accounts.width`: what buying one takes of the limits of its account, in their order. */
  readonly charge: Float64Array;
}

/** Limits of pools. One account has several limits (cpu, memory, nodes): each is an entry here. */
export interface Accounts {
  readonly limits: number;
  /** Most limits that one account has. */
  readonly width: number;
  /** Account → its first limit; the others follow. */
  readonly first: Int32Array;
  /** Limit → what is left of it. */
  readonly left: Float64Array;
}

/** Items that are equal in everything that packing looks at; a pod each, or several pods that must share a bin. */
export interface ItemClasses {
  readonly count: number;
  /** classes × R; on the pods axis the number of pods that an item holds. */
  readonly requests: Float64Array;
  /** Class → items. */
  readonly items: Int32Array;
  readonly requirementSet: Int32Array;
  /** Class → bit z is set where zone z may take it. */
  readonly zoneMask: Int32Array;
  /** Class → the cap group that limits how many of it a bin takes, or -1. */
  readonly capGroup: Int32Array;
  /** Class → the quota group that limits how many of it a zone takes, or -1. */
  readonly quotaGroup: Int32Array;
}

export interface BinProblem {
  /** R. */
  readonly resources: number;
  /** Z, at most MAX_ZONES. */
  readonly zones: number;
  /** Whether every bin type costs the same in all zones: then zones are chosen by need, not by price. */
  readonly zonesEqual: boolean;
  readonly binTypes: BinTypes;
  readonly accounts: Accounts;
  /** Number of requirement sets, and of signatures. */
  readonly requirementSets: number;
  readonly signatures: number;
  /** signatures × requirementSets: 1 where bin types of the signature may hold items of the set. */
  readonly admits: Uint8Array;
  readonly classes: ItemClasses;
  /** Cap group → most items of the group's classes, together, in one bin. */
  readonly cap: Int32Array;
  /** quota groups × Z: most items of the group's classes in that zone, over all bins. */
  readonly quota: Int32Array;
}

/** A bin to buy, with what is in it. */
export interface Bin {
  readonly binType: number;
  readonly zone: number;
  /** Classes inside, ascending, and how many items of each; as long as each other. */
  readonly classes: readonly number[];
  readonly items: readonly number[];
}

/**
 * What any reader can check by weak duality: a bin of type t in zone z holds items worth no more than its price, when an
 * item of class k in zone z is worth requests_k · perUnit[group of k in z] (+ slot for classes of the slot group).
 */
export interface BinDuals {
  /** classes × Z: the group whose prices an item has in a zone, or -1. */
  readonly groupOf: Int32Array;
  /** groups × R: USD/h per unit. */
  readonly perUnit: Float64Array;
  /** The cap group of which every bin holds `cap` items at most, so that a bin is worth more with them; or -1. */
  readonly slotGroup: number;
  /** USD/h that an item of the slot group is worth beside its resources. */
  readonly slot: number;
}

export interface BinSolution {
  readonly bins: readonly Bin[];
  /** Class → items that no bin holds: nothing that may be bought takes them. */
  readonly left: Int32Array;
  /** USD/h of all bins. */
  readonly price: number;
  /** USD/h below which nothing packs all items of the problem (weak duality); 0 when none was found. */
  readonly lowerBound: number;
  /** Work done, in units that are the same on every host: pivots of the linear program, bins tried, classes looked at. */
  readonly work: { readonly pivots: number; readonly fills: number; readonly looks: number };
}

/** How much work may be spent. The same numbers give the same bins: no clock is looked at. */
export interface OptimizerOptions {
  /** Pivots after which the linear program's prices are taken as they are. */
  readonly maxPivots: number;
  /** Bins tried, over all passes; a pass that has begun is finished. */
  readonly maxFills: number;
  /** Classes looked at when filling bins, over all passes, in the same way; some times as many while the price is poor. */
  readonly maxLooks: number;
  /** Start of the sampler. */
  readonly seed: number;
}

export const DEFAULT_OPTIMIZER_OPTIONS: OptimizerOptions = {
  maxPivots: 800,
  maxFills: 4_000,
  maxLooks: 450_000,
  seed: 1,
};

/** Options for a part of the work; pivots, of which prices need what they need, are not shared out. */
export function shareOfWork(options: OptimizerOptions, share: number): OptimizerOptions {
  return { ...options, maxFills: share * options.maxFills, maxLooks: share * options.maxLooks };
}

/** @param binTypes with USD/h as bin types × Z, Infinity where not offered. Zones in which nothing is offered do not count. */
export function areZonesEqual({
  count,
  zones,
  price,
}: {
  readonly count: number;
  readonly zones: number;
  readonly price: Float64Array;
}): boolean {
  const used = new Set<number>();
  for (let index = 0; index < price.length; index++) if (price[index] !== Infinity) used.add(index % zones);
  const [first = 0, ...others] = used;
  for (let binType = 0; binType < count; binType++) {
    for (const zone of others)
      if (price[binType * zones + zone] !== price[binType * zones + first]) return false;
  }
  return true;
}
