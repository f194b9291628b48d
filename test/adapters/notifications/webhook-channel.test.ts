/** Posts to a webhook on loopback. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { webhookChannel } from '../../../src/adapters/notifications/webhook-channel.js';
import { PortError } from '../../../src/ports/port-error.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';

const SECRET = 'B0123/secret';

interface Webhook {
  readonly url: string;
  readonly requests: { readonly method: string; readonly path: string; readonly body: unknown }[];
  answer: { readonly status: number; readonly headers?: Readonly<Record<string, string>> };
  close(): Promise<void>;
}

async function webhook(): Promise<Webhook> {
  const requests: Webhook['requests'] = [];
  const take = ({ method = '', url = '' }: IncomingMessage, body: string): void => {
    requests.push({ method, path: url, body: JSON.parse(body) as unknown });
  };
  const made = { requests, answer: { status: 200 } } as Omit<Webhook, 'url' | 'close'>;
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      take(request, body);
      response.writeHead(made.answer.status, made.answer.headers).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(made, {
    url: `http://127.0.0.1:${String(port)}/${SECRET}`,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) =>
        server.close(() => {
          resolve();
        }),
      );
    },
  });
}

let hook: Webhook;
beforeEach(async () => {
  hook = await webhook();
});
afterEach(() => hook.close());

function post(url: () => string, what = 'hello'): Promise<void> {
  return webhookChannel({ url, clock: systemClock }).post(what, new AbortController().signal);
}

async function refusal(url: () => string): Promise<PortError> {
  const error: unknown = await post(url).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PortError)) throw new Error(`expected a PortError, not ${String(error)}`);
  expect(`${error.message} ${String(error.cause)} ${String(error.stack)}`).not.toContain('secret');
  return error;
}

test('is a POST of JSON with the text, in which the characters of the format are escaped', async () => {
  await post(() => `${hook.url}\n`, 'a < b & c');
  expect(hook.requests).toEqual([{ method: 'POST', path: `/${SECRET}`, body: { text: 'a &lt; b &amp; c' } }]);
});

test('cuts a text that is too long', async () => {
  await post(() => hook.url, 'x'.repeat(5000));
  expect((hook.requests[0]?.body as { readonly text: string }).text).toHaveLength(3000);
});

test.each([
  [500, 'Unavailable', true],
  [404, 'Invalid', false],
  [302, 'Invalid', false],
])('a response of %i is %s', async (status, code, retryable) => {
  hook.answer = { status, headers: { location: 'http://127.0.0.1:1/' } };
  expect(await refusal(() => hook.url)).toMatchObject({ code, retryable });
  expect(hook.requests).toHaveLength(1);
});

test('a webhook that asks to wait is answered with how long', async () => {
  hook.answer = { status: 429, headers: { 'retry-after': '7' } };
  expect(await refusal(() => hook.url)).toMatchObject({ code: 'RateLimited', retryAfterMillis: 7000 });
});

test.each([
  ['nobody listens', () => `http://127.0.0.1:1/${SECRET}`, 'Unavailable'],
  ['the URL is none', () => SECRET, 'Invalid'],
  ['the URL is of another kind', () => `file:///${SECRET}`, 'Invalid'],
  [
    'the file cannot be read',
    () => {
      throw new Error(`ENOENT ${SECRET}`);
    },
    'Invalid',
  ],
])('no error has the address: %s', async (_, url, code) => {
  expect(await refusal(url)).toMatchObject({ code });
});
