/** The PersistentVolumeClaims that a pod uses, by name or as generic ephemeral volumes. */
import type { VolumeUse } from '../../../domain/pods/volume.js';
import { elements, hasObject, member, optionalText, requiredText, type Field } from '../object/field.js';
import type { ObjectName } from '../object/metadata.js';

/** What is known of storage while pods are read. */
export interface StorageContext {
  /** Name of the default StorageClass; '' when there is none. */
  readonly defaultClass: string;
  /** `namespace/name` of the claims that exist. */
  readonly claims: ReadonlySet<string>;
}

/** Claims of these items of spec.volumes, in their order. A generic ephemeral volume's claim is named `<pod>-<volume>`. */
export function readVolumes(
  volumes: readonly Field[],
  pod: ObjectName,
  storage: StorageContext,
): readonly VolumeUse[] {
  return volumes.flatMap((volume) => {
    const ephemeral = member(volume, 'ephemeral');
    if (ephemeral.value !== undefined) {
      const name = requiredText(member(volume, 'name'));
      return readEphemeral(ephemeral, { namespace: pod.namespace, name: `${pod.name}-${name}` }, storage);
    }
    const claim = member(volume, 'persistentVolumeClaim');
    if (!hasObject(claim)) return [];
    const name = requiredText(member(claim, 'claimName'));
    return name === '' ? [] : [{ claim: `${pod.namespace}/${name}` }];
  });
}

function readEphemeral(field: Field, claim: ObjectName, storage: StorageContext): VolumeUse[] {
  if (!hasObject(field)) return [];
  const template = member(member(field, 'volumeClaimTemplate'), 'spec');
  return [claimToMake(claim, optionalText(member(template, 'storageClassName')), storage)];
}

/** The use of a claim that will be made unless it exists already. */
export function claimToMake(
  claim: ObjectName,
  storageClass: string | undefined,
  storage: StorageContext,
): VolumeUse {
  const name = `${claim.namespace}/${claim.name}`;
  if (storage.claims.has(name)) return { claim: name };
  return { claim: name, ephemeralClass: storageClass ?? storage.defaultClass };
}

/** Whether claims are named after the pod, so that no two pods can share them. */
export function hasEphemeralVolumes(spec: Field): boolean {
  const volumes = member(spec, 'volumes');
  return (
    Array.isArray(volumes.value) &&
    elements(volumes).some((volume) => member(volume, 'ephemeral').value !== undefined)
  );
}
