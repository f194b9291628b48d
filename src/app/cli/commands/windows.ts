/** `berth windows`: when nodes may be disrupted in the days to come, by the budgets, windows and freezes of NodePools. */
import { formatSeconds } from '../../../apis/kubernetes/object/time.js';
import { BUDGET_REASONS, type BudgetReason, type DisruptionBudget } from '../../../domain/policies/budget.js';
import { counted } from '../../../domain/values/text.js';
import { DisruptionCalendar, type CalendarSpan } from '../../../domain/policies/disruption-calendar.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import type { Clock } from '../../../ports/clock.js';
import { systemClock } from '../../../runtime/time/system-clock.js';
import { FILENAME_FLAG, manifestTexts, MOST_FILES } from '../../input/manifest-flags.js';
import { readManifests } from '../../input/read-manifests.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_OK, EXIT_USAGE } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { UsageError } from '../../command/usage-error.js';
import { periodMillis } from '../period-flag.js';
import { jsonText, yamlText } from '../render/document-text.js';
import { tableLines } from '../render/text/table.js';
import { hasErrors, writeIssues } from '../write-issues.js';

const DEFAULT_NEXT = '14d';
/** Of nodes whose expiration waits for budgets. */
const EXPIRED = 'Expired';

/** The command; the days to come begin at the clock's time. */
export function windowsCommand(clock: Pick<Clock, 'now'>): Command {
  return {
    usage: '-f FILE|DIR|- … [--next DURATION] [-o table|json|yaml]',
    maxWords: MOST_FILES,
    flags: [
      FILENAME_FLAG,
      {
        name: 'next',
        value: 'DURATION',
        help: `how far ahead, such as 24h, 14d or 4w (default: ${DEFAULT_NEXT})`,
      },
      OUTPUT_FLAG,
    ],
    details: [
      'Reads NodePools, bare or in ConfigMaps labelled berth.sh/policy: "true". All times are UTC. The smallest of several budgets holds.\n' +
        'Interruption and Forceful expiration wait for nothing, and are not listed.',
      'Example: berth windows -f policies/ --next 14d',
    ],
    run: (args, io) => run(args, io, clock.now()),
  };
}

export const WINDOWS = windowsCommand(systemClock);

/** What holds for some reasons of one pool. */
interface PoolCalendar {
  readonly nodePool: string;
  readonly reasons: readonly string[];
  readonly spans: readonly CalendarSpan[];
}

function run(args: Arguments, io: CliIo, from: number): number {
  const until = from + periodMillis('next', args.value('next') ?? DEFAULT_NEXT);
  const { policies, issues } = readManifests(manifestTexts(args, io));
  writeIssues(
    issues.filter(({ severity }) => severity === 'error'),
    io.stderr,
  );
  if (hasErrors(issues)) return EXIT_USAGE;
  const pools = policies.nodePools.map(({ pool }) => pool);
  if (pools.length === 0) throw new UsageError('the documents contain no NodePool');
  const clusterBudgets = pools.flatMap(({ disruption }) => disruption.clusterBudgets);
  const calendars = pools.flatMap((pool) => {
    const calendar = new DisruptionCalendar({ disruption: pool.disruption, clusterBudgets, from, until });
    if (calendar.until < until)
      io.stderr.write(
        `NodePool ${pool.name}: too many windows; shown until ${formatSeconds(calendar.until)} only\n`,
      );
    return calendarsOf(pool, calendar);
  });
  io.stdout.write(rendered(calendars, args));
  return EXIT_OK;
}

/** Reasons for which the same holds at any time are together. */
function calendarsOf({ name, disruption }: NodePool, calendar: DisruptionCalendar): readonly PoolCalendar[] {
  const reasons: readonly (BudgetReason | undefined)[] =
    disruption.expiration === 'Budgeted' ? [...BUDGET_REASONS, undefined] : BUDGET_REASONS;
  const found = new Map<string, PoolCalendar>();
  for (const reason of reasons) {
    const spans = calendar.spans(reason);
    const key = JSON.stringify(spans);
    const before = found.get(key)?.reasons ?? [];
    found.set(key, { nodePool: name, reasons: [...before, reason ?? EXPIRED], spans });
  }
  return [...found.values()];
}

function rendered(calendars: readonly PoolCalendar[], args: Arguments): string {
  switch (outputOf(args)) {
    case 'json':
      return jsonText(documentOf(calendars));
    case 'yaml':
      return yamlText(documentOf(calendars));
    case 'table':
      return `${tableLines(COLUMNS, rowsOf(calendars)).join('\n')}\n`;
  }
}

const COLUMNS = [
  { header: 'NODEPOOL' },
  { header: 'REASONS' },
  { header: 'FROM' },
  { header: 'UNTIL' },
  { header: 'NODES' },
] as const;

function rowsOf(calendars: readonly PoolCalendar[]): readonly (readonly string[])[] {
  return calendars.flatMap(({ nodePool, reasons, spans }) =>
    spans.map((span) => [
      nodePool,
      reasons.join(','),
      formatSeconds(span.from),
      formatSeconds(span.until),
      nodesText(span),
    ]),
  );
}

/** How many nodes may be disrupted at once. */
function nodesText({ closed, budgets, clusterBudgets, loadBudgets }: CalendarSpan): string {
  if (closed === 'Freeze') return 'none: freeze';
  if (closed === 'OutsideWindows') return 'none: outside windows';
  const own = amountsOf(budgets);
  const all = amountsOf(clusterBudgets);
  const loads = loadBudgets.flatMap(({ pods, usdPerHour }) => [
    ...(pods === undefined ? [] : [counted(pods, 'pod')]),
    ...(usdPerHour === undefined ? [] : [`${String(usdPerHour)} USD/h`]),
  ]);
  const parts = [...own, ...all.map((amount) => `${amount} of all pools`), ...loads];
  return parts.length === 0 ? 'all' : parts.join(', ');
}

/** As budgets in documents have them. */
function amountsOf(budgets: readonly DisruptionBudget['nodes'][]): readonly string[] {
  return budgets.map((nodes) => ('count' in nodes ? String(nodes.count) : `${String(nodes.percent)}%`));
}

function documentOf(calendars: readonly PoolCalendar[]): object {
  return {
    calendars: calendars.map(({ nodePool, reasons, spans }) => ({
      nodePool,
      reasons,
      spans: spans.map(({ from, until, closed, budgets, clusterBudgets, loadBudgets }) => ({
        from: formatSeconds(from),
        until: formatSeconds(until),
        closed: closed ?? null,
        budgets: amountsOf(budgets),
        clusterBudgets: amountsOf(clusterBudgets),
        loadBudgets,
      })),
    })),
  };
}
