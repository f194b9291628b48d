/** Calls for many instances at once, which EC2 refuses as a whole when one of them is unknown: then they are split. */
import { AwsError } from '../client/index.js';

/** EC2 takes 1,000; less, so that one call does not use up a limit that counts instances. */
const BATCH = 500;

/**
 * Calls for all ids. Where a call fails because an id is unknown or malformed, its halves are tried, down to the one.
 * Answers the ids that EC2 does not know. @throws whatever else a call fails with.
 */
export async function eachBatch(
  ids: readonly string[],
  call: (ids: string[]) => Promise<unknown>,
): Promise<readonly string[]> {
  const unknown: string[] = [];
  const waiting = batches([...new Set(ids)], BATCH);
  for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
    try {
      await call([...batch]);
    } catch (error) {
      if (!isAboutAnId(error)) throw error;
      if (batch.length === 1) unknown.push(...batch);
      else waiting.unshift(...batches(batch, Math.ceil(batch.length / 2)));
    }
  }
  return unknown;
}

function isAboutAnId(error: unknown): boolean {
  return error instanceof AwsError && /^InvalidInstanceID\.(?:NotFound|Malformed)$/.test(error.awsCode);
}

function batches(ids: readonly string[], size: number): (readonly string[])[] {
  const result: (readonly string[])[] = [];
  for (let index = 0; index < ids.length; index += size) result.push(ids.slice(index, index + size));
  return result;
}
