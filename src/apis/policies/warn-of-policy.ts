/** What is allowed but will hurt: said when a policy is applied rather than when it is too late. */
import type { DecodedNodePool, DecodedPolicy } from '../conversion/decode-policy.js';
import type { Findings } from '../decode/findings.js';
import { nodeClassCodec } from '../node-class/node-class-codecs.js';
import type { BerthSettings } from '../node-pool/berth-block.js';
import { BUDGET_REASONS, type DisruptionBudget } from '../../domain/policies/budget.js';
import { canonicalLabel, CAPACITY_TYPE, INSTANCE_TYPE } from '../../domain/values/labels.js';
import { allows } from '../../domain/values/requirement.js';
import {
  type Requirements,
  requirementsFromLabels,
  requirementsOf,
} from '../../domain/values/requirements.js';
import { nearest } from '../decode/nearest.js';
import { POD_DEFAULTS } from '../pod-defaults/defaults.js';
import { CHECKED_VALUES, WELL_KNOWN_LABELS } from '../fields/well-known-labels.js';
import { nextFire, type Schedule } from '../../domain/values/schedule.js';

const OVERLAID = ['price', 'priceAdjustment', 'capacity'];
const STAMPED = Object.keys(POD_DEFAULTS);
const REQUIREMENTS_PATH = ['spec', 'template', 'spec', 'requirements'];
/** Any fixed moment does: whether a schedule ever fires, and how far apart, does not depend on today. */
const START = Date.UTC(2024, 0, 1);
/** Enough to see every gap of a daily or weekly schedule, and of hours and minutes within a day. */
const FIRES = 120;

/** Adds warnings about one decoded policy to the findings of its document. */
export function warnOfPolicy(policy: DecodedPolicy, findings: Findings): void {
  switch (policy.kind) {
    case 'NodePool':
      warnOfLimits(policy.document.spec, findings);
      warnOfRequirements(policy, findings);
      warnOfBudgets(
        { path: ['spec', 'disruption', 'budgets'], budgets: policy.pool.disruption.budgets },
        findings,
      );
      warnOfBudgets({ path: ['berth', 'clusterBudgets'], budgets: policy.berth.clusterBudgets }, findings);
      warnOfWindows(policy.berth, findings);
      return;
    case 'NodeOverlay':
      warnOfIdle(policy.document.spec, { verb: 'changes', fields: OVERLAID }, findings);
      return;
    case 'PodDefaults':
      warnOfIdle(policy.document.spec, { verb: 'stamps', fields: STAMPED }, findings);
      return;
    default:
      nodeClassCodec(policy.kind).warn?.(policy.nodeClass, findings);
  }
}

function warnOfLimits(spec: { readonly limits?: object | undefined }, findings: Findings): void {
  if (Object.keys(spec.limits ?? {}).length > 0) return;
  findings.note({
    code: 'no-limits',
    path: ['spec'],
    text: 'has no limits: nothing bounds how many instances the NodePool may launch',
  });
}

/** @param verb what the fields do, as in "stamps nothing". */
function warnOfIdle(
  spec: object,
  { verb, fields }: { readonly verb: string; readonly fields: readonly string[] },
  findings: Findings,
): void {
  if (fields.some((field) => Object.hasOwn(spec, field))) return;
  findings.warning({
    code: 'does-nothing',
    path: ['spec'],
    text: `${verb} nothing: it sets none of ${fields.join(', ')}`,
  });
}

/** Warns of windows in the `berth:` block that never open or never close. */
function warnOfWindows({ windows }: BerthSettings, findings: Findings): void {
  for (const [index, window] of windows.entries()) {
    const path = ['berth', 'windows', index];
    const reasons = window.allow.join(', ');
    const open = openTime(window.schedule, window.durationSeconds);
    if (open === 'never') {
      findings.warning({
        code: 'window-never-opens',
        path,
        text: `never opens: its schedule never fires, so it never allows ${reasons}`,
      });
    } else if (open === 'always') {
      findings.warning({
        code: 'window-always-open',
        path,
        text: `is always open: it restricts nothing for ${reasons}`,
      });
    }
  }
}

/** Budgets at their place in the document. */
interface BudgetsAt {
  readonly path: readonly string[];
  readonly budgets: readonly DisruptionBudget[];
}

/** Warns of each budget that says nothing, and of those that forbid disruption for good. */
function warnOfBudgets({ path, budgets }: BudgetsAt, findings: Findings): void {
  for (const [index, budget] of budgets.entries()) {
    const at = [...path, index];
    const idle = whyIdle(budget, index, budgets);
    if (idle !== undefined)
      findings.warning({ code: 'budget-never-binds', path: at, text: `never has an effect: ${idle}` });
    else if (isAlways(budget) && amountOf(budget) === 0) {
      const reasons = budget.reasons?.join(', ') ?? 'any reason';
      findings.warning({
        code: 'budget-never-allows',
        path: at,
        text: `never allows anything: no node is ever disrupted for ${reasons}`,
      });
    }
  }
}

