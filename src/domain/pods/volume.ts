/** What volumes ask of a node: zones, attach limits, exclusive access. Object names, not objects, link them. */
import type { NodeSelectorTerm } from './affinity.js';
import { selects, type LabelSelector } from '../values/label-selector.js';
import type { Labels } from '../values/labels.js';

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
  /** Why no pod can use it now: it is being deleted, or names a volume that is not bound to it yet. */
  readonly hold?: 'Terminating' | 'Prebound' | undefined;
  /** Requirements on an existing volume for the claim; undefined when they are not known. */
  readonly request?: VolumeRequest | undefined;
}

/** What a claim asks of its volume. */
export interface VolumeRequest {
  readonly bytes: number;
  readonly accessModes: readonly string[];
  readonly volumeMode: string;
  /** Name of the VolumeAttributesClass, or ''. */
  readonly attributesClass: string;
  /** undefined asks nothing of the volume's labels. */
  readonly selector: LabelSelector | undefined;
}

/** What a volume offers that no claim has yet. */
export interface FreeVolume extends Omit<VolumeRequest, 'selector'> {
  readonly storageClassName: string;
  readonly labels: Labels;
  /** `namespace/name` of the claim that it is kept for. */
  readonly reservedFor: string | undefined;
}

export interface PersistentVolume {
  readonly name: string;
  /** CSI driver that attaches it; undefined for in-tree and local volumes. */
  readonly driver: string | undefined;
  /** Terms of which one must match the node; undefined when it can be used anywhere. */
  readonly nodeAffinity: readonly NodeSelectorTerm[] | undefined;
  /** The same for the zone and region that its labels name; a node that has neither label is in all of them. */
  readonly zones?: readonly NodeSelectorTerm[] | undefined;
  /** Given while a claim may still be bound to it. */
  readonly free?: FreeVolume | undefined;
}

export interface StorageClass {
  readonly name: string;
  /** An in-tree provisioner by the name of the CSI driver that does its work. */
  readonly provisioner: string;
  readonly bindingMode: 'Immediate' | 'WaitForFirstConsumer';
  /** Terms of which one must match the node; undefined when volumes can be made anywhere. */
  readonly allowedTopologies: readonly NodeSelectorTerm[] | undefined;
  readonly isDefault: boolean;
}

/** A volume that is attached to a node, or is being attached or detached. */
export interface VolumeAttachment {
  readonly name: string;
  readonly nodeName: string;
  /** PersistentVolume; undefined for an inline volume. */
  readonly volumeName: string | undefined;
}

/** Whether a claim can be bound to a volume that is free, as far as both know (component-helpers, FindMatchingVolume). */
export function satisfiesClaim(
  { storageClassName, reservedFor, ...free }: FreeVolume,
  claim: Pick<PersistentVolumeClaim, 'name' | 'storageClassName' | 'request'>,
): boolean {
  if (storageClassName !== claim.storageClassName) return false;
  if (reservedFor !== undefined && reservedFor !== claim.name) return false;
  const { request } = claim;
  if (request === undefined) return true;
  if (free.bytes < request.bytes || free.volumeMode !== request.volumeMode) return false;
  if (free.attributesClass !== request.attributesClass) return false;
  if (reservedFor !== undefined) return true;
  return (
    request.accessModes.every((mode) => free.accessModes.includes(mode)) &&
    (request.selector === undefined || selects(request.selector, free.labels))
  );
}
