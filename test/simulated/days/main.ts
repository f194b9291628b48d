/**
 * Simulated days: RUNS days from FIRST_SEED on, of HOURS each, on WORKERS processes. Berth's controllers run in process in a
 * simulated world on virtual time, and judges count what must never happen. reports/days.json has the counts and every finding;
 * the exit code is 1 when there are any. TRACE=FILE has the file written with all that happens on the last day.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { inspect } from 'node:util';
import { headCommit } from '../../support/head-commit.js';
import { FINDING_KINDS, type Finding, type FindingKind } from './judges/judge.js';
import { playDay, type DayOptions, type DayResult } from './play-day.js';

const DEFAULT_RUNS = 20;
/** A process is replaced after so many days: whatever they leave in its memory must not add up over hundreds. */
const DAYS_PER_PROCESS = 20;

interface FailedDay {
  readonly seed: number;
  readonly error: string;
}

function fromEnvironment(name: string, otherwise: number): number {
  const text = process.env[name] ?? '';
  const value = text === '' ? otherwise : Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`${name}=${text}: must be a number above 0`);
}

async function main(): Promise<void> {
  const runs = fromEnvironment('RUNS', DEFAULT_RUNS);
  const firstSeed = fromEnvironment('FIRST_SEED', 1);
  const hours = fromEnvironment('HOURS', 24);
  const workers = Math.min(runs, fromEnvironment('WORKERS', availableParallelism()));
  const seeds = Array.from({ length: runs }, (_, index) => firstSeed + index);
  const played: Played = { commit: headCommit(process.cwd()), firstSeed, hours, days: [], failed: [] };
  const { days, failed } = played;
  const work = async (): Promise<void> => {
    const player = new DayPlayer();
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      try {
        const day = await player.play({ seed, hours });
        days.push(day);
        tell(day, { done: days.length + failed.length, runs, hours });
      } catch (error) {
        failed.push({ seed, error: String(error) });
        talk(`seed ${String(seed)}: ${String(error)}\n`);
      }
      writeReport(played);
    }
    player.end();
  };
  await Promise.all(Array.from({ length: workers }, work));
  const rows = { runs, ...countsOf(days), pendingPods: pendingOf(days), failedDays: failed.length };
  for (const [name, value] of Object.entries(rows))
    process.stdout.write(`${name.padEnd(20)} ${String(value)}\n`);
  const isClean = Object.entries(rows).every(([name, value]) => name === 'runs' || value === 0);
  process.exitCode = isClean ? 0 : 1;
}

interface Played {
  /** Checked out when the days began. */
  readonly commit: ReturnType<typeof headCommit>;
  readonly firstSeed: number;
  readonly hours: number;
  readonly days: DayResult[];
  readonly failed: FailedDay[];
}

/** After every day: two hundred of them take hours, and a run that is ended early has shown something as well. */
function writeReport({ commit, firstSeed, hours, days, failed }: Played): void {
  const sorted = [...days].sort((left, right) => left.seed - right.seed);
  const runs = days.length + failed.length;
  const report = {
    runs,
    ...countsOf(days),
    pendingPods: pendingOf(days),
    firstSeed,
    hours,
    commit,
    command: `make days RUNS=${String(runs)} FIRST_SEED=${String(firstSeed)} HOURS=${String(hours)}`,
    failed,
    days: sorted,
  };
  mkdirSync('reports', { recursive: true });
  writeFileSync('reports/days.json', `${JSON.stringify(report, undefined, 1)}\n`);
}

function pendingOf(days: readonly DayResult[]): number {
  return days.reduce((sum, { pending }) => sum + pending, 0);
}

/** Plays one day after the other in a process beside this one: what is compiled for the first is used by the next. */
class DayPlayer {
  #process: ChildProcess | undefined;
  #played = 0;

  /** @throws Error when the day fails, or its process ends before it does; the next day has a new one. */
  async play(day: DayOptions): Promise<DayResult> {
    if (this.#played === DAYS_PER_PROCESS) this.end();
    this.#process ??= fork(process.argv[1] ?? '', ['player']);
    this.#played += 1;
    const player = this.#process;
    const settled = new AbortController();
    const { signal: over } = settled;
    const answer = once(player, 'message', { signal: over }).then(([played]) => {
      const { error, result } = played as Answer;
      if (result !== undefined) return result;
      this.end();
      throw new Error(error);
    });
    const failure = once(player, 'exit', { signal: over }).then(([code, signal]) => {
      this.end();
      throw new Error(`the process that played it ended: ${String(code ?? signal)}`);
    });
    player.send(day);
    try {
      return await Promise.race([answer, failure]);
    } finally {
      settled.abort();
      await Promise.allSettled([answer, failure]);
    }
  }

  end(): void {
    this.#process?.kill();
    this.#process = undefined;
    this.#played = 0;
  }
}

/** What a player says of a day: its result, or why it failed. */
interface Answer {
  readonly result?: DayResult;
  readonly error?: string;
}

/** Plays the days that the parent process sends. */
function playSentDays(): void {
  const answer = async (day: DayOptions): Promise<Answer> => {
    try {
      return { result: await playDay({ ...day, traceFile }) };
    } catch (error) {
      return { error: inspect(error) };
    }
  };
  process.on('disconnect', () => process.exit());
  process.on('message', (day: DayOptions) => {
    void answer(day).then((said) => process.send?.(said));
  });
}

function countsOf(days: readonly DayResult[]): Readonly<Record<FindingKind, number>> {
  const findings = days.flatMap((day) => day.findings);
  return Object.fromEntries(
    FINDING_KINDS.map((kind) => [kind, findings.filter((finding) => finding.kind === kind).length]),
  ) as Record<FindingKind, number>;
}

interface Progress {
  readonly done: number;
  readonly runs: number;
  readonly hours: number;
}

function tell(day: DayResult, { done, runs, hours }: Progress): void {
  const { seed, findings, launched, evicted, interrupted, pending, seconds } = day;
  const what = `${String(launched)} instances, ${String(evicted)} evictions, ${String(interrupted)} interruptions`;
  talk(
    `${String(done)}/${String(runs)}  seed ${String(seed)}: ${String(findings.length)} findings, ${String(pending)} pending (${what}; ${seconds.toFixed(0)} s)\n`,
  );
  for (const finding of findings) tellFinding(seed, finding, finding.story);
  if (findings.length > 0)
    talk(`  again: make days RUNS=1 FIRST_SEED=${String(seed)} HOURS=${String(hours)} TRACE=day.txt\n`);
}

function tellFinding(seed: number, { kind, at, what }: Finding, story: readonly string[]): void {
  talk(`  seed ${String(seed)}, ${new Date(at).toISOString()}: ${kind}: ${what}\n`);
  for (const line of story) talk(`      ${line}\n`);
}

function talk(text: string): void {
  process.stderr.write(text);
}

const [, , mode, seed, hours] = process.argv;
const traceFile = process.env['TRACE'];
if (mode === 'player') playSentDays();
else if (mode === 'day')
  process.stdout.write(
    JSON.stringify(await playDay({ seed: Number(seed), hours: Number(hours), traceFile })),
  );
else await main();
