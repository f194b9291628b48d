/** A service of which Berth makes one or two calls: its requests are written here, and signed and sent by the means of an SDK client. */
import { PortError } from '../../../../ports/port-error.js';
import type { SendOptions } from './aws-clients.js';

/** What is used of the configuration of an SDK client. */
export interface SigningMeans {
  readonly signer: () => Promise<{
    sign(
      request: PlainRequest,
      options: { readonly signingService: string; readonly signingRegion: string },
    ): Promise<unknown>;
  }>;
  readonly requestHandler: {
    handle(
      request: never,
      options: { readonly abortSignal: AbortSignal },
    ): Promise<{ readonly response: PlainResponse }>;
  };
}

/** As the SDK's signer and its HTTP handler take it. */
interface PlainRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: Record<string, string>;
  readonly body?: unknown;
}

interface PlainResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface SignedServiceOptions {
  /** As its host and its signatures name it. */
  readonly service: string;
  readonly region: string;
  /** undefined: AWS' own. */
  readonly endpoint: string | undefined;
  readonly means: SigningMeans;
}

/** One call: a body with the headers that say what it is, or a path that is read. */
export type SignedCall =
  | {
      readonly contentType: string;
      /** `AWSEvents.DescribeRule`, where the protocol names operations so. */
      readonly target?: string;
      readonly body: string;
    }
  | {
      /** As it is sent: what comes from outside is encoded in it. */
      readonly path: string;
    };

/** No answer to what is asked here comes near it. */
const MOST_BYTES = 1_000_000;

export class SignedService {
  readonly #options: SignedServiceOptions;

  constructor(options: SignedServiceOptions) {
    this.#options = options;
  }

  /** The body of the answer. @throws an Error with the fields of the SDK's errors (`name`, `$fault`, `$metadata`). */
  async send(call: SignedCall, { abortSignal }: SendOptions): Promise<string> {
    const { service, region, means } = this.#options;
    const signer = await means.signer();
    const signed = await signer.sign(this.#request(call), { signingService: service, signingRegion: region });
    const { response } = await means.requestHandler.handle(signed as never, { abortSignal });
    const text = await bodyText(response.body);
    if (response.statusCode >= 300) throw refusalOf(response, text);
    return text;
  }

  #request(call: SignedCall): PlainRequest {
    const { service, region, endpoint } = this.#options;
    const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    const { protocol, hostname, host, port } = new URL(endpoint ?? `https://${service}.${region}.${suffix}`);
    const common = { protocol, hostname, query: {}, ...(port !== '' && { port: Number(port) }) };
    if ('path' in call) return { ...common, method: 'GET', path: call.path, headers: { host } };
    const { contentType, target, body } = call;
    return {
      ...{ ...common, method: 'POST', path: '/', body },
      headers: { host, 'content-type': contentType, ...(target !== undefined && { 'x-amz-target': target }) },
    };
  }
}

/** The JSON object that an answer is. @throws PortError Unavailable, when it is something else. */
export function objectIn(text: string, operation: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below, as what is JSON but no object.
  }
  throw new PortError('Unavailable', { operation, message: 'the answer is not a JSON object' });
}

async function bodyText(body: unknown): Promise<string> {
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > MOST_BYTES) throw new Error(`the response is longer than ${String(MOST_BYTES)} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/**
 * JSON services have the code in `__type`, behind a namespace, those with the REST protocol in a header, before a URL, and query
 * services in an XML element.
 */
function refusalOf({ statusCode, headers }: PlainResponse, text: string): Error {
  const code = /"__type"\s*:\s*"(?:[^"]*#)?([^"]+)"|<Code>([^<]*)<\/Code>/.exec(text);
  const message = /"[Mm]essage"\s*:\s*("(?:[^"\\]|\\.)*")|<Message>([^<]*)<\/Message>/.exec(text);
  const name = code?.[1] ?? code?.[2] ?? headers['x-amzn-errortype']?.split(':')[0];
  const said = message?.[1] === undefined ? (message?.[2] ?? '') : (JSON.parse(message[1]) as string);
  return Object.assign(new Error(said), {
    ...(name !== undefined && { name, $fault: statusCode < 500 ? 'client' : 'server' }),
    $metadata: { httpStatusCode: statusCode, requestId: headers['x-amzn-requestid'] },
  });
}
