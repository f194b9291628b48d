/** A request and its answer as they are on the wire, whether they cross a socket or a function call. */

export interface WireRequest {
  readonly method: string;
  /** Beginning with `/`, with the query. */
  readonly path: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WireAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The whole text, or its pieces as they come (a watch): the reader ends it by aborting the request's signal. */
  readonly body: string | AsyncIterable<string>;
}

/** Never rejects but with the signal's reason, or where a fault plan breaks the connection. */
export type WireHandler = (request: WireRequest, signal: AbortSignal) => Promise<WireAnswer>;
