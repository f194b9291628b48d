import type { CloudInstance } from '../../../src/ports/cloud.js';
import { ZONE_A } from './instance-type.js';

/** A running on-demand m5.large; its provider ID follows from zone and id. */
export function cloudInstance(overrides: Partial<CloudInstance> = {}): CloudInstance {
  const { id = 'i-1', zone = ZONE_A } = overrides;
  return {
    id,
    providerID: `aws:///${zone}/${id}`,
    instanceType: 'm5.large',
    zone,
    capacityType: 'on-demand',
    imageID: 'ami-1',
    state: 'running',
    launchedAt: 0,
    tags: new Map(),
    ...overrides,
  };
}
