/** Pods on their way to becoming items of the optimizer: which they are, where they may go, what limits them. */
import type { Ask, SpreadRule } from '../../model/classes/ask.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import type { HostCap } from './guided-rules.js';
import type { Reach } from './reaches.js';

/** So many pods of a class, to be placed under an ask. */
export interface ItemSource {
  readonly pods: PodClass;
  readonly ask: Ask;
  readonly n: number;
  /** Launchable columns that the ask admits. */
  readonly admitted: Uint8Array;
  /** Whether nothing but room and the machine decides. */
  readonly isFree: boolean;
}

export interface ItemDraft {
  /** One class of pods; or, when `isBundle`, all that must share a machine: `n` pods of each source in every item. */
  readonly sources: readonly ItemSource[];
  readonly isBundle: boolean;
  readonly items: number;
  /** What one item asks for, and where it may go. */
  readonly reach: Reach;
  readonly hostCaps: readonly HostCap[];
  readonly zoneSpread: readonly SpreadRule[];
}
