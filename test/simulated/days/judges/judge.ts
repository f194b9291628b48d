/** What a judge is: it watches one kind of promise, from the world's own record, and reports each time that it is broken. */
import type { SimulatedWorld } from '../../simulated-world.js';
import type { Stage } from '../plan/stage.js';
import type { History } from '../record/history.js';

/** In the order of the report. */
export const FINDING_KINDS = [
  'pdbViolations',
  'budgetOverruns',
  'limitOverruns',
  'leakedInstances',
  'doubleEvictions',
  'stuckNodes',
  'undoneMoves',
  'lateInterruptions',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Names, as they stand in the trace. */
  readonly objects: readonly string[];
  readonly what: string;
}

export interface Bench {
  readonly world: SimulatedWorld;
  readonly history: History;
  readonly stage: Stage;
  readonly report: (finding: Omit<Finding, 'at'>) => void;
}

export interface Judge {
  /** Called every half a minute of the day. */
  readonly look?: () => void;
  /** Called once, when everything has calmed down. */
  readonly end?: () => void;
}
