/** Asks an extender as kube-scheduler does, and takes its answers as the very texts that they are. */
import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import type { CertificateFiles } from './scheduler.js';

const TIMEOUT_MILLIS = 30_000;

export type ExtenderVerb = 'filter' | 'prioritize' | 'preempt';

export class ExtenderClient {
  readonly #url: string;
  readonly #agent: PlainAgent | SecureAgent;

  /** `files` where the extender is served over TLS and wants to know who asks. */
  constructor(url: string, files?: CertificateFiles) {
    this.#url = url;
    this.#agent =
      files === undefined
        ? new PlainAgent({ keepAlive: true })
        : new SecureAgent({
            keepAlive: true,
            ca: files['ca.crt'],
            cert: files['scheduler.crt'],
            key: files['scheduler.key'],
          });
  }

  /** Status and body. */
  ask(verb: ExtenderVerb, question: unknown): Promise<string> {
    const send = this.#agent instanceof SecureAgent ? secureRequest : plainRequest;
    return new Promise((resolve, reject) => {
      const call = send(`${this.#url}/scheduler/${verb}`, {
        method: 'POST',
        agent: this.#agent,
        timeout: TIMEOUT_MILLIS,
        headers: { 'content-type': 'application/json' },
      });
      call.on('response', (answer) => {
        text(answer).then((body) => {
          resolve(`${String(answer.statusCode)} ${body}`);
        }, reject);
      });
      call.on('timeout', () => call.destroy(new Error(`no answer to ${verb} from ${this.#url}`)));
      call.on('error', reject);
      call.end(JSON.stringify(question));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
