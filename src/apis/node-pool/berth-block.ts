/** The `berth:` block of a NodePool: all that Berth adds to Karpenter's object. */
import * as z from 'zod';
import {
  BUDGET_REASONS,
  type AllowWindow,
  type DisruptionBudget,
  type Freeze,
  type LoadBudget,
} from '../../domain/policies/budget.js';
import type { DriftRollout } from '../../domain/policies/drift-rollout.js';
import { DEFAULT_ECONOMICS, type Economics } from '../../domain/policies/economics.js';
import { EXPIRATIONS, type Expiration } from '../../domain/policies/node-pool.js';
import {
  budgetList,
  budgetOf,
  loadBudgetList,
  loadBudgetOf,
  schedule,
  timeZone,
  windowOf,
} from '../fields/budget.js';
import { duration, durationSeconds, windowDuration } from '../fields/duration.js';
import { driftRollout, driftRolloutOf } from './drift-rollout.js';
import { percentage } from '../fields/percentage.js';
import { repair, repairOf, type RepairSettings } from './repair.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';

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

/** A date and time of RFC 3339 with its offset from UTC. */
function dateTime(description: string): z.ZodISODateTime {
  return z.iso
    .datetime({
      offset: true,
      error: 'must be a date and time such as 2026-12-20T00:00:00Z or 2026-12-20T00:00:00+01:00',
    })
    .describe(description);
}

const freeze = withRule(
  z.strictObject({
    from: dateTime('When it begins, with its offset from UTC.'),
    until: dateTime('When it is over, with its offset from UTC. Later than from.'),
    reasons: z
      .array(z.enum(BUDGET_REASONS))
      .min(1)
      .describe(
        'Reasons for which no node is disrupted meanwhile. Default: all but Unhealthy, and expiration where it is Budgeted.',
      )
      .optional(),
  }),
  checkOrder,
);

function checkOrder({ from, until }: Loose, context: RuleContext): void {
  if (typeof from !== 'string' || typeof until !== 'string' || !(Date.parse(until) <= Date.parse(from)))
    return;
  refuse(context, `is not later than from (${from})`, { path: ['until'] });
}

/** USD, as a number. */
function usd(description: string): z.ZodNumber {
  return z.number().min(0).max(1_000_000).describe(description);
}

const consolidation = z
  .strictObject({
    leastSaving: percentage(
      'Least saving by replacements, as a share of the price of the nodes replaced. Default: 3%.',
    ).optional(),
    leastSavingUsdPerHour: usd(
      'Least saving for each node that is removed or replaced, in USD per hour. Default: 0.',
    ).optional(),
    horizon: duration(
      'A saving is expected to last as long again as the nodes have been quiet, and at most this long: it must pay for moving the pods within that time. Default: 24h.',
    ).optional(),
    evictionCostUsd: usd(
      'What evicting a pod of ordinary priority counts as, in USD. Default: 0.005.',
    ).optional(),
    minimumLife: duration(
      'Nodes with pods are not consolidated before they are this old. Default: 0s.',
    ).optional(),
    moveAgainAfter: duration(
      'A node to which consolidation moved pods is not consolidated for this long, unless one of its pods ends or is deleted by others. 0s: as in Karpenter, moves are not remembered. Default: 1h.',
    ).optional(),
  })
  .describe('What consolidation weighs a saving against. With no field given, the defaults apply.');

