/** How the cluster came to be as it is: nodes, pending pods and price over time, within bounded memory. */
import type { Clock } from '../../ports/clock.js';
import type { Cluster } from '../cluster/cluster.js';
import { verdictOn } from './demand.js';
import { stateNodes } from '../nodes/state-node.js';

/** The cluster at one moment. */
export interface TimelinePoint {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Nodes, not counting instances that are not nodes yet. */
  readonly nodes: number;
  /** Instances that are ordered or starting. */
  readonly coming: number;
  /** Pods that want a node and have none. */
  readonly pending: number;
  /** USD/h of all instances whose price is known. */
  readonly hourly: number;
}

export interface TimelineOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Points kept; 600. */
  readonly most?: number | undefined;
  /** Between the first points; 2 s. */
  readonly firstMillis?: number | undefined;
  /** Between points at most, however long it runs; 60 s. */
  readonly lastMillis?: number | undefined;
}

/**
 * Samples the cluster. When it is full, every other point goes and the steps between points double, so that the first
 * minutes are seen in detail and later the last hours; once steps are as long as they get, the oldest points go.
 */
export class Timeline {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #lastMillis: number;
  #stepMillis: number;
  #points: TimelinePoint[] = [];

  constructor({ cluster, clock, most = 600, firstMillis = 2_000, lastMillis = 60_000 }: TimelineOptions) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#most = most;
    this.#stepMillis = firstMillis;
    this.#lastMillis = lastMillis;
  }

  /** Oldest first, and the cluster as it is now at the end. */
  points(): readonly TimelinePoint[] {
    const now = this.now();
    const last = this.#points.at(-1);
    return last?.time === now.time ? this.#points : [...this.#points, now];
  }

  now(): TimelinePoint {
    return pointOf(this.#cluster, this.#clock.now());
  }

  /** Samples until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#add(this.now());
      await this.#clock.sleep(this.#stepMillis, signal).catch(() => undefined);
    }
  }

  #add(point: TimelinePoint): void {
    this.#points.push(point);
    if (this.#points.length <= this.#most) return;
    if (this.#stepMillis * 2 > this.#lastMillis) this.#points.shift();
    else {
      this.#points = this.#points.filter((_, index) => index % 2 === 0);
      this.#stepMillis *= 2;
    }
  }
}

function pointOf(cluster: Cluster, time: number): TimelinePoint {
  let nodes = 0;
  let coming = 0;
  let hourly = 0;
  for (const { node, phase, hourlyPrice } of stateNodes(cluster)) {
    if (node !== undefined) nodes++;
    if (phase === 'Launching' || phase === 'Starting') coming++;
    hourly += hourlyPrice ?? 0;
  }
  let pending = 0;
  for (const pod of cluster.pods.values()) if (verdictOn(pod) !== undefined) pending++;
  return { time, nodes, coming, pending, hourly };
}
