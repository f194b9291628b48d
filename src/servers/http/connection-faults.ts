/** What goes wrong on connections before express sees a request: handshakes, headers, time-outs, too many of them. */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AnyServer } from './any-server.js';
import type { HttpLimits } from './limits.js';
import { rawRefusal, type RefusalCause, type Refusals } from './refusals.js';

interface Fault {
  readonly cause: RefusalCause;
  readonly message: string;
}

/** Responds, if the connection allows it, and counts. */
export function guardConnections(
  server: AnyServer,
  refusals: Refusals,
  limits: HttpLimits,
  isTls: boolean,
): void {
  keepUnused(server, limits, isTls);
  const secured = new WeakSet<Duplex>();
  server.on('secureConnection', (socket: Duplex) => {
    secured.add(socket);
  });
  server.on('drop', () => {
    refusals.count('connections');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUnused(socket)) return;
    const fault = isTls && !secured.has(socket) ? GONE.handshake : faultOf(error);
    const answer = answerOf(socket);
    // A request that was being read is counted where it is read.
    if (fault.cause !== 'aborted' || answer === undefined) refusals.count(fault.cause, error.code);
    if (fault.message === '' || !socket.writable || answer?.headersSent === true) socket.destroy();
    else socket.end(rawRefusal(fault.cause, fault.message));
  });
}

/**
 * Go's clients open a connection for each request of a burst, use some for several, and keep the others for later. Node counts
 * the time for a request's headers from the connection's start, and would close such a connection a moment before its first
 * request. One that has carried nothing yet is as good as an idle one, and may wait as long.
 */
function keepUnused(server: AnyServer, limits: HttpLimits, isTls: boolean): void {
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    socket.setTimeout(limits.keepAliveMillis);
  });
  server.on('request', ({ socket }) => {
    socket.setTimeout(limits.stalledMillis);
  });
}

/** Whether no byte of a request has come, of a TLS connection after its handshake. */
function isUnused(socket: Duplex): boolean {
  const { bytesRead } = socket as { readonly bytesRead?: number };
  return bytesRead === 0;
}

/** The client is gone. */
const GONE = {
  handshake: { cause: 'handshake', message: '' },
  aborted: { cause: 'aborted', message: '' },
} as const satisfies Record<string, Fault>;

function faultOf({ code = '' }: NodeJS.ErrnoException): Fault {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { cause: 'timeout', message: 'the request was not received in time' };
    case 'HPE_HEADER_OVERFLOW':
      return { cause: 'headers-too-large', message: 'the headers are too large' };
    case 'HPE_INVALID_EOF_STATE':
      return GONE.aborted;
    default:
      return code.startsWith('HPE_')
        ? { cause: 'bad-request', message: 'the request is not HTTP/1.1' }
        : GONE.aborted;
  }
}

/** The answer that is under way, which node keeps at the socket: a second status line would end up inside it. */
function answerOf(socket: Duplex): { readonly headersSent: boolean } | undefined {
  const { _httpMessage: message } = socket as {
    readonly _httpMessage?: { readonly headersSent: boolean } | null;
  };
  return message ?? undefined;
}
