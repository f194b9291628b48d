/** Making metrics of a registry in one line each. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** How metrics are made: each on the registry at once. */
export interface MetricFactory {
  readonly counter: <L extends string = never>(
    name: string,
    help: string,
    labels?: readonly L[],
  ) => Counter<L>;
  readonly gauge: <L extends string = never>(name: string, help: string, labels?: readonly L[]) => Gauge<L>;
  readonly seconds: <L extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labels?: readonly L[],
  ) => Histogram<L>;
}

/** Makers of metrics on this registry. */
export function metricFactory(registry: Registry): MetricFactory {
  const registers = [registry];
  return {
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    gauge: (name, help, labels = []) => new Gauge({ name, help, labelNames: labels, registers }),
    seconds: (name, help, buckets, labels = []) =>
      new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers }),
  };
}

/** Buckets for computing, in seconds. */
export const WORK_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
