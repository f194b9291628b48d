/** One request over TLS, with the certificate of the server verified and one of the client presented. */
import { request } from 'node:https';
import type { TlsTarget } from '../doctor-check.js';

/** The HTTP status of the answer. @throws Error saying why there is no connection or which certificate is not accepted. */
export function connectTls(target: TlsTarget, signal: AbortSignal): Promise<number> {
  const { host, port, serverName, ca, certificate: cert, key, path } = target;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const outgoing = request({
      ...{ host, port, path, ca, cert, key, headers, signal },
      method: 'POST',
      agent: false,
      servername: serverName,
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.end('{}');
  });
}
