/** Calls admission webhooks over TLS, as the API server does: with the configuration's CA, and the service's name in the certificate. */
import { request } from 'node:https';
import type { Clock } from '../../../src/ports/clock.js';
import { withDeadline } from '../../../src/runtime/time/deadline.js';
import type { HoldTime } from '../../../src/runtime/time/holds.js';
import type { CallWebhook, WebhookCall } from './webhook-call.js';

/** Where a Service is reached, now that there is no cluster network. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

export interface HttpsWebhooksOptions {
  /** By which a webhook is late. */
  readonly clock: Clock;
  /** Has that clock wait for the answer. */
  readonly holdTime: HoldTime;
  /** undefined: nothing listens there. */
  readonly resolve: (service: {
    readonly namespace: string;
    readonly name: string;
    readonly port: number;
  }) => ServiceAddress | undefined;
}

const MOST_BYTES = 16 * 2 ** 20;

/** A quarter of the time that a webhook has; the rest is for one that does not answer at all. */
const ALLOWED_SHARE = 0.25;

export function httpsWebhooks({ resolve, clock, holdTime }: HttpsWebhooksOptions): CallWebhook {
  return (call) => {
    const { timeoutMillis: millis } = call;
    const answer = withDeadline({ clock, millis, operation: 'call the webhook' }, async (signal) => {
      const { url, serverName } = targetOf(call.client, resolve);
      return post(url, serverName, call, signal);
    });
    return holdTime({ what: "Berth's webhooks", allowanceMillis: millis * ALLOWED_SHARE }, answer);
  };
}

function targetOf(
  { url, service }: WebhookCall['client'],
  resolve: HttpsWebhooksOptions['resolve'],
): { readonly url: URL; readonly serverName: string } {
  if (service === undefined) {
    const target = new URL(url ?? '');
    return { url: target, serverName: target.hostname };
  }
  const { namespace, name, path } = service;
  const address = resolve(service);
  if (address === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
  const host = `${address.host}:${String(address.port)}`;
  return { url: new URL(`https://${host}${path}`), serverName: `${name}.${namespace}.svc` };
}

function post(
  url: URL,
  serverName: string,
  { client, timeoutMillis, review }: WebhookCall,
  signal: AbortSignal,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const body = JSON.stringify(review);
    const outgoing = request(
      {
        host: url.hostname,
        port: url.port === '' ? 443 : url.port,
        path: `${url.pathname}?timeout=${String(timeoutMillis / 1000)}s`,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        signal,
        agent: false,
        // A name, never an address: SNI knows no addresses.
        ...(!/^[\d.:[\]]+$/.test(serverName) && { servername: serverName }),
        ...(client.caBundle !== undefined && { ca: Buffer.from(client.caBundle, 'base64').toString() }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let length = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          length += chunk.length;
          if (length > MOST_BYTES) outgoing.destroy(new Error('the answer is too large'));
        });
        response.on('error', reject);
        response.on('end', () => {
          try {
            resolve(readAnswer(response.statusCode ?? 0, Buffer.concat(chunks).toString()));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function readAnswer(status: number, body: string): unknown {
  if (status !== 200) throw new Error(`the server answered with ${String(status)}`);
  return JSON.parse(body);
}
