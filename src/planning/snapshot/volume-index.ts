/** Volumes by name, and what a pod's volumes ask of its node. */
import type { NodeSelectorTerm } from '../../domain/affinity.js';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeUse,
} from '../../domain/volume.js';
import type { Reason } from '../reason.js';

export interface VolumeIndex {
  readonly claims: ReadonlyMap<string, PersistentVolumeClaim>;
  readonly volumes: ReadonlyMap<string, PersistentVolume>;
  readonly classes: ReadonlyMap<string, StorageClass>;
  readonly defaultClass: StorageClass | undefined;
  /** Claim → number of specs' pods that use it, so that one attachment shared by pods counts once. */
  readonly users: ReadonlyMap<string, number>;
}

/** One volume's demand on the node. */
export interface VolumeDemand {
  readonly claim: string;
  /** CSI driver whose attach limit it counts against; undefined: none. */
  readonly driver: string | undefined;
  /** One of the terms must match the node; undefined: anywhere. */
  readonly terms: readonly NodeSelectorTerm[] | undefined;
  readonly readWriteOncePod: boolean;
  /** Other pods use the same claim. */
  readonly shared: boolean;
}

/** What one use of a volume demands, or why the pod cannot be scheduled at all (VolumeBinding, VolumeRestrictions). */
export function volumeDemand(index: VolumeIndex, use: VolumeUse): VolumeDemand | Reason {
  const claim = index.claims.get(use.claim);
  if (claim === undefined) {
    if (use.ephemeralClass === undefined) return { code: 'VolumeClaimNotFound', claim: use.claim };
    return unboundDemand(index, use.claim, {
      storageClassName: use.ephemeralClass || undefined,
      readWriteOncePod: false,
    });
  }
  if (claim.volumeName === undefined) return unboundDemand(index, use.claim, claim);
  const volume = index.volumes.get(claim.volumeName);
  if (volume === undefined) return { code: 'VolumeNotFound', claim: use.claim, volume: claim.volumeName };
  return {
    claim: use.claim,
    driver: volume.driver,
    terms: volume.nodeAffinity,
    readWriteOncePod: claim.readWriteOncePod,
    shared: (index.users.get(use.claim) ?? 0) > 1,
  };
}

/** A claim without a volume yet: its class must wait for the pod, and may say where volumes can be made. */
function unboundDemand(
  index: VolumeIndex,
  name: string,
  claim: Pick<PersistentVolumeClaim, 'storageClassName' | 'readWriteOncePod'>,
): VolumeDemand | Reason {
  const storageClass =
    claim.storageClassName === undefined ? index.defaultClass : index.classes.get(claim.storageClassName);
  if (storageClass?.bindingMode !== 'WaitForFirstConsumer')
    return { code: 'VolumeClaimUnbound', claim: name };
  return {
    claim: name,
    driver: storageClass.provisioner,
    terms: storageClass.allowedTopologies,
    readWriteOncePod: claim.readWriteOncePod,
    shared: (index.users.get(name) ?? 0) > 1,
  };
}
