/** Lower bounds that the judge proves itself: relax a question, find prices, and see by weak duality what they prove. */
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { candidates } from './candidates.js';
import { lowerBound } from './lower-bound.js';
import { relax } from './relax.js';

/** USD/h that no plan for all pods of the question goes below. */
export function boundOf(input: ClusterInput): number {
  const relaxation = relax(input);
  return lowerBound(relaxation, candidates(relaxation)).hourly;
}
