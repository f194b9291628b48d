/** The staged roll-out of drift of a NodePool (berth.driftRollout). */
import type { DisruptionBudget } from './budget.js';

export interface DriftRollout {
  /** Nodes that are replaced first: a count, or a percentage of the pool's nodes, rounded up; at least one. */
  readonly canary: DisruptionBudget['nodes'];
  /** How long as many nodes have to have been initialized before the others are replaced. */
  readonly soakSeconds: number;
  readonly pauseOn: PauseOn;
}

/** From how many on the roll-out pauses; undefined: however many there are. */
export interface PauseOn {
  /** Replacements of drifted nodes in a row that did not become nodes. */
  readonly failedReplacements: number | undefined;
  /** New nodes that are not ready at the same time. */
  readonly notReadyNodes: number | undefined;
  /** Restarts of the containers of one pod on a new node. */
  readonly podRestarts: number | undefined;
}

/** On the PolicyStatus of a NodePool: the target whose roll-out continues without stages, as messages about it name it. */
export const RESUME_DRIFT_ANNOTATION = 'berth.sh/resume-drift';

/** Nodes that are replaced first in a pool of so many. */
export function canaryNodes({ canary }: Pick<DriftRollout, 'canary'>, total: number): number {
  return 'count' in canary ? canary.count : Math.max(1, Math.ceil((total * canary.percent) / 100));
}
