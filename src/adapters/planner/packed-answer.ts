/**
 * Answers as bytes in small pieces: an answer about a whole cluster has a hundred thousand objects, and whoever gets it must
 * not stand still while they are made.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import type { PlannerAnswer } from './message.js';

export interface PackedAnswer {
  /** The answer with empty lists. */
  readonly frame: Bytes;
  /** Stretches of its lists, in their order. */
  readonly pieces: readonly Piece[];
}

interface Piece {
  readonly list: string;
  readonly bytes: Bytes;
}

/** All of a buffer, so that it can change threads without being copied. */
type Bytes = Uint8Array<ArrayBuffer>;

/** Lists by name, as those of a plan or of a disruption's answer; other members are left as they are. */
type Body = Record<string, unknown>;

/** Elements of a piece: what takes a millisecond or two to be made. */
const PIECE = 250;

export function packAnswer(answer: PlannerAnswer): PackedAnswer {
  const [name, body] = 'plan' in answer ? ['plan', answer.plan] : ['answer', answer.answer];
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

/** Other work gets a turn between the pieces; a small answer needs none. */
export async function unpackAnswer({ frame, pieces }: PackedAnswer): Promise<PlannerAnswer> {
  const answer = deserialize(frame) as PlannerAnswer;
  const body = ('plan' in answer ? answer.plan : answer.answer) as unknown as Record<string, unknown[]>;
  for (const [index, { list, bytes }] of pieces.entries()) {
    if (index > 0) await nextTurn();
    for (const element of deserialize(bytes) as unknown[]) body[list]?.push(element);
  }
  return answer;
}
