/** How the embedded scheduler asks Berth: over TLS, with the client certificate that Berth made for kube-scheduler. */
import { Agent, request } from 'node:https';
import { withDeadline } from '../../../src/runtime/time/deadline.js';
import type { WorldTime } from '../../clock/world-time.js';
import type { CallExtender } from '../../scheduler/extender.js';

/** httpTimeout of manifests/scheduler, in the world's time. */
const TIMEOUT_MILLIS = 500;
/** How much of it an answer takes, however slow the host is. */
const HOLD = { what: "Berth's extender", allowanceMillis: TIMEOUT_MILLIS / 5 };
/** In the certificate of the Service that a kube-scheduler in a cluster would ask. */
const SERVER_NAME = 'berth-extender.berth-system.svc';

/** PEM texts, as they are in Berth's Secret. */
export interface ExtenderCredentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface ExtenderAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Fails as kube-scheduler's call fails: on a refused connection, a status other than 200, or silence.
 * `credentials` answers undefined while Berth has not made them.
 */
export function callExtender(
  address: ExtenderAddress,
  { clock, holds }: Pick<WorldTime, 'clock' | 'holds'>,
  credentials: () => ExtenderCredentials | undefined,
): CallExtender {
  const agents = new Agents();
  return (verb, args) => {
    const deadline = { clock, millis: TIMEOUT_MILLIS, operation: `extender ${verb}` };
    const answer = withDeadline(deadline, async (signal) => {
      const known = credentials();
      if (known === undefined) throw new Error('Berth has not created a certificate for kube-scheduler yet');
      return post(
        { ...address, agent: agents.agentFor(known), path: `/scheduler/${verb}` },
        JSON.stringify(args),
        signal,
      );
    });
    return holds.during(HOLD, answer);
  };
}

/** One agent as long as the credentials are the same, so that connections are used again. */
class Agents {
  #identity = '';
  #agent: Agent | undefined;

  agentFor({ ca, cert, key }: ExtenderCredentials): Agent {
    if (this.#agent !== undefined && this.#identity === ca + cert) return this.#agent;
    this.#identity = ca + cert;
    this.#agent = new Agent({ keepAlive: true, ca, cert, key, servername: SERVER_NAME });
    return this.#agent;
  }
}

interface Target extends ExtenderAddress {
  readonly agent: Agent;
  readonly path: string;
}

function post(target: Target, body: string, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const call = request({ ...target, method: 'POST', headers, signal }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.once('error', reject);
      answer.once('end', () => {
        try {
          resolve(parsed(answer.statusCode, Buffer.concat(pieces).toString('utf8')));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    call.once('error', reject);
    call.end(body);
  });
}

/** @throws Error */
function parsed(status: number | undefined, text: string): unknown {
  if (status !== 200) throw new Error(`the extender answered ${String(status)}`);
  return JSON.parse(text);
}
