/** A server of either kind: plain, or over TLS. */
import type { Server as PlainServer } from 'node:http';
import type { Server as TlsServer } from 'node:https';

export type AnyServer = PlainServer | TlsServer;