/** Why the budget never limits anything; undefined when it does at some time. */
function whyIdle(
  budget: DisruptionBudget,
  index: number,
  all: readonly DisruptionBudget[],
): string | undefined {
  if (budget.reasons?.length === 0) return 'its list of reasons is empty';
  if (budget.window && openTime(budget.window.schedule, budget.window.durationSeconds) === 'never')
    return 'its schedule never fires';
  if ('percent' in budget.nodes && budget.nodes.percent === 100) return '100% allows every node at once';
  const tighter = all.findIndex(
    (other, place) =>
      other !== budget && isTighter(other, budget) && (place < index || !isTighter(budget, other)),
  );
  if (tighter < 0) return undefined;
  return `budget ${String(tighter)} is always active and at least as small, and the smallest active budget applies`;
}

/** Whether `left` holds whenever `right` does, and never allows more. Counts and percentages compare at 0 only. */
function isTighter(left: DisruptionBudget, right: DisruptionBudget): boolean {
  const covers = (right.reasons ?? BUDGET_REASONS).every((reason) => left.reasons?.includes(reason) ?? true);
  if (!covers || !isAlways(left)) return false;
  if (amountOf(left) === 0) return true;
  return 'percent' in left.nodes === 'percent' in right.nodes && amountOf(left) <= amountOf(right);
}

function amountOf({ nodes }: DisruptionBudget): number {
  return 'percent' in nodes ? nodes.percent : nodes.count;
}

function isAlways({ window }: DisruptionBudget): boolean {
  return window === undefined || openTime(window.schedule, window.durationSeconds) === 'always';
}

// Requirements of a pool that were probably mistyped, or that leave too little choice.

/** Warns of single types on spot, and values or keys that were probably mistyped. */
function warnOfRequirements({ pool, document }: DecodedNodePool, findings: Findings): void {
  const { labels, requirements } = pool.template;
  const all = requirementsOf([...requirements, ...requirementsFromLabels(labels).values()]);
  warnOfOneSpotType(all, findings);
  for (const [index, item] of document.spec.template.spec.requirements.entries()) {
    const path = [...REQUIREMENTS_PATH, index];
    const key = canonicalLabel(item.key);
    warnOfKey(key, [...path, 'key'], findings);
    if (item.operator === 'In')
      warnOfValues(key, { values: item.values ?? [], path: [...path, 'values'] }, findings);
  }
}

/** With one type, a shortage of it leaves pods pending and an interruption has no replacement. */
function warnOfOneSpotType(requirements: Requirements, findings: Findings): void {
  const types = requirements.get(INSTANCE_TYPE);
  const capacity = requirements.get(CAPACITY_TYPE);
  if (types === undefined || types.complement || types.values.size !== 1) return;
  if (capacity === undefined || capacity.complement || !allows(capacity, 'spot')) return;
  const text = `allow spot with the single instance type ${[...types.values].join()}: if it is unavailable or interrupted there is no alternative`;
  findings.warning({ code: 'single-spot-type', path: REQUIREMENTS_PATH, text });
}

/** Labels of one's own are fine, but not next to a well-known one. */
function warnOfKey(key: string, path: readonly (string | number)[], findings: Findings): void {
  if (!key.includes('kubernetes.io/') || WELL_KNOWN_LABELS.includes(key)) return;
  const guess = nearest(key, WELL_KNOWN_LABELS);
  if (guess !== undefined)
    findings.warning({
      code: 'unknown-label',
      path,
      text: 'is not a well-known label, so no instance type has it',
      guess,
    });
}

function warnOfValues(
  key: string,
  { values, path }: { readonly values: readonly string[]; readonly path: readonly (string | number)[] },
  findings: Findings,
): void {
  const allowed = CHECKED_VALUES.get(key);
  if (allowed === undefined) return;
  for (const [index, value] of values.entries()) {
    if (allowed.includes(value)) continue;
    findings.warning(() => ({
      code: 'unknown-value',
      path: [...path, index],
      text: `is not a value of ${key} that a node can have: ${value}`,
      allowed,
      guess: nearest(value, allowed),
    }));
  }
}

/** `never`: the schedule does not fire; `always`: each window lasts until the next one opens; else `sometimes`. */
function openTime(schedule: Schedule, durationSeconds: number): 'never' | 'sometimes' | 'always' {
  let last = nextFire(schedule, START);
  if (last === undefined) return 'never';
  for (let count = 0; count < FIRES; count++) {
    const next = nextFire(schedule, last);
    if (next === undefined || next - last > durationSeconds * 1000) return 'sometimes';
    last = next;
  }
  return 'always';
}
