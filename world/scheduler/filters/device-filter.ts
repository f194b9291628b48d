/** Whether a node has the devices that a pod claims (DynamicResources), and which it gets there. */
import { allocateOn, idOf } from '../../devices/allocate.js';
import { RESOURCE_SLICES } from '../../devices/device-driver.js';
import {
  CLAIMS,
  claimsOf,
  CLASSES,
  type ClaimAllocation,
  type DeviceClass,
  type PodClaimStatus,
  type ResourceClaim,
  type ResourceSlice,
} from '../../devices/objects.js';
import { matchesNode } from '../../kubernetes/objects/node-selector.js';
import { EarlyRefusal, refusal, type Facts, type NodeFilter } from './node-check.js';
import type { PodInfo } from './pod-info.js';

const PLUGIN = 'DynamicResources';

/** A claim with the devices that it gets. */
export interface AllocatedClaim {
  readonly claim: ResourceClaim;
  readonly allocation: ClaimAllocation;
}

/** What the filter looks at. */
export type DeviceView = Pick<Facts, 'get' | 'list' | 'allocating'>;

export const dynamicResources: NodeFilter = (pod, facts) => {
  if (claimsOf(pod.pod).length === 0) return () => undefined;
  const claims = claimObjects(pod, facts);
  return ({ node }) => {
    if (node === undefined) return undefined;
    for (const claim of claims) {
      const terms = allocationOf(claim, facts)?.nodeSelector?.nodeSelectorTerms;
      const { labels = {}, name } = node.metadata;
      if (terms !== undefined && !matchesNode(terms, labels, name))
        return refusal(PLUGIN, 'resourceclaim not available on the node', true);
    }
    return devicesOn(pod, node.metadata.name, facts) === undefined
      ? refusal(PLUGIN, 'cannot allocate all claims', true)
      : undefined;
  };
};

/** What the claims that are not allocated yet get on the node; undefined where that is not enough. */
export function devicesOn(
  pod: PodInfo,
  nodeName: string,
  facts: DeviceView,
): readonly AllocatedClaim[] | undefined {
  const claims = claimObjects(pod, facts).filter((claim) => allocationOf(claim, facts) === undefined);
  const allocations = allocateOn(nodeName, claims, {
    slices: facts.list(RESOURCE_SLICES) as readonly ResourceSlice[],
    classOf: (name) => facts.get(CLASSES, { name }) as DeviceClass | undefined,
    inUse: inUse(facts),
  });
  return allocations?.flatMap((allocation, index) => {
    const claim = claims[index];
    return claim === undefined ? [] : [{ claim, allocation }];
  });
}

/** @throws EarlyRefusal while one of them does not exist. */
export function claimObjects({ pod, namespace }: PodInfo, facts: DeviceView): readonly ResourceClaim[] {
  const made = (pod.status?.['resourceClaimStatuses'] ?? []) as readonly PodClaimStatus[];
  return claimsOf(pod).map(({ name, resourceClaimName }) => {
    const known = resourceClaimName ?? made.find((each) => each.name === name)?.resourceClaimName;
    if (known === undefined)
      throw new EarlyRefusal(
        PLUGIN,
        `pod "${namespace}/${pod.metadata.name}": ResourceClaim not created yet`,
      );
    const claim = facts.get(CLAIMS, { namespace, name: known }) as ResourceClaim | undefined;
    if (claim === undefined) throw new EarlyRefusal(PLUGIN, `resourceclaim "${known}" not found`);
    return claim;
  });
}

function allocationOf(claim: ResourceClaim, { allocating }: DeviceView): ClaimAllocation | undefined {
  return claim.status?.allocation ?? allocating.get(claim.metadata.uid);
}

function inUse({ list, allocating }: DeviceView): ReadonlySet<string> {
  const allocations = [
    ...(list(CLAIMS) as readonly ResourceClaim[]).flatMap(({ status }) => status?.allocation ?? []),
    ...allocating.values(),
  ];
  return new Set(allocations.flatMap(({ devices }) => devices.results.map(idOf)));
}
