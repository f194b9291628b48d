/** Express middleware that reads a body, mostly of JSON, from an untrusted caller. Express' own parsers are not in the bundle. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { Clock } from '../../ports/clock.js';
import type { BodySize } from './limits.js';
import { parseJson } from './parse-json.js';
import type { RefusalCause, Refusals } from './refusals.js';

/** Less than the server's time for a whole request, so that it is this answer that is given. */
const DEFAULT_TIMEOUT_MILLIS = 4000;

export interface BodyOptions extends Pick<BodySize, 'maxBytes'> {
  /** Until the last byte has come; 4 s. */
  readonly timeoutMillis?: number | undefined;
  readonly clock: Clock;
  readonly refusals: Refusals;
}

/**
 * Puts the bytes of the body into `request.body`, a Buffer. Bodies that cannot be JSON are answered with what is wrong: 415
 * for anything but `application/json` in UTF-8 without compression, 413 and 408 for size and time.
 */
export function bodyBytes(options: BodyOptions): RequestHandler {
  return bytesUnless(refusedHeaders, options);
}

/** The same for bodies of any type. */
export function anyBodyBytes(options: BodyOptions): RequestHandler {
  return bytesUnless(() => undefined, options);
}

function bytesUnless(refusedBy: typeof refusedHeaders, options: BodyOptions): RequestHandler {
  const { maxBytes, timeoutMillis = DEFAULT_TIMEOUT_MILLIS, clock, refusals } = options;
  return (request, response, next) => {
    const refused = refusedBy(request, maxBytes);
    const limits = { maxBytes: refused === undefined ? maxBytes : 0, timeoutMillis, clock };
    readBody(request, limits, (outcome) => {
      if (refused !== undefined) refusals.answer(response, refused.cause, refused.message);
      else if ('fault' in outcome) refuseFault(outcome, response, options);
      else {
        request.body = outcome.bytes;
        next();
      }
    });
  };
}

/** Puts the parsed body, of type unknown, into `request.body`; 413 for too many values, 400 for what is not JSON. */
export function jsonBody(options: BodyOptions & BodySize): RequestHandler {
  const { maxValues, refusals } = options;
  const read = bodyBytes(options);
  return (request, response, next) => {
    void read(request, response, () => {
      const parsed = parseJson(request.body as Buffer, maxValues);
      if ('cause' in parsed) refusals.answer(response, parsed.cause, parsed.message);
      else {
        request.body = parsed.value;
        next();
      }
    });
  };
}

interface Refused {
  readonly cause: RefusalCause;
  readonly message: string;
}

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** What is wrong before a byte of the body is kept. */
function refusedHeaders({ headers }: IncomingMessage, maxBytes: number): Refused | undefined {
  const type = headers['content-type'];
  if (type === undefined || !JSON_TYPE.test(type)) {
    const said = type === undefined ? 'is missing' : `is ${JSON.stringify(type.slice(0, 100))}`;
    return { cause: 'content-type', message: `Content-Type ${said}; it must be application/json` };
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    const said = JSON.stringify(encoding.slice(0, 100));
    return { cause: 'content-encoding', message: `Content-Encoding is ${said}; it must be left out` };
  }
  const length = Number(headers['content-length'] ?? 0);
  return length > maxBytes ? { cause: 'too-large', message: tooLarge(maxBytes) } : undefined;
}

function refuseFault(
  { fault }: Extract<BodyOutcome, { readonly fault: string }>,
  response: Response,
  { maxBytes, timeoutMillis = DEFAULT_TIMEOUT_MILLIS, refusals }: BodyOptions,
): void {
  switch (fault) {
    case 'aborted':
      refusals.count('aborted');
      response.destroy();
      return;
    case 'too-large':
      refusals.answer(response, 'too-large', tooLarge(maxBytes));
      return;
    case 'timeout':
      refusals.answer(
        response,
        'timeout',
        `the body was not complete after ${String(timeoutMillis)} milliseconds`,
      );
  }
}

function tooLarge(maxBytes: number): string {
  return `the body is larger than ${String(maxBytes)} bytes`;
}

type BodyOutcome = { readonly bytes: Buffer } | { readonly fault: 'too-large' | 'timeout' | 'aborted' };

interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMillis: number;
  readonly clock: Clock;
}

/**
 * Calls back once. A body that is too large is read to its end without being kept, as far as the time allows: a client
 * whose connection breaks while it sends would never see the answer.
 */
function readBody(
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
    finish(length > maxBytes ? { fault: 'too-large' } : { bytes: joined(chunks, length) });
  });
  request.on('error', () => {
    finish({ fault: 'aborted' });
  });
  request.on('close', () => {
    finish({ fault: 'aborted' });
  });
}

/** Most bodies come in one piece, of which there need be no copy: memory of buffers makes V8 collect garbage all the sooner. */
function joined(chunks: readonly Buffer[], length: number): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, length);
}
