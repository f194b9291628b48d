/** Asks an express application without a socket, so that virtual time need not wait for one. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Express } from 'express';

export interface InjectedAnswer {
  readonly status: number;
  readonly text: string;
}

/** POSTs JSON and resolves with the whole answer. */
export function inject(app: Express, path: string, body: unknown): Promise<InjectedAnswer> {
  const text = JSON.stringify(body);
  // Never connected: it is there because a request has one.
  const request = new IncomingMessage(new Socket());
  request.method = 'POST';
  request.url = path;
  request.headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  request.push(text);
  request.push(null);
  request.complete = true;
  const response = new ServerResponse(request);
  return new Promise((resolve) => {
    const parts: string[] = [];
    const collect = (part: unknown): void => {
      if (typeof part === 'string' || Buffer.isBuffer(part)) parts.push(part.toString());
    };
    response.write = (part: unknown) => {
      collect(part);
      return true;
    };
    response.end = (part?: unknown) => {
      collect(part);
      resolve({ status: response.statusCode, text: parts.join('') });
      response.emit('finish');
      response.emit('close');
      return response;
    };
    app(request, response);
  });
}
