/** Claims whose disruption failed are not disrupted again for a while, longer each time. */
import type { Clock } from '../../../ports/clock.js';
import type { DisruptionSettings } from '../passes/disruption-context.js';

interface CooldownState {
  readonly times: number;
  /** On the clock's monotonic time. */
  readonly until: number;
}

export class Cooldown {
  readonly #clock: Clock;
  readonly #settings: Pick<DisruptionSettings, 'cooldownMillis' | 'maxCooldownMillis'>;
  readonly #claims = new Map<string, CooldownState>();

  constructor(clock: Clock, settings: Pick<DisruptionSettings, 'cooldownMillis' | 'maxCooldownMillis'>) {
    this.#clock = clock;
    this.#settings = settings;
  }

  start(claim: string): void {
    const { cooldownMillis, maxCooldownMillis } = this.#settings;
    const times = (this.#claims.get(claim)?.times ?? 0) + 1;
    const millis = Math.min(cooldownMillis * 2 ** (times - 1), maxCooldownMillis);
    this.#claims.set(claim, { times, until: this.#clock.monotonic() + millis });
  }

  /** Names of the claims in cooldown; claims that no longer exist (`isThere`) are forgotten. */
  now(isThere: (claim: string) => boolean): ReadonlySet<string> {
    const names = new Set<string>();
    for (const [name, { until }] of this.#claims)
      if (!isThere(name)) this.#claims.delete(name);
      else if (until > this.#clock.monotonic()) names.add(name);
    return names;
  }
}
