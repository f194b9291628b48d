/** Disruption budgets in documents. */
import * as z from 'zod';
import {
  BUDGET_REASONS,
  type BudgetReason,
  type BudgetWindow,
  type DisruptionBudget,
  type LoadBudget,
} from '../../domain/policies/budget.js';
import { parseSchedule } from '../../domain/values/schedule.js';
import { refuse, withRule, type Loose, type RuleContext } from '../decode/refuse.js';
import { durationSeconds, windowDuration } from './duration.js';

/** Budgets of a pool that says nothing: a tenth of its nodes. */
export const DEFAULT_NODES = '10%';
const MOST_BUDGETS = 50;

/** What one entry looks like once decoded. */
export interface BudgetDocument {
  readonly nodes: string;
  readonly reasons?: readonly BudgetReason[] | undefined;
  readonly schedule?: string | undefined;
  readonly duration?: string | undefined;
}

const SCHEDULE =
  'When windows open: five cron fields (minute hour day-of-month month day-of-week) or @hourly, @daily, @weekly, @monthly, @yearly';

/** A cron schedule. */
export function schedule(description: string): z.ZodType<string, string> {
  return z
    .string()
    .superRefine((text, context) => {
      const wrong = scheduleError(text, 'UTC');
      if (wrong !== undefined) refuse(context, `is not a schedule: ${wrong}`);
    })
    .describe(description);
}

/** An IANA time zone. */
export function timeZone(description: string): z.ZodType<string, string> {
  return z
    .string()
    .superRefine((name, context) => {
      if (scheduleError('@daily', name) !== undefined)
        refuse(
          context,
          `is not a time zone: ${JSON.stringify(name.slice(0, 60))}; expected a name such as UTC or Europe/Paris`,
        );
    })
    .describe(description);
}

/** Why the schedule cannot be used; undefined when it can. */
function scheduleError(text: string, zone: string): string | undefined {
  try {
    parseSchedule(text, zone);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^schedule /, '') : String(error);
  }
}

const nodes = z
  .string()
  .regex(
    /^(?:(?:100|[0-9]{1,2})%|[0-9]+)$/,
    'must be a count such as "5" or a percentage from "0%" to "100%"',
  )
  .describe(
    'Maximum number of nodes disrupted at the same time: a count, or a percentage of the nodes, rounded up. "0" blocks disruption.',
  );

const reasons = z
  .array(z.enum(BUDGET_REASONS))
  .max(MOST_BUDGETS)
  .refine((list) => new Set(list).size === list.length, 'must not repeat a reason')
  .describe('Reasons for disruption that it limits. Default: all of them.');

const entry = {
  nodes: nodes.default(DEFAULT_NODES),
  schedule: schedule(`${SCHEDULE}. Default: the budget is always active; requires duration.`).optional(),
  duration: windowDuration(
    'How long the budget is active each time the schedule fires, in hours and minutes; requires schedule.',
  ).optional(),
};

const LIST =
  'Limits on how many nodes may be disrupted at the same time. The smallest active budget applies. At most 50.';

/** Budgets as karpenter.sh/v1 has them. */
export function budgetList(description = LIST): z.ZodType<BudgetDocument[]> {
  return z
    .array(withRule(z.strictObject({ ...entry, reasons: reasons.optional() }), checkWindow))
    .max(MOST_BUDGETS)
    .describe(description);
}

/** Budgets before v1, which know no reasons. */
export function budgetListWithoutReasons(): z.ZodType<BudgetDocument[]> {
  return z
    .array(withRule(z.strictObject(entry), checkWindow))
    .max(MOST_BUDGETS)
    .describe(LIST);
}

/** Most of either: more is a typing error. */
const MOST_LOAD = 1_000_000;

/** Budgets in pods and in USD/h. */
export function loadBudgetList(description: string): z.ZodType<LoadBudgetDocument[]> {
  const fields = {
    pods: z
      .int()
      .min(0)
      .max(MOST_LOAD)
      .describe('Most pods that have to move from nodes that are disrupted at the same time.')
      .optional(),
    usdPerHour: z
      .number()
      .min(0)
      .max(MOST_LOAD)
      .describe('Most that nodes cost together that are disrupted at the same time, in USD per hour.')
      .optional(),
    schedule: entry.schedule,
    duration: entry.duration,
    reasons: reasons.optional(),
  };
  return z
    .array(withRule(z.strictObject(fields), checkLoad))
    .max(MOST_BUDGETS)
    .describe(description);
}

/** What one entry looks like once decoded. */
export interface LoadBudgetDocument extends Omit<BudgetDocument, 'nodes'> {
  readonly pods?: number | undefined;
  readonly usdPerHour?: number | undefined;
}

function checkLoad(value: Loose, context: RuleContext): void {
  if (value['pods'] === undefined && value['usdPerHour'] === undefined)
    refuse(context, 'must have pods or usdPerHour', { code: 'missing-field' });
  checkWindow(value, context);
}

function checkWindow(value: Loose, context: RuleContext): void {
  const has = { schedule: value['schedule'] !== undefined, duration: value['duration'] !== undefined };
  if (has.schedule === has.duration) return;
  const [given, missing] = has.schedule ? ['schedule', 'duration'] : ['duration', 'schedule'];
  refuse(context, `must be set together with ${missing}`, { path: [given], code: 'missing-field' });
}

/** The budget as the domain has it; schedules are read in the time zone. */
export function budgetOf(
  { nodes: limit, reasons: named, schedule: text, duration }: BudgetDocument,
  zone: string,
): DisruptionBudget {
  const amount = Number.parseInt(limit, 10);
  return {
    nodes: limit.endsWith('%') ? { percent: amount } : { count: amount },
    reasons: named,
    window: givenWindow({ schedule: text, duration }, zone),
  };
}

/** The same of a budget in pods and USD/h. */
export function loadBudgetOf(document: LoadBudgetDocument, zone: string): LoadBudget {
  const { pods, usdPerHour, reasons: named } = document;
  return { pods, usdPerHour, reasons: named, window: givenWindow(document, zone) };
}

function givenWindow(
  { schedule: text, duration }: Pick<BudgetDocument, 'schedule' | 'duration'>,
  zone: string,
): BudgetWindow | undefined {
  if (text === undefined || duration === undefined) return undefined;
  return windowOf({ schedule: text, duration }, zone);
}

/** The window that opens by a schedule, which is read in the time zone. */
export function windowOf(
  { schedule: text, duration }: { readonly schedule: string; readonly duration: string },
  zone: string,
): BudgetWindow {
  return { schedule: parseSchedule(text, zone), durationSeconds: durationSeconds(duration) ?? 0 };
}
