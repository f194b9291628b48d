/** What a test expects of a request that the API server refuses. */
import { ApiError } from '../fixture/api/api-error.js';

export interface Refusal {
  readonly code: number;
  readonly reason?: string;
  /** Part of the message. */
  readonly message?: string;
}

/** Expects the request to fail as described, and returns the error. */
export async function expectRefused(request: Promise<unknown>, refusal: Refusal): Promise<ApiError> {
  const answer: unknown = await request.catch((error: unknown) => error);
  expect(answer).toBeInstanceOf(ApiError);
  const error = answer as ApiError;
  expect(error).toMatchObject({
    code: refusal.code,
    ...(refusal.reason !== undefined && { reason: refusal.reason }),
  });
  if (refusal.message !== undefined) expect(error.message).toContain(refusal.message);
  return error;
}
