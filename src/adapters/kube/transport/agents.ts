/** Keeps the sockets to the API server: apart for watches, which hold theirs for minutes, and for what waits for no other. */
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { KubeConnection } from './connection.js';

/** Less than the 90 s after which the API server closes an idle connection: one that is being closed loses requests. */
const IDLE_MILLIS = 45_000;
/** More requests at once than this wait for a socket. */
const MOST_REQUEST_SOCKETS = 64;

export type SocketUse = 'request' | 'urgent' | 'watch';

/** One agent for each use, replaced when trusted CAs or own credentials change (client certificates are rotated). */
export class Agents {
  readonly #agents = new Map<SocketUse, { readonly identity: string; readonly agent: HttpAgent }>();
  /** Those that were replaced end by themselves, as their sockets become idle. */
  readonly #replaced = new Set<HttpAgent>();

  agentFor(use: SocketUse, connection: KubeConnection): HttpAgent {
    const identity = JSON.stringify([connection.server.protocol, connection.tls]);
    const known = this.#agents.get(use);
    if (known?.identity === identity) return known.agent;
    if (known !== undefined) this.#retire(known.agent);
    const agent = createAgent(connection, use === 'request' ? MOST_REQUEST_SOCKETS : Infinity);
    this.#agents.set(use, { identity, agent });
    return agent;
  }

  /** Ends every connection, also those in use. */
  close(): void {
    for (const { agent } of this.#agents.values()) agent.destroy();
    for (const agent of this.#replaced) agent.destroy();
    this.#agents.clear();
    this.#replaced.clear();
  }

  #retire(agent: HttpAgent): void {
    for (const old of this.#replaced) {
      if (Object.keys(old.sockets).length + Object.keys(old.freeSockets).length === 0)
        this.#replaced.delete(old);
    }
    this.#replaced.add(agent);
  }
}

function createAgent({ server, tls }: KubeConnection, maxSockets: number): HttpAgent {
  const options: AgentOptions = { keepAlive: true, timeout: IDLE_MILLIS, maxSockets, maxFreeSockets: 8 };
  if (server.protocol === 'http:') return new HttpAgent(options);
  return new HttpsAgent({
    ...options,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: tls.verify,
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.cert !== undefined && { cert: tls.cert }),
    ...(tls.key !== undefined && { key: tls.key }),
    ...(tls.serverName !== undefined && { servername: tls.serverName }),
  });
}
