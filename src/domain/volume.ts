/** What volumes ask of a node: zones, attach limits, exclusive access. Object names, not objects, link them. */
import type { NodeSelectorTerm } from './affinity.js';

/** A pod's use of one PersistentVolumeClaim, or of a generic ephemeral volume as the claim it will create. */
export interface VolumeUse {
  /** `namespace/name` of the claim. */
  readonly claim: string;
  /** For an ephemeral volume: the class its claim will ask for; the claim itself need not exist yet. */
  readonly ephemeralClass?: string | undefined;
}

export interface PersistentVolumeClaim {
  /** `namespace/name`. */
  readonly name: string;
  /** PersistentVolume it is bound to, or undefined. */
  readonly volumeName: string | undefined;
  /** StorageClass; undefined means the default class, '' no class. */
  readonly storageClassName: string | undefined;
  readonly readWriteOncePod: boolean;
}

export interface PersistentVolume {
  readonly name: string;
  /** CSI driver that attaches it; undefined for in-tree and local volumes. */
  readonly driver: string | undefined;
  /** Terms of which one must match the node; undefined when it can be used anywhere. */
  readonly nodeAffinity: readonly NodeSelectorTerm[] | undefined;
}

export interface StorageClass {
  readonly name: string;
  readonly provisioner: string;
  readonly bindingMode: 'Immediate' | 'WaitForFirstConsumer';
  /** Terms of which one must match the node; undefined when volumes can be made anywhere. */
  readonly allowedTopologies: readonly NodeSelectorTerm[] | undefined;
  readonly isDefault: boolean;
}
