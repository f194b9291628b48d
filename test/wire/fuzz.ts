/** Sends damaged bodies, one after the other, and keeps account of how they are answered. */
import { cpuMillis, restingMiB } from './measured.js';
import { Mutator } from './mutator.js';

export const BODIES = Number(process.env['BODIES'] ?? 20_000);
export const SEED = Number(process.env['SEED'] ?? 20_260_822);

/** No request may keep the others waiting for longer. */
export const MOST_CPU_MILLIS = 100;
/**
 * What memory may grow by from the second quarter of the bodies to the last. Specs that pods share are kept up to a
 * limit of 32 million characters, and what is read from them beside: they fill while no two pods are alike.
 */
export const MOST_GROWTH_MIB = 128;

export interface Fuzzed {
  readonly bases: readonly unknown[];
  /** Sends one body, and says how it was answered: a status, or a kind of result. */
  readonly ask: (body: Buffer) => Promise<string>;
  /** Between bodies: the clock goes on. */
  readonly between?: () => void;
}

export interface FuzzReport {
  readonly outcomes: ReadonlyMap<string, number>;
  /** Bodies each of which took more than the most every time; the beginning of each. */
  readonly slow: readonly string[];
  readonly slowestMillis: number;
  readonly growthMiB: number;
}

export async function fuzz({ bases, ask, between = () => undefined }: Fuzzed): Promise<FuzzReport> {
  const mutator = new Mutator(bases, SEED);
  const outcomes = new Map<string, number>();
  const slow: string[] = [];
  let slowestMillis = 0;
  const memory: number[] = [];
  for (let sent = 0; sent < BODIES; sent++) {
    if (sent % Math.ceil(BODIES / SAMPLES) === 0) memory.push(restingMiB());
    const body = mutator.next();
    const { outcome, millis } = await timed(ask, body);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const least = millis > MOST_CPU_MILLIS ? await leastMillis(ask, body) : millis;
    slowestMillis = Math.max(slowestMillis, least);
    if (least > MOST_CPU_MILLIS) slow.push(`${least.toFixed()} ms: ${body.toString().slice(0, 1000)}`);
    between();
  }
  return { outcomes, slow, slowestMillis, growthMiB: growthOf(memory) };
}

/** How often memory is read. The allocator gives pages back late, so that one reading alone is off by up to 60 MiB. */
const SAMPLES = 40;

/** The least of the last quarter of the readings above the least of the second one. */
function growthOf(memory: readonly number[]): number {
  const quarter = memory.length / 4;
  return Math.min(...memory.slice(3 * quarter)) - Math.min(...memory.slice(quarter, 2 * quarter));
}

async function timed(
  ask: Fuzzed['ask'],
  body: Buffer,
): Promise<{ readonly outcome: string; readonly millis: number }> {
  const start = cpuMillis();
  const outcome = await ask(body);
  return { outcome, millis: cpuMillis() - start };
}

/** How often a body is sent before it is said to take too long. */
const MOST_TIMES = 20;

/**
 * What a body takes at least, where that is more than `enough`. A collection of garbage, or code that is compiled, is not the
 * body's: those come once. Nor is what other processes take from a core's other thread: they leave it now and then.
 */
export async function leastMillis(
  ask: Fuzzed['ask'],
  body: Buffer,
  enough = MOST_CPU_MILLIS,
): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < MOST_TIMES && least > enough; time++)
    least = Math.min(least, (await timed(ask, body)).millis);
  return least;
}

/** For the log of a run, so that it can be had again. */
export function summary(name: string, { outcomes, slowestMillis, growthMiB }: FuzzReport): string {
  const counts = [...outcomes].sort().map(([outcome, count]) => `${outcome}: ${String(count)}`);
  const figures = `slowest ${slowestMillis.toFixed()} ms of CPU, memory ${growthMiB.toFixed()} MiB`;
  return `${name}: ${String(BODIES)} bodies, SEED=${String(SEED)}, ${counts.join(', ')}, ${figures}`;
}
