/**
 * Whether observing says what switching then gives: RUNS simulated days from FIRST_SEED on, of HOURS each, on
 * WORKERS processes. reports/observe.json has both savings of each day; the exit code is 1 when they differ by more than 3 % of
 * the bill on any, when Berth asked for a change while it observed, or when pods were left without a node.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { headCommit } from '../../support/head-commit.js';
import { compareDay, type ComparedDay, type DayTerms } from './compare-day.js';
import { dayText, HEADING, summaryOf, summaryText } from './compared-days.js';

const DEFAULT_RUNS = 10;
const DEFAULT_HOURS = 24;
/** Of the day, when demand rises, is high, and falls. */
const BEGINNINGS = [6, 9, 12, 15, 18];

function fromEnvironment(name: string, otherwise: number): number {
  const value = Number(process.env[name] ?? '') || otherwise;
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`${name}=${String(process.env[name])}: must be a number above 0`);
}

async function main(): Promise<void> {
  const runs = fromEnvironment('RUNS', DEFAULT_RUNS);
  const firstSeed = fromEnvironment('FIRST_SEED', 1);
  const hours = fromEnvironment('HOURS', DEFAULT_HOURS);
  const workers = Math.min(runs, fromEnvironment('WORKERS', availableParallelism()));
  const terms = Array.from({ length: runs }, (_, index): DayTerms => {
    const seed = firstSeed + index;
    return { seed, hour: BEGINNINGS[seed % BEGINNINGS.length] ?? 0, hours };
  });
  const left = [...terms];
  const days: ComparedDay[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const day = await inProcess(next);
      days.push(day);
      process.stderr.write(`${dayText(day)}  ${day.seconds.toFixed(0)} s\n`);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  days.sort((one, other) => one.seed - other.seed);
  const summary = summaryOf(days);
  const command = `make observe RUNS=${String(runs)} FIRST_SEED=${String(firstSeed)} HOURS=${String(hours)}`;
  const report = { ...summary, commit: headCommit(process.cwd()), command, days };
  mkdirSync('reports', { recursive: true });
  writeFileSync('reports/observe.json', `${JSON.stringify(report, undefined, 1)}\n`);
  process.stdout.write([HEADING, ...days.map(dayText), ...summaryText(summary), ''].join('\n'));
  process.exitCode = summary.isKept ? 0 : 1;
}

/** In a process of its own: what one day leaves in memory, no other can see. */
async function inProcess({ seed, hour, hours }: DayTerms): Promise<ComparedDay> {
  const script = process.argv[1] ?? '';
  const args = [...process.execArgv, script, 'day', ...[seed, hour, hours].map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as ComparedDay;
}

const [, , mode, seed = '1', hour = '12', hours = '2'] = process.argv;
if (mode === 'day') {
  const terms = { seed: Number(seed), hour: Number(hour), hours: Number(hours) };
  process.stdout.write(JSON.stringify(await compareDay(terms)));
} else await main();
