/** What every request for the page passes: only reading, only under our own name, and nothing of others in the page. */
import type { RequestHandler } from 'express';
import type { Refusals } from '../http/refusals.js';

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** Security headers on whatever is answered. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
  next();
};

/** GET and HEAD, else 405. */
export function onlyReading(refusals: Refusals): RequestHandler {
  return ({ method }, response, next) => {
    if (method === 'GET' || method === 'HEAD') {
      next();
      return;
    }
    response.setHeader('Allow', 'GET, HEAD');
    refusals.answer(response, 'method', `${method} is not allowed; the dashboard is read-only`);
  };
}

const LOCAL_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * On loopback, requests must name it: a foreign site whose name resolves to this machine (DNS rebinding) would else read
 * the cluster through its visitor's browser.
 */
export function onlyLocalNames(refusals: Refusals): RequestHandler {
  return ({ headers }, response, next) => {
    const host = headers.host ?? '';
    if (LOCAL_NAME.test(host)) next();
    else
      refusals.answer(
        response,
        'host-name',
        `Host is ${JSON.stringify(host.slice(0, 100))}; it must be localhost or a loopback address`,
      );
  };
}
