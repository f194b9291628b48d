/** The plan for people: what it comes to, the claims, the pods that cannot be placed and why, the nodes that take pods. */
import { append } from '../../../../domain/values/lists.js';
import { counted } from '../../../../domain/values/text.js';
import type { Node } from '../../../../domain/nodes/node.js';
import { INSTANCE_TYPE, ZONE } from '../../../../domain/values/labels.js';
import { describePoolReason, describeWhy } from '../../../../planning/describe-reason.js';
import type { Plan, PlannedClaim, PoolReason, UnschedulablePod } from '../../../../planning/plan.js';
import { claimLines } from './claim-table.js';
import { formatPrice } from '../text/numbers.js';
import { indent, tableLines } from '../text/table.js';
import type { Terminal } from '../text/terminal.js';

export interface PlanTableOptions {
  /** See the document's field. */
  readonly listHourly?: number | undefined;
  /** With all instance types of each claim. */
  readonly wide?: boolean | undefined;
}

/** The whole text, sections apart by an empty line. */
export function planTable(
  plan: Plan,
  nodes: readonly Node[],
  terminal: Terminal,
  { listHourly, wide }: PlanTableOptions = {},
): string {
  const sections = [
    summaryLines(plan, terminal, listHourly),
    claimLines(plan.claims, terminal, wide),
    whyLines(plan.claims, terminal),
    unschedulableLines(plan.unschedulable, terminal),
    nodeLines(plan, nodes, terminal),
  ];
  return `${sections
    .filter((section) => section.length > 0)
    .map((section) => section.join('\n'))
    .join('\n\n')}\n`;
}

function summaryLines(plan: Plan, terminal: Terminal, listHourly: number | undefined): readonly string[] {
  const { style, glyphs } = terminal;
  const pending = plan.unschedulable.length;
  const all = plan.placements.length + pending;
  const placed = `${String(plan.placements.length)} of ${counted(all, 'pod')} placed`;
  const parts = [
    pending === 0 ? style.green(placed) : style.red(`${placed}, ${String(pending)} cannot be`),
    counted(plan.claims.length, 'new node'),
    ...costParts(plan),
    ...(listHourly === undefined ? [] : [`${formatPrice(listHourly)} USD/h at list prices`]),
  ];
  return [parts.join(` ${glyphs.dot} `)];
}

function costParts({ claims, cost }: Plan): readonly string[] {
  const estimated = claims.some((claim) => claim.estimated) ? ' (estimated)' : '';
  const parts = [`${formatPrice(cost.hourly)} USD/h${estimated}`];
  if (cost.lowerBound !== null && cost.lowerBound > 0)
    parts.push(`lower bound ${formatPrice(cost.lowerBound)}${ratioText(cost.hourly, cost.lowerBound)}`);
  if (cost.existingHourly > 0) parts.push(`existing nodes ${formatPrice(cost.existingHourly)} USD/h`);
  return parts;
}

/** How far above its lower bound the price is. */
function ratioText(hourly: number, lowerBound: number): string {
  return ` (ratio ${(hourly / lowerBound).toFixed(2)})`;
}

const NODE_COLUMNS = [
  { header: 'NODE' },
  { header: 'TYPE' },
  { header: 'ZONE' },
  { header: 'PODS', align: 'right' },
] as const;

function nodeLines(plan: Plan, nodes: readonly Node[], { style }: Terminal): readonly string[] {
  const taken = new Map<string, number>();
  for (const { target } of plan.placements) {
    if (target.kind === 'Node') taken.set(target.name, (taken.get(target.name) ?? 0) + 1);
  }
  if (taken.size === 0) return [];
  const labels = new Map(nodes.map((node) => [node.name, node.labels]));
  const rows = [...taken]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, pods]) => {
      const label = (key: string): string => labels.get(name)?.get(key) ?? '-';
      return [name, label(INSTANCE_TYPE), label(ZONE), `+${String(pods)}`];
    });
  return [style.bold('Existing nodes that take pods:'), ...indent(tableLines(NODE_COLUMNS, rows), 2)];
}

/** Headline and one line per reason, in the order of the claims; nothing where no claim has a reason. */
function whyLines(claims: readonly PlannedClaim[], { style }: Terminal): readonly string[] {
  const groups = new Map<string, PlannedClaim[]>();
  for (const claim of claims) {
    if (claim.why === undefined) continue;
    const words = describeWhy(claim.why);
    append(groups, words, claim);
  }
  if (groups.size === 0) return [];
  const lines = [...groups].map(([words, [first, ...more]]) => {
    const name = more.length === 0 ? '' : ` and ${counted(more.length, 'other')}`;
    return `${style.bold(`${first?.name ?? ''}${name}:`)} ${words}`;
  });
  return [style.bold('Why these nodes:'), ...indent(lines, 2)];
}

/** Headline and, per group of pods with equal reasons, one line per pool; the largest group first. */
function unschedulableLines(pods: readonly UnschedulablePod[], { style }: Terminal): readonly string[] {
  if (pods.length === 0) return [];
  return [
    style.bold(style.red(`Cannot be placed: ${counted(pods.length, 'pod')}`)),
    ...groupsOf(pods).flatMap((group) => indent(groupLines(group, style.bold), 2)),
  ];
}

interface Group {
  readonly pods: string[];
  readonly reasons: readonly (readonly [pool: string, reason: string])[];
}

function groupsOf(pods: readonly UnschedulablePod[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const { pod, reasons } of pods) {
    const told = reasons.map(wordsOf);
    const key = JSON.stringify(told);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { pods: [pod], reasons: told });
    else group.pods.push(pod);
  }
  return [...groups.values()].sort((left, right) => right.pods.length - left.pods.length);
}

function wordsOf(reason: PoolReason): readonly [string, string] {
  return [reason.nodePool, describePoolReason(reason)];
}

function groupLines({ pods, reasons }: Group, bold: (text: string) => string): readonly string[] {
  const [first = ''] = pods;
  const name = pods.length === 1 ? first : `${counted(pods.length, 'pod')} like ${first}`;
  const perPool = reasons.some(([pool]) => pool !== '');
  const rows = reasons.map(([pool, reason]) =>
    perPool ? [pool === '' ? '' : `${pool}:`, reason] : [reason],
  );
  const columns = perPool ? [{ header: '' }, { header: '' }] : [{ header: '' }];
  return [bold(name), ...indent(tableLines(columns, rows).slice(1), 2)];
}
