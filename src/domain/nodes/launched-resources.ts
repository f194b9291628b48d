/** What an instance has that is launched for given requests, where that depends on them. */
import type { InstanceType } from './instance-type.js';
import { EPHEMERAL_STORAGE, type ResourceList } from '../values/resources.js';

type Resources = Pick<InstanceType, 'capacity' | 'allocatable'>;

/**
 * Capacity and allocatable of the type as the instance will have them: no more storage than is asked for, nor less than the
 * least, and what it has on request alone only where it is requested.
 */
export function launchedResources(
  {
    onRequest,
    leastStorage,
    capacity,
    allocatable,
  }: Resources & Pick<InstanceType, 'leastStorage' | 'onRequest'>,
  requests: ResourceList,
): Resources {
  const missing = [...(onRequest ?? [])].filter((resource) => !((requests.get(resource) ?? 0) > 0));
  return sized(
    { capacity: without(capacity, missing), allocatable: without(allocatable, missing) },
    leastStorage,
    requests,
  );
}

function without(resources: ResourceList, missing: readonly string[]): ResourceList {
  if (!missing.some((resource) => resources.has(resource))) return resources;
  return new Map([...resources].filter(([resource]) => !missing.includes(resource)));
}

function sized(
  { capacity, allocatable }: Resources,
  leastStorage: InstanceType['leastStorage'],
  requests: ResourceList,
): Resources {
  if (leastStorage === undefined) return { capacity, allocatable };
  const asked = requests.get(EPHEMERAL_STORAGE) ?? 0;
  const most = allocatable.get(EPHEMERAL_STORAGE) ?? 0;
  const left = Math.min(most, Math.max(leastStorage.allocatable, asked));
  return {
    capacity:
      asked > leastStorage.allocatable
        ? capacity
        : new Map([...capacity, [EPHEMERAL_STORAGE, leastStorage.capacity]]),
    allocatable: new Map([...allocatable, [EPHEMERAL_STORAGE, left]]),
  };
}
