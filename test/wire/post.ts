/** The plainest of HTTP clients: one connection that is kept, bodies as they are. */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * The server closed a kept connection at the moment that a request was sent on it, as it may after an idle time: a host that
 * stood still makes it idle (Node.js documentation, `request.reusedSocket`).
 */
class ClosedMeanwhile extends Error {}

export function poster(): {
  readonly post: (url: string, body: Buffer) => Promise<Answer>;
  readonly close: () => void;
} {
  const agent = new Agent({ keepAlive: true });
  const once = (url: string, body: Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
      const sent = request(url, { agent, method: 'POST', headers }, (response) => {
        text(response).then((answer) => {
          resolve({ status: response.statusCode ?? 0, body: answer });
        }, reject);
      });
      sent.on('error', (error) => {
        reject(sent.reusedSocket ? new ClosedMeanwhile(error.message) : error);
      });
      sent.end(body);
    });
  const post = (url: string, body: Buffer): Promise<Answer> =>
    once(url, body).catch((error: unknown) => {
      if (!(error instanceof ClosedMeanwhile)) throw error;
      return once(url, body);
    });
  return {
    post,
    close: () => {
      agent.destroy();
    },
  };
}
