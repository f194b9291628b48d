/** Pods on their way to becoming items of the optimizer: which they are, where they may go, what limits them. */
import type { Ask } from '../ask.js';
import type { PodClass } from '../pod-class.js';
import type { SpreadRule } from '../ask.js';
import type { HostCap } from './guided-rules.js';
import type { MachineSet } from './machine-sets.js';

/** So many pods of a class, to be placed under an ask. */
export interface ItemSource {
  readonly pods: PodClass;
  readonly ask: Ask;
  readonly n: number;
}

export interface ItemDraft {
  /** One class of pods; or, when `isBundle`, all that must share a machine. */
  readonly sources: readonly ItemSource[];
  readonly isBundle: boolean;
  readonly items: number;
  /** R amounts of one item, on the axis of the snapshot. */
  readonly requests: Float64Array;
  readonly set: MachineSet;
  readonly zoneMask: number;
  readonly hostCaps: readonly HostCap[];
  readonly zoneSpread: readonly SpreadRule[];
}

/** How many zones a mask names. */
export function zonesIn(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
