/** Allows only clients whose certificate has one of some names. */
import type { RequestListener } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Refusals } from './refusals.js';

/**
 * The CA signs several certificates; the common name decides which clients are allowed here. A certificate is read once
 * for each connection: node hashes it and copies all of it each time, which takes longer than a small answer.
 */
export function onlyClients(
  names: readonly string[],
  app: RequestListener,
  refusals: Refusals,
): RequestListener {
  const known = new WeakMap<object, string | undefined>();
  const nameOf = (socket: object): string | undefined => {
    if (!known.has(socket)) known.set(socket, commonNameOf(socket));
    return known.get(socket);
  };
  return (request, response) => {
    const name = nameOf(request.socket);
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
