/**
 * Answers as bytes in small pieces: an answer about a whole cluster has a hundred thousand objects, and the thread that
 * receives it must not block while they are made.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { Placement, Plan, PlannedClaim } from '../../../planning/plan.js';
import type { PlannerAnswer } from '../task.js';
import {
  buffersOfClaims,
  knownClaims,
  packClaims,
  unpackClaims,
  type KnownClaims,
  type PackedClaims,
} from './packed-claims.js';
import {
  buffersOfPlacements,
  packPlacements,
  unpackPlacements,
  type Bytes,
  type PackedPlacements,
  type PodRows,
} from './packed-placements.js';

export interface PackedAnswer {
  /** The answer with empty lists. */
  readonly frame: Bytes;
  /** The long lists of a plan. */
  readonly plan: PackedPlan | undefined;
  /** Stretches of all other lists, in their order. */
  readonly pieces: readonly Piece[];
}

interface PackedPlan {
  readonly placements: PackedPlacements;
  readonly claims: PackedClaims;
}

interface Piece {
  readonly list: string;
  readonly bytes: Bytes;
}

/** Lists by name, as those of a plan or of a disruption's answer; other members are left as they are. */
type Body = Record<string, unknown>;

/** Elements of a piece: what takes a fraction of a millisecond to be made. */
const PIECE = 100;

/** What the receiver of an answer keeps of the one before. */
interface Known {
  readonly pods: PodRows;
  readonly claims: KnownClaims;
}

const NOTHING: Known = { pods: new Map(), claims: new Map() };

/** What a thread says, one answer after the other; the AnswerReader of the other side has to read them all. */
export class AnswerPacker {
  /** Of the last plan that was an answer. */
  #known = NOTHING;

  /** Can be read by itself, and need not be read. */
  draft(draft: PlannerAnswer): PackedAnswer {
    return packed(draft, podRows(draft), NOTHING);
  }

  answer(answer: PlannerAnswer): PackedAnswer {
    const [known, pods] = [this.#known, podRows(answer)];
    if ('plan' in answer) this.#known = { pods, claims: knownClaims(answer.plan.claims) };
    return packed(answer, pods, known);
  }
}

function podRows(answer: PlannerAnswer): PodRows {
  return 'plan' in answer ? new Map(answer.plan.placements.map(({ pod }, row) => [pod, row])) : NOTHING.pods;
}

/** @param pods of the answer itself. */
function packed(answer: PlannerAnswer, pods: PodRows, known: Known): PackedAnswer {
  if (!('plan' in answer)) return { plan: undefined, ...packLists(answer, 'answer', answer.answer) };
  const { placements, claims } = answer.plan;
  return {
    plan: {
      placements: packPlacements(placements, known.pods),
      claims: packClaims(claims, pods, known.claims),
    },
    ...packLists(answer, 'plan', { ...answer.plan, placements: [], claims: [] }),
  };
}

function packLists(
  answer: PlannerAnswer,
  name: 'plan' | 'answer',
  body: object,
): Pick<PackedAnswer, 'frame' | 'pieces'> {
  const frame: Body = { ...body };
  const pieces: Piece[] = [];
  for (const [list, elements] of Object.entries(body) as [string, unknown][]) {
    if (!Array.isArray(elements)) continue;
    frame[list] = [];
    for (let start = 0; start < elements.length; start += PIECE)
      pieces.push({ list, bytes: serialize(elements.slice(start, start + PIECE)) });
  }
  return { frame: serialize({ ...answer, [name]: frame }), pieces };
}

/** Reads what the AnswerPacker of one thread has packed, in its order; drafts may be left out. */
export class AnswerReader {
  /** The last plan. */
  #known: Pick<Plan, 'placements' | 'claims'> = { placements: [], claims: [] };

  /**
   * Other work gets a turn after each piece.
   * @throws Error when it is not what was packed, or follows an answer that was not read.
   */
  async read(packed: PackedAnswer): Promise<PlannerAnswer> {
    const answer = deserialize(packed.frame) as PlannerAnswer;
    const lists = ('plan' in answer ? answer.plan : answer.answer) as unknown as Record<string, unknown[]>;
    for (const [list, elements] of this.#piecesOf(packed, lists)) {
      for (const element of elements) lists[list]?.push(element);
      await nextTurn();
    }
    if ('plan' in answer) this.#known = answer.plan;
    return answer;
  }

  /** List by name, and what comes next in it; `lists` are those that it goes into. */
  *#piecesOf(
    { plan, pieces }: PackedAnswer,
    lists: Record<string, unknown[]>,
  ): Generator<readonly [string, readonly unknown[]], void> {
    if (plan !== undefined) {
      const placements: Placement[] = [];
      const claims: PlannedClaim[] = [];
      Object.assign(lists, { placements, claims });
      for (const piece of unpackPlacements(plan.placements, this.#known.placements))
        yield ['placements', piece];
      for (const piece of unpackClaims(plan.claims, placements, this.#known.claims)) yield ['claims', piece];
    }
    for (const { list, bytes } of pieces) yield [list, deserialize(bytes) as unknown[]];
  }
}

/** Everything that can change threads without being copied. */
export function buffersOf({ frame, plan, pieces }: PackedAnswer): ArrayBuffer[] {
  const ofPlan =
    plan === undefined ? [] : [...buffersOfPlacements(plan.placements), ...buffersOfClaims(plan.claims)];
  return [frame.buffer, ...ofPlan, ...pieces.map(({ bytes }) => bytes.buffer)];
}
