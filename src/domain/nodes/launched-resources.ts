/** What an instance has that is launched for given requests, where its root volume is made to measure. */
import type { InstanceType } from './instance-type.js';
import { EPHEMERAL_STORAGE, type ResourceList } from '../values/resources.js';

/** Capacity and allocatable of the type as the instance will have them: no more storage than is asked for, nor less than the least. */
export function launchedResources(
  { capacity, allocatable, leastStorage }: Pick<InstanceType, 'capacity' | 'allocatable' | 'leastStorage'>,
  requests: ResourceList,
): Pick<InstanceType, 'capacity' | 'allocatable'> {
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
