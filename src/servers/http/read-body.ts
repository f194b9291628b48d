/** The bytes of a request, within a size and a time. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../ports/clock.js';

export type BodyOutcome =
  { readonly bytes: Buffer } | { readonly fault: 'too-large' | 'timeout' | 'aborted' };

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMillis: number;
  readonly clock: Clock;
}

/**
 * Calls back once. A body that is too large is read to its end without being kept, as far as the time allows: a client
 * whose connection breaks while it sends would never see the answer.
 */
export function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMillis, clock }: BodyLimits,
  done: (outcome: BodyOutcome) => void,
): void {
  let chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;
  const finish = (outcome: BodyOutcome): void => {
    if (isDone) return;
    isDone = true;
    cancel();
    done(outcome);
  };
  const cancel = clock.timer(timeoutMillis, () => {
    finish({ fault: length > maxBytes ? 'too-large' : 'timeout' });
  });
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) chunks = [];
    else chunks.push(chunk);
  });
  request.on('end', () => {
    finish(length > maxBytes ? { fault: 'too-large' } : { bytes: Buffer.concat(chunks, length) });
  });
  request.on('error', () => {
    finish({ fault: 'aborted' });
  });
  request.on('close', () => {
    finish({ fault: 'aborted' });
  });
}
