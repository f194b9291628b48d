/** Goes through what was asked for, one thing after the other, and puts the rows together. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchOptions } from './options.js';
import { GOALS_LEGEND, goalsTable, reachedGoals } from './report/goals.js';
import { writeReport } from './report/report-file.js';
import type { Row } from './report/row.js';
import { shuffleTable, type ShuffleRow } from './report/shuffle-row.js';
import { LEGEND, table } from './report/table.js';
import type { Measure } from './measures/measure.js';
import { BLOWUP_NAMES } from './measures/blowups.js';
import { MEASURES } from './run-measures.js';
import { runShuffles } from './run-shuffles.js';
import { runWorkload, type Bench } from './run-workload.js';
import { workloadFolder } from './workload-folder.js';
import { buildDriver } from './solvers/karpenter.js';
import { COMPARED, LARGEST, OWN_SEED } from './workloads/named-workloads.js';
import { workloadsIn, type Question } from './workloads/question.js';

/** The bundle lies in dist. */
const program = fileURLToPath(import.meta.url);
const projectRoot = join(dirname(program), '..');

/** The measure that a single blow-up belongs to. */
const BLOWUPS = 'blowups';

interface Findings {
  readonly rows: readonly Row[];
  readonly shuffles: readonly ShuffleRow[];
  /** By name. */
  readonly measures: ReadonlyMap<string, Measure>;
}

/** Exit code: 0, or 1 when a plan of Berth's is not valid. Prints the table and writes the report. */
export async function runAll(options: BenchOptions): Promise<number> {
  const agenda = agendaFor(options.name);
  const findings = await runAgenda(makeBench(options, agenda), agenda, options.shuffles);
  print(findings);
  const command = ['bench/run', ...process.argv.slice(2)].join(' ');
  const { rows, shuffles, measures } = findings;
  const figures = Object.fromEntries([...measures].map(([name, measure]) => [name, measure.figures]));
  const goals = reachedGoals(rows, shuffles);
  writeReport(projectRoot, { command, seed: OWN_SEED }, { rows, goals, shuffles, ...figures });
  const ours = rows.filter(({ solver }) => solver === 'berth');
  return [...ours, ...shuffles, ...measures.values()].every(({ valid }) => valid) ? 0 : 1;
}

interface Agenda {
  readonly questions: readonly Question[];
  /** Names of measures. */
  readonly measures: readonly string[];
  /** How the names of the only blow-ups that are measured begin; undefined: all of them. */
  readonly blowup?: string;
}

/**
 * What is named so or begins so; everything when nothing is named.
 * @throws Error when there is nothing, naming what there is.
 */
function agendaFor(name = ''): Agenda {
  if (BLOWUP_NAMES.some((each) => name.length >= BLOWUPS.length && each.startsWith(name)))
    return { questions: [], measures: [BLOWUPS], blowup: name };
  const folder = workloadFolder(projectRoot);
  const shared = folder === undefined ? [] : workloadsIn(folder);
  const all: readonly Question[] = [
    ...shared.map((workload) => ({ workload, folder, shuffle: 0 })),
    ...COMPARED.map((kind) => ({ workload: kind.name, folder: undefined, shuffle: 0 })),
  ];
  const names = [...all.map(({ workload }) => workload), ...Object.keys(MEASURES)];
  const isMeant = names.includes(name)
    ? (each: string) => each === name
    : (each: string) => each.startsWith(name);
  if (!names.some(isMeant)) throw new Error(`nothing is called '${name}'; there are ${names.join(', ')}`);
  return {
    questions: all.filter(({ workload }) => isMeant(workload)),
    measures: Object.keys(MEASURES).filter(isMeant),
  };
}

/** Karpenter is built only for workloads: it takes minutes, and no measure asks it anything. */
function makeBench({ karpenter, karpenterSeconds, budget }: BenchOptions, agenda: Agenda): Bench {
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const driver = karpenter && agenda.questions.length > 0 ? buildDriver(projectRoot) : undefined;
  if (driver !== undefined && 'missing' in driver) report(`Berth only: ${driver.missing}`);
  const path = driver !== undefined && 'path' in driver ? driver.path : undefined;
  const { blowup } = agenda;
  return { program, projectRoot, driver: path, karpenterSeconds, budget, report, blowup };
}

async function runAgenda(bench: Bench, { questions, measures }: Agenda, count: number): Promise<Findings> {
  const rows: Row[] = [];
  const shuffles: ShuffleRow[] = [];
  for (const question of questions) {
    bench.report(`${question.workload} …`);
    const isLargest = question.workload === LARGEST.name;
    rows.push(...(await runWorkload(isLargest ? { ...bench, driver: undefined } : bench, question)));
    if (count > 0 && !isLargest) shuffles.push(await runShuffles(bench, question, count));
  }
  const measured = new Map<string, Measure>();
  for (const name of measures) {
    bench.report(`${name} …`);
    const measure = await MEASURES[name]?.(bench);
    if (measure !== undefined) measured.set(name, measure);
  }
  return { rows, shuffles, measures: measured };
}

function print({ rows, shuffles, measures }: Findings): void {
  const parts = [
    ...(rows.length === 0 ? [] : [`${table(rows)}${LEGEND}`]),
    ...(shuffles.length === 0 ? [] : [shuffleTable(shuffles)]),
    ...(rows.length === 0 ? [] : [`${goalsTable(rows, shuffles)}${GOALS_LEGEND}`]),
    ...(measures.size === 0 ? [] : [[...measures.values()].map(({ line }) => `${line}\n`).join('')]),
  ];
  process.stdout.write(parts.join('\n'));
}
