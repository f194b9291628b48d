/** The report of `--mode observe` as Markdown, and as a JSON document. */
import {
  addObservation,
  savedUsd,
  type Observation,
  type ObservationAction,
  type ObservationPeriod,
  type ObservedSystem,
} from '../../../domain/records/observation.js';
import { counted } from '../../../domain/values/text.js';
import { roundPrice } from './text/numbers.js';

export interface Report {
  readonly observation: Observation;
  /** The sum of what is reported. */
  readonly period: ObservationPeriod;
  /** Milliseconds since 1970, as the next one. */
  readonly since: number;
  readonly now: number;
}

const SYSTEMS: Readonly<Record<ObservedSystem, string>> = {
  karpenter: 'Karpenter',
  'auto-mode': 'EKS Auto Mode',
  nodegroup: 'node groups',
};
/** Of a month, as bills of clouds count it. */
const MONTH_HOURS = 730;
const MOST_TYPES = 20;

/** Prices in USD, times as ISO 8601. */
export function reportDocument(report: Report): unknown {
  const { observation, period } = report;
  const { system, now, types, actions } = observation;
  return {
    system,
    from: isoTime(period.from),
    to: isoTime(period.to),
    ...costs(period),
    monthlySavingUsd: roundPrice(monthlySaving(period)),
    launches: { current: period.currentLaunches, berth: period.berthLaunches },
    removals: { current: period.currentRemovals, berth: period.berthRemovals },
    berthEvictions: period.berthEvictions,
    now: {
      currentHourly: roundPrice(now.currentHourly),
      berthHourly: roundPrice(now.berthHourly),
      savingHourly: roundPrice(now.currentHourly - now.berthHourly),
      currentNodes: now.currentNodes,
      berthNodes: now.berthNodes,
      unpricedNodes: now.unpricedNodes,
      unplacedPods: now.unplacedPods,
    },
    days: daysOf(report).map((day) => ({ day: dayOf(day.from), ...costs(day) })),
    instanceTypes: types,
    actions: actions.map(({ time, saving, ...action }) => ({
      time: isoTime(time),
      ...action,
      savingHourly: roundPrice(saving),
    })),
    total: { since: isoTime(observation.since), ...costs(observation.total) },
  };
}

function costs(cost: Pick<ObservationPeriod, 'seconds' | 'currentUsd' | 'berthUsd'>) {
  return {
    observedHours: roundPrice(cost.seconds / 3600),
    currentUsd: roundPrice(cost.currentUsd),
    berthUsd: roundPrice(cost.berthUsd),
    savedUsd: roundPrice(savedUsd(cost)),
  };
}

export function reportMarkdown(report: Report): string {
  const { observation, period } = report;
  const { system, now } = observation;
  const theirs = SYSTEMS[system];
  const month = monthlySaving(period);
  const sections = [
    `# ${theirs} and Berth\n\n${coverage(report)}`,
    table(
      ['', theirs, 'Berth', 'difference'],
      [
        [
          'Cost, USD',
          usd(period.currentUsd),
          usd(period.berthUsd),
          difference(period.currentUsd, period.berthUsd),
        ],
        ['Nodes launched', ...numbers(period.currentLaunches, period.berthLaunches)],
        ['Nodes removed', ...numbers(period.currentRemovals, period.berthRemovals)],
        ['Pods evicted', 'not known', String(period.berthEvictions), ''],
        [
          'Now, USD/h',
          usd(now.currentHourly),
          usd(now.berthHourly),
          difference(now.currentHourly, now.berthHourly),
        ],
        ['Now, nodes', ...numbers(now.currentNodes, now.berthNodes)],
      ],
    ),
    month > 0
      ? `At this rate, Berth would save **${usd(month)} USD** in a month of ${String(MONTH_HOURS)} hours.`
      : 'At this rate, Berth would save nothing.',
    `## Days\n\n${table(
      ['day (UTC)', 'hours', `${theirs}, USD`, 'Berth, USD', 'difference'],
      daysOf(report).map((day) => [
        dayOf(day.from),
        (day.seconds / 3600).toFixed(1),
        usd(day.currentUsd),
        usd(day.berthUsd),
        difference(day.currentUsd, day.berthUsd),
      ]),
    )}`,
    ...typesSection(observation, theirs),
    ...actionsSection(observation),
    notes(observation),
  ];
  return `${sections.join('\n\n')}\n`;
}

