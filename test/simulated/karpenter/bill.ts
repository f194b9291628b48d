/** What the simulated EC2 would charge: each instance from its launch until it shuts down, at its price on demand. */
import type { AwsSimulator } from '../../../world/aws/aws-simulator.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';

const HOUR_MILLIS = 3_600_000;

export class Bill {
  readonly #clock: Clock;
  readonly #prices = new Map<string, number>();
  /** Instance → what it costs and since when, in milliseconds since 1970; until Infinity while it runs. */
  readonly #paid = new Map<string, { readonly price: number; readonly from: number; to: number }>();

  constructor(aws: AwsSimulator, clock: Clock, types: readonly InstanceType[]) {
    this.#clock = clock;
    for (const { name, offerings } of types)
      for (const { zone, capacityType, price } of offerings)
        this.#prices.set(`${name} ${zone} ${capacityType}`, price);
    aws.onInstance(({ id, state, instanceType, zone, capacityType, launchedAt }) => {
      const price = this.#prices.get(`${instanceType} ${zone} ${capacityType}`);
      if (price === undefined) throw new Error(`no price of ${instanceType} ${zone} ${capacityType}`);
      const known = this.#paid.get(id) ?? { price, from: launchedAt, to: Infinity };
      this.#paid.set(id, known);
      if (state !== 'pending' && state !== 'running') known.to = Math.min(known.to, clock.now());
    });
  }

  /** USD from one time to another, in milliseconds since 1970. */
  between(from: number, to: number): number {
    const until = Math.min(to, this.#clock.now());
    let usd = 0;
    for (const each of this.#paid.values()) {
      const millis = Math.min(each.to, until) - Math.max(each.from, from);
      usd += Math.max(0, millis / HOUR_MILLIS) * each.price;
    }
    return usd;
  }

  /** Instances that were launched between two times. */
  launches(from: number, to: number): number {
    return [...this.#paid.values()].filter((each) => each.from >= from && each.from < to).length;
  }

  /** Instances that were shut down between two times. */
  ends(from: number, to: number): number {
    return [...this.#paid.values()].filter((each) => each.to >= from && each.to < to).length;
  }

  /** USD/h of what runs. */
  get hourly(): number {
    return [...this.#paid.values()]
      .filter(({ to }) => to === Infinity)
      .reduce((sum, { price }) => sum + price, 0);
  }
}
