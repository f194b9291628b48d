/** Placement groups, for tests. */
import type { PlacementGroup } from '../../../src/domain/nodes/placement-group.js';

/** A spread by rack, without instances of others. */
export function placementGroup(overrides: Partial<PlacementGroup> = {}): PlacementGroup {
  return {
    ...{ id: 'pg-1', name: 'apart', strategy: 'spread', spreadLevel: 'rack', partitions: 0 },
    others: new Map(),
    ...overrides,
  };
}
