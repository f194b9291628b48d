/** The page's own files, served as they are, each with its type. */
import type { RequestHandler } from 'express';

/** File name (`index.html`, `page.js`) → text. */
export type PageFiles = Readonly<Record<string, string>>;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** `/` is index.html; what is not among the files is left to others. */
export function pageFiles(files: PageFiles): RequestHandler {
  return (request, response, next) => {
    const name = request.path === '/' ? 'index.html' : request.path.slice(1);
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (text === undefined || type === undefined) {
      next();
      return;
    }
    response.setHeader('Content-Type', type);
    // Not cached: the page must be of the same version as the server.
    response.setHeader('Cache-Control', 'no-cache');
    response.end(text);
  };
}