function coverage({ observation, period, since, now }: Report): string {
  const hours = (period.seconds / 3600).toFixed(1);
  const wanted = (now - Math.max(since, observation.since)) / 3_600_000;
  const share = `${hours} of ${wanted.toFixed(1)} hours were observed`;
  return `From ${isoTime(period.from)} to ${isoTime(period.to)}; ${share}. Observing began at ${isoTime(observation.since)}.`;
}

function typesSection({ types }: Observation, theirs: string): readonly string[] {
  if (types.length === 0) return [];
  const rows = types
    .slice(0, MOST_TYPES)
    .map(({ instanceType, capacityType, current, berth }) => [
      instanceType,
      capacityType,
      ...numbers(current, berth),
    ]);
  return [`## Nodes now\n\n${table(['instance type', 'capacity', theirs, 'Berth', 'difference'], rows)}`];
}

function actionsSection({ actions }: Observation): readonly string[] {
  return actions.length === 0
    ? []
    : [`## What Berth would have done last\n\n${actions.map(actionLine).join('\n')}`];
}

function actionLine({ time, reason, nodes, instanceTypes, saving }: ObservationAction): string {
  const removed = nodes.length === 0 ? [] : [`remove ${counted(nodes.length, 'node')} (${nodes.join(', ')})`];
  const launched = instanceTypes.length === 0 ? [] : [`launch ${instanceTypes.join(', ')}`];
  const gain = saving < 0 ? `${usd(-saving)} USD/h more` : `${usd(saving)} USD/h less`;
  return `- ${isoTime(time)} ${reason}: ${[...removed, ...launched].join(', ')}; ${gain}`;
}

function notes({ now }: Observation): string {
  return [
    '## Notes',
    '',
    '- Prices are those of the instances alone: list prices on demand, and current spot prices. Discounts, storage and traffic are not in it.',
    '- Each pod is where Berth would have placed it, with its PodDisruptionBudgets and the budgets of its NodePool.',
    ...(now.unpricedNodes > 0
      ? [`- ${counted(now.unpricedNodes, 'node')} without a known price left out.`]
      : []),
    ...(now.unplacedPods > 0 ? [`- Berth has no place for ${counted(now.unplacedPods, 'pod')} now.`] : []),
  ].join('\n');
}

/** USD in a month at the rate of the period. */
function monthlySaving(period: ObservationPeriod): number {
  return period.seconds === 0 ? 0 : (savedUsd(period) / period.seconds) * 3600 * MONTH_HOURS;
}

function daysOf({ observation, since }: Report): readonly ObservationPeriod[] {
  const days: ObservationPeriod[] = [];
  for (const period of observation.periods.filter(({ to }) => to > since)) {
    const last = days.at(-1);
    if (last !== undefined && dayOf(last.from) === dayOf(period.from))
      days[days.length - 1] = { ...addObservation(last, period), to: period.to };
    else days.push(period);
  }
  return days;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = header.map((_, index) => (index === 0 ? '---' : '--:'));
  return [line(header), line(rule), ...rows.map(line)].join('\n');
}

function numbers(current: number, berth: number): readonly [string, string, string] {
  return [String(current), String(berth), signed(berth - current, (count) => String(count))];
}

function difference(current: number, berth: number): string {
  const change = signed(berth - current, usd);
  return current > 0
    ? `${change} (${signed((100 * (berth - current)) / current, (share) => share.toFixed(0))} %)`
    : change;
}

function signed(value: number, text: (value: number) => string): string {
  return `${value < 0 ? '−' : value > 0 ? '+' : ''}${text(Math.abs(value))}`;
}

function usd(amount: number): string {
  return amount.toFixed(2);
}

function dayOf(millis: number): string {
  return isoTime(millis).slice(0, 10);
}

function isoTime(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 16)}Z`;
}
