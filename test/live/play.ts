/** Plays live facts on one system, in several clusters beside each other and several at a time in each. */
import type { ControlPlane } from '../controlplane/fixture/control-plane.js';
import type { System } from './fixture/system.js';
import type { LiveFact } from './live-fact.js';
import { Sight } from './stage/sight.js';
import { Stage } from './stage/stage.js';

export interface Played {
  /** What was seen, or what went wrong. */
  readonly seen: unknown;
  readonly seconds: number;
}

/** A cluster with a system that runs beside it. */
export interface Scene {
  readonly cluster: ControlPlane;
  readonly system: System;
  readonly stop: () => Promise<void>;
}

/** So many facts share a cluster. */
const AT_A_TIME = 8;

/**
 * What was seen of each fact. Each family is played in a cluster of its own, and the others in whichever has room first; facts
 * that have to be alone come last.
 */
export async function playAll(
  families: readonly (readonly LiveFact[])[],
  others: readonly LiveFact[],
  start: () => Promise<Scene>,
): Promise<ReadonlyMap<LiveFact, Played>> {
  const played = new Map<LiveFact, Played>();
  const common = [...others];
  await Promise.all(
    families.map(async (family, index) => {
      if (family.length + common.length === 0) return;
      const scene = await start();
      const own = family.filter(({ alone }) => alone !== true);
      const alone = family.filter((fact) => fact.alone === true);
      try {
        const player = new Player(scene, String(index + 1), played);
        await Promise.all(Array.from({ length: AT_A_TIME }, () => player.playFrom(own, common)));
        await player.playFrom(alone);
        await player.stop();
      } finally {
        await scene.stop();
      }
    }),
  );
  return played;
}

/** Plays facts in one cluster. */
class Player {
  readonly #scene: Scene;
  readonly #sight: Sight;
  readonly #name: string;
  readonly #played: Map<LiveFact, Played>;
  #count = 0;

  constructor(scene: Scene, name: string, played: Map<LiveFact, Played>) {
    this.#scene = scene;
    this.#sight = new Sight(scene.cluster);
    this.#name = name;
    this.#played = played;
  }

  /** Plays one after the other until all are taken, of the first list first. */
  async playFrom(...lists: readonly LiveFact[][]): Promise<void> {
    const next = (): LiveFact | undefined => lists.find((list) => list.length > 0)?.shift();
    for (let fact = next(); fact !== undefined; fact = next()) {
      const { cluster, system } = this.#scene;
      const key = `fact-${this.#name}-${String(++this.#count)}`;
      const one = await play(fact, new Stage({ cluster, system, sight: this.#sight, key }));
      this.#played.set(fact, one);
      const seconds = String(one.seconds).padStart(4);
      process.stderr.write(`${system.name} ${seconds} s  ${key} ${fact.fact}: ${JSON.stringify(one.seen)}\n`);
    }
  }

  stop(): Promise<void> {
    return this.#sight.stop();
  }
}

async function play(fact: LiveFact, stage: Stage): Promise<Played> {
  const from = stage.now();
  const seen = await fact
    .play(stage)
    .catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }));
  const seconds = Math.round(stage.now() - from);
  await stage.clear();
  return { seen, seconds };
}
