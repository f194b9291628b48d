/**
 * The express application around a server's routers: unmatched routes return 404; uncaught errors return 500 without
 * detail.
 */
import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from 'express';
import type { Refusals } from './refusals.js';

export interface HttpAppOptions {
  readonly routers: readonly Router[];
  readonly refusals: Refusals;
}

/** Routers in their order, then 404; an error becomes a 500 without its text, which goes to the log. */
export function httpApp({ routers, refusals }: HttpAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  for (const router of routers) app.use(router);
  app.use(notFound(refusals));
  app.use(failed(refusals));
  return app;
}

function notFound(refusals: Refusals): RequestHandler {
  return ({ method, path }, response) => {
    refusals.answer(response, 'not-found', `no route for ${method} ${path.slice(0, 200)}`);
  };
}

function failed(refusals: Refusals): ErrorRequestHandler {
  // Express tells error handlers by their four parameters.
  return (error: unknown, _request, response, next) => {
    if (!response.headersSent) {
      refusals.answer(response, 'internal', 'internal error; see the log of Berth', error);
      return;
    }
    refusals.count('internal', error);
    // Cuts the connection, so that clients do not take a part for the whole.
    next(error);
  };
}
