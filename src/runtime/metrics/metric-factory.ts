/** Tables of metrics: each row says name, help and labels, and is made on the registry of a process. */
import { Counter, Gauge, Histogram, Summary, type Registry } from 'prom-client';

/** Makes a metric on a registry. */
export type Maker<Metric> = (registry: Registry) => Metric;

/** What is made of a table. */
export type Made<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Maker<infer Metric> ? Metric : never;
};

/** All metrics of a table, zero. */
export function makeAll<Table extends Readonly<Record<string, Maker<unknown>>>>(
  registry: Registry,
  table: Table,
): Made<Table> {
  const entries = Object.entries(table).map(([key, make]) => [key, make(registry)] as const);
  // Each key has what its own maker made.
  return Object.fromEntries(entries) as Made<Table>;
}

export function counter<L extends string = never>(
  name: string,
  help: string,
  labels: readonly L[] = [],
): Maker<Counter<L>> {
  return (registry) => new Counter({ name, help, labelNames: labels, registers: [registry] });
}

export function gauge<L extends string = never>(
  name: string,
  help: string,
  labels: readonly L[] = [],
): Maker<Gauge<L>> {
  return (registry) => new Gauge({ name, help, labelNames: labels, registers: [registry] });
}

export function histogram<L extends string = never>(
  name: string,
  help: string,
  buckets: readonly number[],
  labels: readonly L[] = [],
): Maker<Histogram<L>> {
  return (registry) =>
    new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [registry] });
}

/** Karpenter's quantiles. */
const QUANTILES = [0, 0.5, 0.9, 0.99, 1];
const SUMMARY_AGE = { maxAgeSeconds: 600, ageBuckets: 5 };

/** Quantiles of the last ten minutes, as Karpenter's summaries have them. */
export function summary<L extends string = never>(
  name: string,
  help: string,
  labels: readonly L[] = [],
): Maker<Summary<L>> {
  const shape = { name, help, labelNames: labels, percentiles: QUANTILES, ...SUMMARY_AGE };
  return (registry) => new Summary({ ...shape, registers: [registry] });
}

/** Buckets for computing, in seconds. */
export const WORK_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Buckets for what instances take part in, in seconds. */
export const STARTUP_SECONDS = [1, 5, 10, 20, 30, 45, 60, 90, 120, 180, 300, 600, 1200];
