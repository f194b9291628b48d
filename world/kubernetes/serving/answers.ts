/** Answers of the API server on the wire. */
import { ApiError } from '../objects/api-error.js';
import type { WireAnswer } from '../../wire/wire.js';

export function jsonAnswer(status: number, body: unknown, contentType = 'application/json'): WireAnswer {
  return { status, headers: { 'content-type': contentType }, body: JSON.stringify(body) };
}

export function textAnswer(status: number, body: string): WireAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

export function streamAnswer(body: AsyncIterable<string>): WireAnswer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

/** What was thrown, as a Status; what is no refusal is a fault of the simulator. */
export function errorAnswer(error: unknown): WireAnswer {
  const refusal = error instanceof ApiError ? error : internalError(error);
  const answer = jsonAnswer(refusal.code, refusal.status());
  const { retryAfterSeconds } = refusal.details;
  if (retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'retry-after': String(retryAfterSeconds) } };
}

/** RFC 9111's Warning header, which kubectl prints. */
export function withWarnings(answer: WireAnswer, warnings: readonly string[]): WireAnswer {
  if (warnings.length === 0) return answer;
  const warning = warnings
    .map((text) => `299 - ${JSON.stringify(text.replaceAll(/[^\x20-\x7e]/g, '?'))}`)
    .join(', ');
  return { ...answer, headers: { ...answer.headers, warning } };
}

function internalError(error: unknown): ApiError {
  const why = error instanceof Error ? error.message : String(error);
  return new ApiError(500, 'InternalError', `Internal error occurred: ${why}`);
}
