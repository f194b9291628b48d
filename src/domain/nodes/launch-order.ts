/** What the order of a launch's offerings says: they stand by price, or as NodeOverlays have it. */
import type { LaunchOverride } from './node-claim.js';

/** Whether nothing stands before what is cheaper; then the cloud, which knows how much it has of each, may choose itself. */
export function isInOrderOfPrice(overrides: readonly Pick<LaunchOverride, 'price'>[]): boolean {
  return overrides.every(({ price }, index) => price >= (overrides[index - 1]?.price ?? 0));
}
