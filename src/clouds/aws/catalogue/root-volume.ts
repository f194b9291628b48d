/** How large a root volume has to be for what pods request of it. */
import type { NodeSettings } from '../families/node-settings.js';
import { EPHEMERAL_STORAGE } from '../../../domain/values/resources.js';
import { allocatableFor } from './allocatable.js';
import type { InstanceFacts } from './instance-facts.js';

const GIB = 2 ** 30;

/** Whether nodes of this type and class have a root volume as large as their pods need. */
export function isMadeToMeasure(
  { localStorageGB }: Pick<InstanceFacts, 'localStorageGB'>,
  { rootVolumeBytes, maxRootVolumeBytes = 0, instanceStoreRaid0 }: NodeSettings,
): boolean {
  return maxRootVolumeBytes > rootVolumeBytes && !(instanceStoreRaid0 && localStorageGB !== undefined);
}

/**
 * GiB of the smallest root volume that leaves so many bytes to pods, what the kubelet keeps besides. undefined where the
 * node class's own size will do, or is all there may be.
 */
export function rootVolumeGiB(
  facts: InstanceFacts,
  nodeClass: NodeSettings,
  bytes: number,
): number | undefined {
  const { rootVolumeBytes, maxRootVolumeBytes = rootVolumeBytes } = nodeClass;
  if (!isMadeToMeasure(facts, nodeClass) || leftOf(facts, nodeClass, rootVolumeBytes) >= bytes)
    return undefined;
  let small = Math.floor(rootVolumeBytes / GIB);
  let large = Math.ceil(maxRootVolumeBytes / GIB);
  while (large - small > 1) {
    const middle = Math.floor((small + large) / 2);
    if (leftOf(facts, nodeClass, middle * GIB) >= bytes) large = middle;
    else small = middle;
  }
  return large;
}

/** Bytes that a root volume of this size leaves to pods. */
function leftOf(facts: InstanceFacts, nodeClass: NodeSettings, rootVolumeBytes: number): number {
  const sized = { ...nodeClass, rootVolumeBytes, maxRootVolumeBytes: undefined };
  return allocatableFor(facts, sized).allocatable.get(EPHEMERAL_STORAGE) ?? 0;
}
