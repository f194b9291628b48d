/** Claims whose disruption was given up are left alone for a while, longer each time. */
import type { Clock } from '../../ports/clock.js';
import type { DisruptionSettings } from './disruption-settings.js';

interface Resting {
  readonly times: number;
  /** On the clock's monotonic time. */
  readonly until: number;
}

export class Rest {
  readonly #clock: Clock;
  readonly #settings: Pick<DisruptionSettings, 'restMillis' | 'mostRestMillis'>;
  readonly #claims = new Map<string, Resting>();

  constructor(clock: Clock, settings: Pick<DisruptionSettings, 'restMillis' | 'mostRestMillis'>) {
    this.#clock = clock;
    this.#settings = settings;
  }

  begin(claim: string): void {
    const { restMillis, mostRestMillis } = this.#settings;
    const times = (this.#claims.get(claim)?.times ?? 0) + 1;
    const millis = Math.min(restMillis * 2 ** (times - 1), mostRestMillis);
    this.#claims.set(claim, { times, until: this.#clock.monotonic() + millis });
  }

  /** Names of the claims that rest now; those that are gone by `isThere` are forgotten. */
  now(isThere: (claim: string) => boolean): ReadonlySet<string> {
    const names = new Set<string>();
    for (const [name, { until }] of this.#claims)
      if (!isThere(name)) this.#claims.delete(name);
      else if (until > this.#clock.monotonic()) names.add(name);
    return names;
  }
}
