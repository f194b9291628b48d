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

/** Karpenter consolidates for one fact at a time, and waits fifteen seconds each time: several clusters wait together. */
const CLUSTERS = 3;
/** So many facts share a cluster. */
const AT_A_TIME = 8;

/** A fact, and its place among all. */
type Numbered = readonly [number, LiveFact];

/** What was seen of each fact, in their order. */
export async function playAll(
  facts: readonly LiveFact[],
  start: () => Promise<Scene>,
): Promise<readonly Played[]> {
  const played: Played[] = [];
  // Neighbours are of one family, and take equally long.
  const shares = Array.from({ length: CLUSTERS }, (_, share) =>
    [...facts.entries()].filter(([index]) => index % CLUSTERS === share),
  );
  await Promise.all(
    shares.map(async (share) => {
      if (share.length === 0) return;
      const scene = await start();
      try {
        await playShare(share, scene, (index, one) => {
          played[index] = one;
        });
      } finally {
        await scene.stop();
      }
    }),
  );
  return played;
}

async function playShare(
  share: readonly Numbered[],
  { cluster, system }: Scene,
  onPlayed: (index: number, played: Played) => void,
): Promise<void> {
  const sight = new Sight(cluster);
  const playFrom = async (waiting: Numbered[]): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, fact] = next;
      const key = `fact-${String(index + 1).padStart(2, '0')}`;
      const one = await play(fact, new Stage({ cluster, system, sight, key }));
      onPlayed(index, one);
      process.stderr.write(
        `${system.name} ${String(one.seconds).padStart(4)} s  ${key} ${fact.fact}: ${JSON.stringify(one.seen)}\n`,
      );
    }
  };
  const shared = share.filter(([, { alone }]) => alone !== true);
  await Promise.all(Array.from({ length: AT_A_TIME }, () => playFrom(shared)));
  await playFrom(share.filter(([, { alone }]) => alone === true));
  await sight.stop();
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
