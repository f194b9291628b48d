/** Which part of a packing stays where it is while the rest is packed again. */
import type { Candidate } from '../finish/candidate.js';
import type { Chance } from '../pack/chance.js';
import type { Target } from '../rules/targets.js';

/** Pods that stay on a node, or on a claim opened as `column`. */
export interface Staying {
  /** Index of the node; -1 for a claim. */
  readonly node: number;
  /** -1 for a node. */
  readonly column: number;
  /** Its asks are among those under which pods were put there. */
  readonly from: Target;
  /** Class → pods. */
  readonly content: ReadonlyMap<number, number>;
}

/** Everything goes, some machines go, or some of the pods wherever they are. */
export function whatStays({ packing, finished }: Candidate, chance: Chance): readonly Staying[] {
  if (chance.happens(0.25)) return [];
  const columns = new Map(finished.map(({ target, column }) => [target, column]));
  const isTight = chance.happens(0.5);
  const held = packing.targets.filter(({ content }) => content.size > 0);
  const all = held.map((from): Staying => {
    const column = isTight ? (columns.get(from) ?? from.column) : from.column;
    const node = from.column < 0 ? from.target : -1;
    return { node, column, from, content: from.content };
  });
  if (chance.happens(0.4)) return someOfEach(all, chance);
  const gone = 1 + chance.below(3);
  return chance.shuffled(all).slice(gone);
}

function someOfEach(all: readonly Staying[], chance: Chance): readonly Staying[] {
  const share = 0.2 + 0.2 * chance.below(3);
  return all.map((staying) => {
    const kept = new Map<number, number>();
    for (const [index, n] of staying.content) {
      let stays = 0;
      for (let pod = 0; pod < n; pod++) if (!chance.happens(share)) stays++;
      if (stays > 0) kept.set(index, stays);
    }
    return { ...staying, content: kept };
  });
}
