/** An API server of one collection on loopback that behaves as it is told: pages, watches, bookmarks, and every fault. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeWatch } from './fake-watch.js';

export interface FakeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly [field: string]: unknown;
}

export interface SeenRequest {
  /** `watch-list`: a watch that begins with what is there. */
  readonly verb: 'list' | 'watch' | 'watch-list' | 'other';
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** What is answered instead of what would be right. */
export type Answer = (response: ServerResponse, request: SeenRequest) => void;

interface Event {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: FakeObject;
}

export class FakeApiServer {
  readonly url: string;
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #objects = new Map<string, FakeObject>();
  readonly #events: Event[] = [];
  readonly #watches = new Set<FakeWatch>();
  readonly #answers: { readonly verb: SeenRequest['verb']; readonly answer: Answer }[] = [];
  /** Moments that pages show, by the continue token's version. */
  readonly #moments = new Map<string, readonly FakeObject[]>();
  #version = 100;
  #compactedAt = 0;
  #uids = 0;
  /** Of the next watches: they break after so many bytes. */
  #cuts: number[] = [];
  /** A watch that is opened is silent, as through a proxy that holds everything back. */
  withholds = false;
  /** Whether it knows of watches that begin with what is there, as from Kubernetes 1.34 on; it refuses them otherwise. */
  hasWatchLists = false;

  static async start(): Promise<FakeApiServer> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FakeApiServer(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.#serve(request, response);
    });
  }

  get version(): string {
    return String(this.#version);
  }

  /** Watches that are open. */
  get watches(): readonly FakeWatch[] {
    return [...this.#watches].filter(({ isOpen }) => isOpen);
  }

  get objects(): readonly FakeObject[] {
    return [...this.#objects.values()];
  }

  count(verb: SeenRequest['verb']): number {
    return this.requests.filter((request) => request.verb === verb).length;
  }

  /** The next request of this kind is answered so. */
  answerNext(verb: SeenRequest['verb'], ...answers: readonly Answer[]): void {
    this.#answers.push(...answers.map((answer) => ({ verb, answer })));
  }

  /** The next watches break after so many bytes each. */
  cutNext(...bytes: readonly number[]): void {
    this.#cuts.push(...bytes);
  }

  /** Creates or changes an object. */
  put(name: string, fields: Readonly<Record<string, unknown>> = {}): FakeObject {
    const known = this.#objects.get(name);
    this.#version += 1;
    const uid = known?.metadata.uid ?? `uid-${String(++this.#uids)}`;
    const object = { ...fields, metadata: { name, namespace: 'ns', uid, resourceVersion: this.version } };
    this.#objects.set(name, object);
    this.#tell({ version: this.#version, type: known === undefined ? 'ADDED' : 'MODIFIED', object });
    return object;
  }

  delete(name: string): void {
    const known = this.#objects.get(name);
    if (known === undefined) throw new Error(`no object ${name}`);
    this.#objects.delete(name);
    this.#version += 1;
    const object = { ...known, metadata: { ...known.metadata, resourceVersion: this.version } };
    this.#tell({ version: this.#version, type: 'DELETED', object });
  }

  /** Events until now, and what continue tokens stand for, are forgotten. */
  compact(): void {
    this.#version += 1;
    this.#compactedAt = this.#version;
    this.#moments.clear();
  }

  bookmark(): void {
    const object = { metadata: { resourceVersion: this.version } };
    for (const watch of this.watches) watch.line({ type: 'BOOKMARK', object });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #tell(event: Event): void {
    this.#events.push(event);
    for (const watch of this.watches) watch.line(event);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', this.url);
    let body = '';
    for await (const chunk of incoming as AsyncIterable<Buffer>) body += chunk.toString();
    const request: SeenRequest = {
      verb: incoming.method === 'GET' ? verbOf(url) : 'other',
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body,
    };
    this.requests.push(request);
    const index = this.#answers.findIndex(({ verb }) => verb === request.verb);
    const [scripted] = index < 0 ? [] : this.#answers.splice(index, 1);
    if (scripted !== undefined) scripted.answer(response, request);
    else if (request.verb === 'list') this.#list(response, request);
    else if (request.verb === 'watch') this.#watch(response, request);
    else if (request.verb === 'watch-list' && this.hasWatchLists) this.#watchList(response);
    else if (request.verb === 'watch-list') NO_WATCH_LISTS(response, request);
    else status(404, { reason: 'NotFound' })(response, request);
  }

  #list(response: ServerResponse, request: SeenRequest): void {
    const limit = Number(request.query.get('limit') ?? '0');
    const [version = this.version, at = '0'] = request.query.get('continue')?.split(':') ?? [];
    if (!request.query.has('continue')) this.#moments.set(version, this.objects);
    const moment = this.#moments.get(version);
    if (moment === undefined) {
      status(410, { reason: 'Expired' })(response, request);
      return;
    }
    const end = limit === 0 ? moment.length : Number(at) + limit;
    const metadata = {
      resourceVersion: version,
      ...(end < moment.length && { continue: `${version}:${String(end)}` }),
    };
    json(200, { kind: 'ThingList', apiVersion: 'v1', metadata, items: moment.slice(Number(at), end) })(
      response,
      request,
    );
  }

  #watch(response: ServerResponse, request: SeenRequest): void {
    const from = Number(request.query.get('resourceVersion') ?? '0');
    const watch = new FakeWatch(response, this.#cuts.shift());
    this.#watches.add(watch);
    if (this.withholds) return;
    if (from < this.#compactedAt) {
      watch.line({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
      watch.end();
      return;
    }
    for (const event of this.#events.filter(({ version }) => version > from)) watch.line(event);
  }

  #watchList(response: ServerResponse): void {
    const watch = new FakeWatch(response, this.#cuts.shift());
    this.#watches.add(watch);
    if (this.withholds) return;
    for (const object of this.objects) watch.line({ type: 'ADDED', object });
    const metadata = { resourceVersion: this.version, annotations: { 'k8s.io/initial-events-end': 'true' } };
    watch.line({ type: 'BOOKMARK', object: { metadata } });
  }
}

function verbOf({ pathname, searchParams }: URL): SeenRequest['verb'] {
  if (pathname !== '/api/v1/things') return 'other';
  if (searchParams.get('watch') !== 'true') return 'list';
  return searchParams.get('sendInitialEvents') === 'true' ? 'watch-list' : 'watch';
}

/** Of an API server without WatchList, by its feature gate or its age. */
const NO_WATCH_LISTS: Answer = (response, request) => {
  status(422, { reason: 'Invalid', message: 'resourceVersionMatch is forbidden for watch' })(
    response,
    request,
  );
};

/** A whole answer in JSON. */
export function json(code: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** A Status. */
export function status(
  code: number,
  fields: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return json(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, ...fields }, headers);
}

/** The connection is reset instead of an answer. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

/** There is never an answer. */
export function hang(): void {
  // Nothing.
}
