/** Volumes for tests: claims, the volumes they are bound to, and storage classes. */
import { ZONE } from '../../../src/domain/values/labels.js';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../../src/domain/pods/volume.js';
import { nodeTerm, oneOf } from './constraints.js';

export const EBS_DRIVER = 'ebs.csi.aws.com';

/** `default/data`, bound to nothing, of class gp3. */
export function volumeClaim(overrides: Partial<PersistentVolumeClaim> = {}): PersistentVolumeClaim {
  return {
    name: 'default/data',
    volumeName: undefined,
    storageClassName: 'gp3',
    readWriteOncePod: false,
    ...overrides,
  };
}

/** An EBS volume `pv`, usable anywhere or, given a zone, there only. */
export function persistentVolume(
  overrides: Partial<PersistentVolume> & { readonly zone?: string } = {},
): PersistentVolume {
  const { zone, ...rest } = overrides;
  const nodeAffinity = zone === undefined ? undefined : [nodeTerm(oneOf(ZONE, zone))];
  return { name: 'pv', driver: EBS_DRIVER, nodeAffinity, ...rest };
}

/** `gp3`, not the default, made where the pod goes, in any zone. */
export function storageClass(overrides: Partial<StorageClass> = {}): StorageClass {
  return {
    name: 'gp3',
    provisioner: EBS_DRIVER,
    bindingMode: 'WaitForFirstConsumer',
    allowedTopologies: undefined,
    isDefault: false,
    ...overrides,
  };
}
