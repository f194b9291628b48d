/** The `berth:` block of a NodePool: all that Berth adds to Karpenter's object. */
import * as z from 'zod';
import { BUDGET_REASONS, type AllowWindow, type DisruptionBudget } from '../../domain/policies/budget.js';
import { EXPIRATIONS, type Expiration } from '../../domain/policies/node-pool.js';
import { parseSchedule } from '../../domain/values/schedule.js';
import { budgetList, budgetOf, schedule, timeZone } from '../fields/budget.js';
import { durationSeconds, windowDuration } from '../fields/duration.js';

const window = z.strictObject({
  allow: z
    .array(z.enum(BUDGET_REASONS))
    .min(1)
    .describe(
      'Reasons that nodes may be disrupted for while the window is open. Outside all windows that allow a reason, no node is disrupted for it.',
    ),
  schedule: schedule('When the window opens: five cron fields or a macro such as @daily.'),
  duration: windowDuration('How long the window stays open, in hours and minutes.'),
  timeZone: timeZone('IANA time zone of the schedule. Default: that of the block.').optional(),
});

/** Schema of the block. */
export const berthBlock = z
  .strictObject({
    apiVersion: z.literal('berth.sh/v1').describe('Version of this block. Default: berth.sh/v1.').optional(),
    timeZone: timeZone(
      'IANA time zone in which the schedules of budgets and windows are read. Default: UTC, as in Karpenter.',
    ).optional(),
    windows: z
      .array(window)
      .max(50)
      .describe(
        'When voluntary disruption is allowed at all, per reason. A reason that no window names is always allowed. Default: none. At most 50.',
      )
      .optional(),
    clusterBudgets: budgetList(
      'Budgets for the nodes of all pools together. The budgets of all NodePools apply; the smallest one decides. At most 50.',
    ).optional(),
    expiration: z
      .enum(EXPIRATIONS)
      .default('Forceful')
      .describe(
        'Forceful: nodes older than expireAfter are drained at once, whatever the budgets say (as in Karpenter). Budgeted: expiration waits for budgets.',
      ),
  })
  .describe(
    "What Berth adds to Karpenter's NodePool. Without this block the document is a valid Karpenter object.",
  );

/** What the block says, defaults applied. */
export interface BerthSettings {
  readonly timeZone: string;
  readonly windows: readonly AllowWindow[];
  readonly clusterBudgets: readonly DisruptionBudget[];
  readonly expiration: Expiration;
}

/** The settings of a block, or those of a document without one. */
export function berthSettings(block: z.output<typeof berthBlock> | undefined): BerthSettings {
  const zone = block?.timeZone ?? 'UTC';
  const windows = (block?.windows ?? []).map((item) => ({
    allow: item.allow,
    schedule: parseSchedule(item.schedule, item.timeZone ?? zone),
    durationSeconds: durationSeconds(item.duration) ?? 0,
  }));
  const clusterBudgets = (block?.clusterBudgets ?? []).map((budget) => budgetOf(budget, zone));
  return { timeZone: zone, windows, clusterBudgets, expiration: block?.expiration ?? 'Forceful' };
}
