/** Plays live facts on one system, several at a time in one cluster. */
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

/** So many share the cluster: Karpenter acts for one of them at a time. */
const AT_A_TIME = 12;

/** What was seen of each fact, in their order. */
export async function playAll(
  facts: readonly LiveFact[],
  cluster: ControlPlane,
  system: System,
): Promise<readonly Played[]> {
  const sight = new Sight(cluster);
  const played: Played[] = [];
  const waiting = [...facts.entries()];
  const playNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, fact] = next;
      const key = `fact-${String(index + 1).padStart(2, '0')}`;
      const one = await play(fact, new Stage({ cluster, system, sight, key }));
      played[index] = one;
      process.stderr.write(
        `${system.name} ${String(one.seconds).padStart(4)} s  ${fact.fact}: ${JSON.stringify(one.seen)}\n`,
      );
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, playNext));
  await sight.stop();
  return played;
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
