/** `berth.driftRollout` of a NodePool. */
import * as z from 'zod';
import type { DriftRollout } from '../../domain/policies/drift-rollout.js';
import { duration, durationSeconds } from '../fields/duration.js';

/** More is a typing error. */
const MOST = 1_000_000;

/** From how many on the roll-out pauses. */
function trigger(description: string): z.ZodOptional<z.ZodInt> {
  return z.int().min(1).max(MOST).describe(description).optional();
}

const pauseOn = z
  .strictObject({
    failedReplacements: trigger(
      'Replacements of drifted nodes that failed in a row: not launched, not registered or not ready in time.',
    ),
    notReadyNodes: trigger('Initialized new nodes that are not ready at the same time.'),
    podRestarts: trigger(
      'Restarts of the containers of one pod on a new node. A pod that restarts on every node counts, too, once it runs on a new one.',
    ),
  })
  .describe(
    'From how many on the roll-out pauses until it is resumed: by the annotation berth.sh/resume-drift of the PolicyStatus, which the condition DriftRolledOut names, or by a change of what is rolled out. Default: it does not pause.',
  );

/** Schema of the field. */
export const driftRollout = z
  .strictObject({
    canary: z
      .string()
      .regex(
        /^(?:(?:100|[1-9][0-9]?)%|[1-9][0-9]{0,5})$/,
        'must be a count from "1" or a percentage from "1%" to "100%"',
      )
      .describe(
        'Nodes that are replaced first: a count, or a percentage of the nodes of the pool, rounded up. Default: 1.',
      )
      .optional(),
    soak: duration(
      'How long as many nodes have to have been initialized, and be ready, before the others are replaced. Default: 10m.',
    ).optional(),
    pauseOn: pauseOn.optional(),
  })
  .describe(
    'Replaces drifted nodes in stages: some first, the others, as budgets let them go, after these have soaked. All nodes of the pool that are what it asks for now count as the first ones, whatever launched them. Interruption, repair and expiration are not held. Default: drifted nodes are replaced as budgets let them go.',
  );

const DEFAULT_CANARY = '1';
const DEFAULT_SOAK_SECONDS = 600;

/** What the field says, defaults applied. */
export function driftRolloutOf(document: z.output<typeof driftRollout>): DriftRollout {
  const { canary = DEFAULT_CANARY, soak, pauseOn: given = {} } = document;
  const amount = Number.parseInt(canary, 10);
  const { failedReplacements, notReadyNodes, podRestarts } = given;
  return {
    canary: canary.endsWith('%') ? { percent: amount } : { count: amount },
    soakSeconds: soak === undefined ? DEFAULT_SOAK_SECONDS : (durationSeconds(soak) ?? 0),
    pauseOn: { failedReplacements, notReadyNodes, podRestarts },
  };
}
