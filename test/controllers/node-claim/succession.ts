/** Processes that may be killed at any call, one after the other. */
import type { Berth, ClaimWorld } from './claim-world.js';
import { mortalPorts, type Death, type MortalPorts } from './mortal-ports.js';

/** One process after the other: when one is killed the next comes up a little later. */
export class Succession {
  readonly world: ClaimWorld;
  readonly #deaths: Death[];
  #ports: MortalPorts;
  #berth: Berth;

  constructor(world: ClaimWorld, deaths: readonly Death[]) {
    this.world = world;
    this.#deaths = [...deaths];
    this.#ports = mortalPorts(world, this.#deaths.shift());
    this.#berth = world.start(this.#ports);
  }

  get calls(): readonly string[] {
    return this.#ports.calls;
  }

  async seconds(count: number): Promise<void> {
    for (let second = 0; second < count; second++) {
      await this.world.seconds(1);
      if (!this.#ports.isDead()) continue;
      this.#berth.kill();
      this.#ports = mortalPorts(this.world, this.#deaths.shift());
      this.#berth = this.world.start(this.#ports);
    }
  }
}
