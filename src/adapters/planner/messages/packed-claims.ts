/**
 * Claims in pieces. Thousands of them list the same few choices of types and zones, so that each such value is sent once and
 * shared; pods are named by their index among the placements, and a claim that the last answer had too by its index there.
 */
import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import type { Placement, PlannedClaim } from '../../../planning/plan.js';
import type { Bytes, PodRows } from './packed-placements.js';

type Shared = Pick<
  PlannedClaim,
  'instanceTypes' | 'zones' | 'capacityTypes' | 'chosenLabels' | 'allocatable'
>;

/** Shared members by their value's index; pods by their row among the placements, or by key where they have none. */
type PackedClaim = Omit<PlannedClaim, keyof Shared | 'pods'> &
  Readonly<Record<keyof Shared, number>> & { readonly pods: readonly (number | string)[] };

export interface PackedClaims {
  /** For each its row among the last answer's claims; −1 where it is not as there. */
  readonly rows: Int32Array<ArrayBuffer>;
  /** Values that the others share. */
  readonly shared: Bytes;
  /** Stretches of those, in their order. */
  readonly pieces: readonly Bytes[];
}

/** Claims by name, with their rows in their list. */
export type KnownClaims = ReadonlyMap<string, { readonly row: number; readonly claim: PlannedClaim }>;

/** Claims of a piece: what takes a fraction of a millisecond to be made. */
const PIECE = 50;

export function knownClaims(claims: readonly PlannedClaim[]): KnownClaims {
  return new Map(claims.map((claim, row) => [claim.name, { row, claim }]));
}

/**
 * @param pods rows of the same plan's placements.
 * @param known of the last answer, as the receiver has it.
 */
export function packClaims(claims: readonly PlannedClaim[], pods: PodRows, known: KnownClaims): PackedClaims {
  const rows = Int32Array.from(claims, (claim) => {
    const before = known.get(claim.name);
    return before !== undefined && isDeepStrictEqual(before.claim, claim) ? before.row : -1;
  });
  const values = new SharedValues();
  const fresh = claims
    .filter((_, index) => rows[index] === -1)
    .map((claim): PackedClaim => {
      return {
        ...claim,
        ...membersOf((name) => values.numberOf(claim[name])),
        pods: claim.pods.map((pod) => pods.get(pod) ?? pod),
      };
    });
  const pieces: Bytes[] = [];
  for (let start = 0; start < fresh.length; start += PIECE)
    pieces.push(serialize(fresh.slice(start, start + PIECE)));
  return { rows, shared: serialize(values.all), pieces };
}

/**
 * Piece by piece, so that others can have a turn in between.
 * @param known claims of the last answer.
 * @throws Error when that is not the one that was meant.
 */
export function* unpackClaims(
  { rows, shared, pieces }: PackedClaims,
  placements: readonly Placement[],
  known: readonly PlannedClaim[],
): Generator<readonly PlannedClaim[], void> {
  const values = deserialize(shared) as readonly Shared[keyof Shared][];
  const unread = pieces.values();
  let fresh: Iterator<PlannedClaim, undefined> = [].values();
  let ready: PlannedClaim[] = [];
  for (const row of rows) {
    let claim = known[row] ?? fresh.next().value;
    if (claim === undefined) {
      if (ready.length > 0) yield ready;
      ready = [];
      fresh = unpackPiece(unread.next().value, values, placements).values();
      claim = fresh.next().value;
    }
    if (claim === undefined) throw new Error('a claim refers to one that is not known');
    ready.push(claim);
  }
  if (ready.length > 0) yield ready;
}

function unpackPiece(
  piece: Bytes | undefined,
  values: readonly Shared[keyof Shared][],
  placements: readonly Placement[],
): readonly PlannedClaim[] {
  if (piece === undefined) return [];
  return (deserialize(piece) as readonly PackedClaim[]).map((claim): PlannedClaim => {
    const pods: string[] = [];
    for (const row of claim.pods) pods.push(typeof row === 'string' ? row : (placements[row]?.pod ?? ''));
    const members = membersOf((name) => values[claim[name]]) as Shared;
    return Object.assign(claim, members, { pods });
  });
}

function membersOf<T>(valueOf: (name: keyof Shared) => T): Record<keyof Shared, T> {
  return {
    instanceTypes: valueOf('instanceTypes'),
    zones: valueOf('zones'),
    capacityTypes: valueOf('capacityTypes'),
    chosenLabels: valueOf('chosenLabels'),
    allocatable: valueOf('allocatable'),
  };
}

export function buffersOfClaims({ rows, shared, pieces }: PackedClaims): readonly ArrayBuffer[] {
  return [rows.buffer, shared.buffer, ...pieces.map(({ buffer }) => buffer)];
}

/** Lists are one where they say the same, Maps where they are the same. */
class SharedValues {
  readonly all: Shared[keyof Shared][] = [];
  readonly #numbers = new Map<unknown, number>();

  numberOf(value: Shared[keyof Shared]): number {
    const key = Array.isArray(value) ? value.join() : value;
    const number = this.#numbers.get(key) ?? this.all.length;
    if (number === this.all.length) {
      this.#numbers.set(key, number);
      this.all.push(value);
    }
    return number;
  }
}
