/** The plainest of HTTP clients: one connection that is kept, bodies as they are. */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export function poster(): {
  readonly post: (url: string, body: Buffer) => Promise<Answer>;
  readonly close: () => void;
} {
  const agent = new Agent({ keepAlive: true });
  const post = (url: string, body: Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
      const sent = request(url, { agent, method: 'POST', headers }, (response) => {
        text(response).then((answer) => {
          resolve({ status: response.statusCode ?? 0, body: answer });
        }, reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    post,
    close: () => {
      agent.destroy();
    },
  };
}
