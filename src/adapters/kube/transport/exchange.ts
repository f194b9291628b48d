/** One HTTP request and its answer, with nothing of Kubernetes in it. */
import { request as httpRequest, type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { PortError } from '../../../ports/port-error.js';

export interface Outgoing {
  readonly server: URL;
  readonly agent: Agent;
  readonly method: string;
  /** Beginning with `/`, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** The head of an answer, and its body as it comes. */
export type HttpAnswer = Readable & Pick<IncomingMessage, 'statusCode' | 'headers'>;

/** How requests reach a server: over a socket, or by a call where it is in this process. */
export type Send = (outgoing: Outgoing, signal: AbortSignal) => Promise<HttpAnswer>;

/**
 * Sends it and answers as soon as the head of the answer is there. An aborted signal ends it at any time, also while the
 * body is read; reading fails then with the signal's reason.
 */
export function send(outgoing: Outgoing, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(reasonOf(signal));
      return;
    }
    const request = begin(outgoing);
    let response: IncomingMessage | undefined;
    const abort = (): void => {
      (response ?? request).destroy(reasonOf(signal));
    };
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => {
      signal.removeEventListener('abort', abort);
    });
    request.on('error', reject);
    request.once('response', (answer) => {
      response = answer;
      resolve(answer);
    });
    request.end(outgoing.body);
  });
}

/** @throws PortError Invalid, when there is more of it than `mostBytes`; an Error, when it ends too early. */
export async function readBody(response: HttpAnswer, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      const message = `the answer is larger than ${String(mostBytes)} bytes`;
      throw new PortError('Invalid', { operation: 'read the answer', message });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

function begin({ server, agent, method, path, headers }: Outgoing): ClientRequest {
  const options = { agent, method, path, headers: { ...headers } };
  // A URL as first argument also says which certificate name to expect; the path of the options wins over its path.
  return server.protocol === 'http:' ? httpRequest(server, options) : httpsRequest(server, options);
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
}
