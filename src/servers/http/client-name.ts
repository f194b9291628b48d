/** Allows only clients whose certificate has one of some names. */
import type { RequestListener } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Refusals } from './refusals.js';

/** The CA signs several certificates; the common name decides which clients are allowed here. */
export function onlyClients(
  names: readonly string[],
  app: RequestListener,
  refusals: Refusals,
): RequestListener {
  return (request, response) => {
    const name = commonNameOf(request.socket);
    if (name !== undefined && names.includes(name)) app(request, response);
    else {
      const said = name === undefined ? 'has no certificate' : `is ${JSON.stringify(name.slice(0, 100))}`;
      refusals.answer(response, 'client-name', `the client ${said}; it must be ${names.join(' or ')}`);
    }
  };
}

function commonNameOf(socket: unknown): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  const name = (subject as { readonly CN?: unknown } | undefined)?.CN;
  return typeof name === 'string' ? name : undefined;
}