/** Nodes that are launched for no pod cost money until a user notices them: more are a typing error. */
const MOST_MINIMUM_NODES = 1000;

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
    budgets: loadBudgetList(
      'Budgets in pods and in USD per hour, beside those of spec.disruption.budgets in nodes: each active one holds. A node that has more pods, or costs more, than a budget allows is not disrupted while it is active. At most 50.',
    ).optional(),
    freezes: z
      .array(freeze)
      .max(50)
      .describe(
        'Dates between which nodes of the pool are not disrupted, whatever budgets and windows allow: holidays, sales. Disruption that began continues; interruption and Forceful expiration are not held. Default: none. At most 50.',
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
    terminateFirst: z
      .boolean()
      .describe(
        'Whether a node that has drifted, or expired with expiration Budgeted, goes before its replacement is launched where there is no room for both: a static NodePool has as many nodes as limits.nodes allows, or the node is in a capacity reservation that is full. Its pods wait meanwhile. false: such nodes stay. Default: false.',
      )
      .optional(),
    driftRollout: driftRollout.optional(),
    minimumNodes: z
      .int()
      .min(0)
      .max(MOST_MINIMUM_NODES)
      .describe(
        'Least number of nodes of the pool, whether pods need them or not, within its limits. Emptiness and consolidation leave as many; drift, expiration, repair and interruption replace or remove nodes all the same, and what is missing is launched. Not on a static NodePool. Default: 0.',
      )
      .optional(),
    consolidation: consolidation.optional(),
    repair: repair.optional(),
  })
  .describe(
    "What Berth adds to Karpenter's NodePool. Without this block the document is a valid Karpenter object.",
  );

/** What the block says, defaults applied. */
export interface BerthSettings extends RepairSettings {
  readonly timeZone: string;
  readonly windows: readonly AllowWindow[];
  readonly loadBudgets: readonly LoadBudget[];
  readonly freezes: readonly Freeze[];
  readonly clusterBudgets: readonly DisruptionBudget[];
  readonly expiration: Expiration;
  readonly economics: Economics;
  readonly terminateFirst: boolean;
  readonly driftRollout: DriftRollout | undefined;
  readonly minimumNodes: number;
}

/** The settings of a block, or those of a document without one. */
export function berthSettings(block: z.output<typeof berthBlock> | undefined): BerthSettings {
  const given: Partial<z.output<typeof berthBlock>> = block ?? {};
  const { timeZone: zone = 'UTC', windows = [], budgets = [], freezes = [], clusterBudgets = [] } = given;
  const { expiration = 'Forceful', terminateFirst = false, minimumNodes = 0 } = given;
  return {
    timeZone: zone,
    windows: windows.map((item) => ({ allow: item.allow, ...windowOf(item, item.timeZone ?? zone) })),
    loadBudgets: budgets.map((budget) => loadBudgetOf(budget, zone)),
    freezes: freezes.map(freezeOf),
    clusterBudgets: clusterBudgets.map((budget) => budgetOf(budget, zone)),
    expiration,
    economics: economicsOf(given.consolidation),
    terminateFirst,
    driftRollout: given.driftRollout && driftRolloutOf(given.driftRollout),
    ...repairOf(given.repair),
    minimumNodes,
  };
}

function freezeOf({ from, until, reasons }: z.output<typeof freeze>): Freeze {
  return { reasons, from: Date.parse(from), until: Date.parse(until) };
}

function economicsOf(given: z.output<typeof consolidation> = {}): Economics {
  const { leastSaving, leastSavingUsdPerHour, horizon, evictionCostUsd, minimumLife, moveAgainAfter } = given;
  const seconds = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : durationSeconds(text);
  const horizonSeconds = seconds(horizon);
  const defaults = DEFAULT_ECONOMICS;
  return {
    leastSavingShare: leastSaving === undefined ? defaults.leastSavingShare : parseInt(leastSaving, 10) / 100,
    leastSavingUsd: leastSavingUsdPerHour ?? defaults.leastSavingUsd,
    horizonHours: horizonSeconds === undefined ? defaults.horizonHours : horizonSeconds / 3600,
    evictionCostUsd: evictionCostUsd ?? defaults.evictionCostUsd,
    minimumLifeSeconds: seconds(minimumLife) ?? defaults.minimumLifeSeconds,
    moveAgainAfterSeconds: seconds(moveAgainAfter) ?? defaults.moveAgainAfterSeconds,
  };
}
