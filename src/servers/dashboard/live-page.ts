/** The stream of server-sent events: a snapshot for each new reader, then changes, for a bounded number of readers. */
import type { ServerResponse } from 'node:http';
import { describePause } from '../../domain/records/pause.js';
import type { Clock } from '../../ports/clock.js';
import { costBy } from '../../domain/nodes/cost-report.js';
import type { FailureMemory } from '../../runtime/concurrency/failure-memory.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { pauseOf } from '../../state/policies/pause-of.js';
import { costNodes } from '../../state/nodes/cost-nodes.js';
import type { Timeline } from '../../state/planning/timeline.js';
import { PageModel } from './page-model.js';

export interface LivePageOptions {
  readonly cluster: Cluster;
  /** The cluster's time. */
  readonly clock: Clock;
  /** The time of the viewers, which may differ from the cluster's. */
  readonly pace: Clock;
  readonly timeline: Timeline;
  readonly failures: Pick<FailureMemory, 'recent'> | undefined;
  readonly version: string;
  /** Berth's own namespace, which has the pause annotation; undefined: none is shown. */
  readonly namespace?: string | undefined;
  /** Readers at once. */
  readonly mostReaders: number;
}

/** The minimum interval between two events. */
const FLUSH_MILLIS = 250;
/** Between ticks, which bring totals and costs and show that the stream lives. */
const TICK_MILLIS = 2000;
/** Documents written in one go: some milliseconds; and the pause before the next while there are more. */
const PORTION = 1000;
const PAUSE_MILLIS = 20;
/** What a browser waits before it connects again. */
const RETRY_MILLIS = 2000;

interface Reader {
  readonly response: ServerResponse;
  /** It did not read fast enough and was spared changes: it gets a snapshot when it has caught up. */
  behind: boolean;
}

export class LivePage {
  readonly #options: LivePageOptions;
  readonly #readers = new Set<Reader>();
  #model: PageModel | undefined;
  #cancelFlush: () => void = () => undefined;
  #tickedAt = -Infinity;

  constructor(options: LivePageOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#readers.size;
  }

  get isFull(): boolean {
    return this.#readers.size >= this.#options.mostReaders;
  }

  /** The whole picture as one JSON object. */
  async state(): Promise<string> {
    const model = new PageModel(this.#options.cluster);
    try {
      model.take(PORTION);
      while (model.isBehind) {
        await this.#options.pace.sleep(PAUSE_MILLIS);
        model.take(PORTION);
      }
      return this.#snapshot(model);
    } finally {
      model.close();
    }
  }

  /** Streams to it until it goes or `close`; its headers are sent here. */
  add(response: ServerResponse): void {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    const model = this.#begin();
    // Other readers have not received yet what this one gets now: they do first.
    this.#flush(model);
    const reader: Reader = { response, behind: false };
    this.#readers.add(reader);
    response.on('close', () => {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#end();
    });
    response.write(`retry: ${String(RETRY_MILLIS)}\n\n${event('snapshot', this.#snapshot(model))}`);
  }

  /** Ends all streams. */
  close(): void {
    for (const { response } of this.#readers) response.end();
    this.#readers.clear();
    this.#end();
  }

  #begin(): PageModel {
    if (this.#model !== undefined) return this.#model;
    this.#model = new PageModel(this.#options.cluster);
    this.#arm(this.#model);
    return this.#model;
  }

  #end(): void {
    this.#cancelFlush();
    this.#model?.close();
    this.#model = undefined;
  }

  #arm(model: PageModel): void {
    const millis = model.isBehind ? PAUSE_MILLIS : FLUSH_MILLIS;
    this.#cancelFlush = this.#options.pace.timer(millis, () => {
      this.#flush(model);
      this.#tick(model);
      this.#arm(model);
    });
  }

  #tick(model: PageModel): void {
    const now = this.#options.pace.monotonic();
    if (now - this.#tickedAt < TICK_MILLIS) return;
    this.#tickedAt = now;
    this.#tell(model, event('tick', `{${this.#totals()}}`));
  }

  #flush(model: PageModel): void {
    const changes = model.take(PORTION);
    if (changes === '') return;
    this.#tell(model, event('change', `{${this.#time()},${changes}}`));
  }

  #tell(model: PageModel, text: string): void {
    for (const reader of this.#readers) {
      const { response } = reader;
      if (response.writableNeedDrain) reader.behind = true;
      else if (reader.behind) {
        reader.behind = false;
        response.write(event('snapshot', this.#snapshot(model)));
      } else response.write(text);
    }
  }

  #snapshot(model: PageModel): string {
    const version = JSON.stringify(this.#options.version);
    return `{"version":${version},${this.#totals()},${model.snapshot()}}`;
  }

  #time(): string {
    return `"time":${String(this.#options.clock.now())}`;
  }

  /** Only while there is a pause. */
  #paused(): string {
    const { cluster, namespace } = this.#options;
    const pause = namespace === undefined ? undefined : pauseOf(cluster, namespace);
    return pause === undefined ? '' : `,"paused":${JSON.stringify(describePause(pause))}`;
  }

  #totals(): string {
    const { cluster, timeline, failures } = this.#options;
    const { nodes, unpriced } = costNodes(cluster);
    const cost = { ...costBy(nodes, { by: 'namespace' }), unpriced };
    const synced = String(cluster.isSynced('Pod', 'Node', 'NodeClaim', 'Reservation', 'Decision'));
    const failed = JSON.stringify(failures?.recent() ?? null);
    return `${this.#time()}${this.#paused()},"synced":${synced},"failures":${failed},"now":${JSON.stringify(timeline.now())},"cost":${JSON.stringify(cost)}`;
  }
}

/** One line of data: JSON text holds no line break. */
function event(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}
