/**
 * Placements as columns: keys of pods as text, targets by number. Fifty thousand of them are read in the time that a few
 * thousand objects take, and pods of one target share it. Plans repeat: a pod that the last answer named is given by its row
 * there, and a placement that did not change is the same object again, since the garbage collector has to move new objects,
 * and the thread answers no request meanwhile.
 */
import { deserialize, serialize } from 'node:v8';
import type { Placement } from '../../../planning/plan.js';

/** All of a buffer, so that it can change threads without being copied. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Rows in a list of placements by the keys of their pods. */
export type PodRows = ReadonlyMap<string, number>;

export interface PackedPlacements {
  /** Where pods go, each node and claim once. */
  readonly targets: Bytes;
  /** Stretches of the list, in their order. */
  readonly pieces: readonly PlacementPiece[];
}

interface PlacementPiece {
  /** For each its row in the last answer; −1 where its pod is not in there. */
  readonly rows: Int32Array<ArrayBuffer>;
  /** Keys of the pods that are not, in their order: a JSON array. */
  readonly pods: Bytes;
  /** For each its index among the targets. */
  readonly targets: Int32Array<ArrayBuffer>;
}

/** Placements of a piece: what takes a fraction of a millisecond to be made. */
const PIECE = 500;

/** @param known rows of the last answer, as the receiver has it. */
export function packPlacements(placements: readonly Placement[], known: PodRows): PackedPlacements {
  // A plan has one object for each target; were there several, each would be sent.
  const numbers = new Map<Placement['target'], number>();
  const numberOf = (target: Placement['target']): number => {
    const number = numbers.get(target) ?? numbers.size;
    numbers.set(target, number);
    return number;
  };
  const pieces: PlacementPiece[] = [];
  for (let start = 0; start < placements.length; start += PIECE) {
    const piece = placements.slice(start, start + PIECE);
    const rows = Int32Array.from(piece, ({ pod }) => known.get(pod) ?? -1);
    const fresh = piece.filter((_, index) => rows[index] === -1).map(({ pod }) => pod);
    pieces.push({
      rows,
      pods: new TextEncoder().encode(JSON.stringify(fresh)),
      targets: Int32Array.from(piece, ({ target }) => numberOf(target)),
    });
  }
  return { targets: serialize([...numbers.keys()]), pieces };
}

/**
 * Piece by piece, so that others can have a turn in between.
 * @param known placements of the last answer.
 * @throws Error when that is not the one that was meant.
 */
export function* unpackPlacements(
  { targets, pieces }: PackedPlacements,
  known: readonly Placement[],
): Generator<readonly Placement[], void> {
  const told = deserialize(targets) as Placement['target'][];
  for (const piece of pieces) {
    const fresh = (JSON.parse(new TextDecoder().decode(piece.pods)) as string[]).values();
    const placements: Placement[] = [];
    for (let index = 0; index < piece.rows.length; index++) {
      const number = piece.targets[index] ?? -1;
      const before = known[piece.rows[index] ?? -1];
      const pod = before?.pod ?? fresh.next().value;
      const target = told[number];
      if (pod === undefined || target === undefined)
        throw new Error('a placement refers to one that is not known');
      const isKept = before !== undefined && sameTarget(before.target, target);
      if (isKept) told[number] = before.target;
      placements.push(isKept ? before : { pod, target });
    }
    yield placements;
  }
}

function sameTarget(target: Placement['target'], other: Placement['target']): boolean {
  return target === other || (target.kind === other.kind && target.name === other.name);
}

export function buffersOfPlacements({ targets, pieces }: PackedPlacements): readonly ArrayBuffer[] {
  return [
    targets.buffer,
    ...pieces.flatMap((piece) => [piece.rows.buffer, piece.pods.buffer, piece.targets.buffer]),
  ];
}
