/** The live account: watches the cluster, and tells what changed every second or so. */
import { usdPerHour } from '../../../src/domain/values/text.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Cluster } from '../../../src/state/cluster/cluster.js';
import { AccountLines, type AccountLine } from './account-lines.js';
import { hourlyPrice, livePods, pendingPods } from '../stages/cluster-view.js';

/** By the clock on the wall: for people to follow. */
const EVERY_MILLIS = 700;
const VERB_WIDTH = 9;

export interface AccountOptions {
  readonly cluster: Cluster;
  /** The world's. */
  readonly clock: Clock;
  /** The one on the wall. */
  readonly wall: Clock;
  readonly write: (line: string) => void;
}

export class Account {
  readonly #options: AccountOptions;
  readonly #startedAt: number;
  readonly #lines = new AccountLines();
  readonly #stops: (() => void)[];
  #totals = '';

  constructor(options: AccountOptions) {
    const { cluster, clock } = options;
    this.#options = options;
    this.#startedAt = clock.now();
    this.#stops = [
      cluster.nodeClaims.subscribe((change) => {
        this.#lines.claimChanged(change);
      }),
      cluster.pods.subscribe((change) => {
        this.#lines.podChanged(change);
      }),
      cluster.decisions.subscribe((change) => {
        this.#lines.decisionChanged(change);
      }),
    ];
    this.#tick();
  }

  /** A line of its own, at once and behind what happened before it. */
  say(verb: string, text: string): void {
    this.flush();
    this.#write({ verb, text });
  }

  flush(): void {
    const lines = this.#lines.flush();
    for (const line of lines) this.#write(line);
    if (lines.length > 0) this.#tellTotals();
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.flush();
  }

  #tick(): void {
    const stop = this.#options.wall.timer(EVERY_MILLIS, () => {
      this.flush();
      this.#stops.splice(this.#stops.indexOf(stop), 1);
      this.#tick();
    });
    this.#stops.push(stop);
  }

  #tellTotals(): void {
    const { cluster } = this.#options;
    const pods = livePods(cluster).length;
    const waiting = pendingPods(cluster).length;
    const instances = String(cluster.nodeClaims.size);
    const text = `${String(pods - waiting)} of ${String(pods)} pods bound, ${instances} instances, ${usdPerHour(hourlyPrice(cluster))}`;
    if (text === this.#totals) return;
    this.#totals = text;
    this.#write({ verb: '', text });
  }

  #write({ verb, text }: AccountLine): void {
    const { clock, write } = this.#options;
    write(`${timeText(clock.now() - this.#startedAt)}  ${verb.padEnd(VERB_WIDTH)} ${text}`);
  }
}

/** `mm:ss` of the world's time. */
export function timeText(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  const minutes = String(Math.floor(seconds / 60)).padStart(2, '0');
  return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
}
