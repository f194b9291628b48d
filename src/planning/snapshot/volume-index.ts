/** Volumes by name, and what a pod's volumes ask of its node. */
import type { NodeSelectorTerm } from '../../domain/pods/affinity.js';
import {
  satisfiesClaim,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  type VolumeUse,
} from '../../domain/pods/volume.js';
import type { Reason } from '../reason.js';

export interface VolumeIndex {
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  /** Volumes that a claim may still be bound to. */
  readonly free: readonly PersistentVolume[];
  readonly classes: ReadonlyMap<string, StorageClass>;
  readonly defaultClass: StorageClass | undefined;
  /** Claim → number of specs' pods that use it, so that one attachment shared by pods counts once. */
  readonly users: ReadonlyMap<string, number>;
}

/** A volume on the node of a pod that uses it. */
export interface AttachedVolume {
  readonly claim: string;
  /** CSI driver whose attach limit it counts against; undefined: none. */
  readonly driver: string | undefined;
  readonly readWriteOncePod: boolean;
  /** Other pods use the same claim. */
  readonly shared: boolean;
}

/** One volume's demand on the node. */
export interface VolumeDemand extends AttachedVolume {
  /** One of the terms must match the node; undefined: anywhere (VolumeBinding). */
  readonly terms: readonly NodeSelectorTerm[] | undefined;
  /** The same for the zones that the volume's labels name (VolumeZone). */
  readonly zones: readonly NodeSelectorTerm[] | undefined;
}

/** What one use of a volume demands, or why the pod cannot be scheduled at all (VolumeBinding, VolumeRestrictions). */
export function volumeDemand(index: VolumeIndex, use: VolumeUse): VolumeDemand | Reason {
  const claim = index.claims.get(use.claim);
  if (claim === undefined && use.ephemeralClass === undefined)
    return { code: 'VolumeClaimNotFound', claim: use.claim };
  if (claim?.hold !== undefined) return { code: HELD[claim.hold], claim: use.claim };
  const attached = attachedVolume(index, use);
  if (claim?.volumeName !== undefined) {
    const volume = index.volumes.get(claim.volumeName);
    if (volume === undefined) return { code: 'VolumeNotFound', claim: use.claim, volume: claim.volumeName };
    return { ...attached, terms: volume.nodeAffinity, zones: volume.zones };
  }
  const storageClass = classOf(index, use, claim);
  if (storageClass === undefined) return withoutClass(use, claim);
  if (storageClass.bindingMode !== 'WaitForFirstConsumer')
    return { code: 'VolumeClaimUnbound', claim: use.claim };
  return {
    ...attached,
    terms: reachable(index, storageClass, claim ?? { name: use.claim }),
    zones: undefined,
  };
}

/**
 * Of a claim whose class does not exist. `storageClassName: ""` asks for a volume without a class, which only a
 * PersistentVolume made by hand can be: such a claim waits for one.
 */
function withoutClass({ claim, ephemeralClass }: VolumeUse, made: PersistentVolumeClaim | undefined): Reason {
  const storageClass = made === undefined ? ephemeralClass : made.storageClassName;
  if (storageClass === undefined || (made === undefined && storageClass === ''))
    return { code: 'NoDefaultStorageClass', claim };
  return storageClass === ''
    ? { code: 'VolumeClaimUnbound', claim }
    : { code: 'StorageClassNotFound', claim, storageClass };
}

/** The provisioner of classes whose volumes are all made by hand. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/**
 * Where a claim that waits for its pod can have a volume: where its class may make one, and where free ones are. Each
 * claim is looked at alone, so two of one pod may count on the same free volume.
 */
function reachable(
  { free }: VolumeIndex,
  { name: storageClassName, provisioner, allowedTopologies }: StorageClass,
  claim: Pick<PersistentVolumeClaim, 'name' | 'request'>,
): readonly NodeSelectorTerm[] | undefined {
  const made = provisioner === NO_PROVISIONER ? [] : allowedTopologies;
  const fitting = free.filter((volume) => {
    const { name, request } = claim;
    return volume.free !== undefined && satisfiesClaim(volume.free, { name, request, storageClassName });
  });
  const found = fitting.map(({ nodeAffinity }) => nodeAffinity);
  return [made, ...found].reduce((all, terms) => all && terms && [...all, ...terms]);
}

const HELD = { Terminating: 'VolumeClaimTerminating', Prebound: 'VolumeClaimUnbound' } as const;

/** What a volume takes where its pod runs, whatever state its claim is in now (NodeVolumeLimits). */
export function attachedVolume(index: VolumeIndex, use: VolumeUse): AttachedVolume {
  const claim = index.claims.get(use.claim);
  const volume = claim?.volumeName === undefined ? undefined : index.volumes.get(claim.volumeName);
  return {
    claim: use.claim,
    driver: volume === undefined ? classOf(index, use, claim)?.provisioner : volume.driver,
    readWriteOncePod: claim?.readWriteOncePod ?? false,
    shared: (index.users.get(use.claim) ?? 0) > 1,
  };
}

/** The class of a claim, or of one that will be made; one that names none has the default class. */
function classOf(
  index: VolumeIndex,
  use: VolumeUse,
  claim: PersistentVolumeClaim | undefined,
): StorageClass | undefined {
  if (claim === undefined && use.ephemeralClass === undefined) return undefined;
  const ephemeralClass = use.ephemeralClass === '' ? undefined : use.ephemeralClass;
  const name = claim === undefined ? ephemeralClass : claim.storageClassName;
  return name === undefined ? index.defaultClass : index.classes.get(name);
}
