/** A simulated API server on a clock that stands still, asked in process as over the wire. */
import { ApiError } from '../../../world/kubernetes/objects/api-error.js';
import { SimulatedApi, type SimulatedApiOptions } from '../../../world/kubernetes/simulated-api.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { seededRandom } from '../../../world/seeded-random.js';

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

export class Simulated {
  readonly clock = new VirtualClock();
  readonly api: SimulatedApi;

  constructor(options: Partial<SimulatedApiOptions> = {}) {
    this.api = new SimulatedApi({ clock: this.clock, random: seededRandom(), ...options });
  }

  /** One whole answer. */
  async ask(method: string, path: string, asked: Asked = {}): Promise<Answered> {
    const { body, contentType = 'application/json', accept = 'application/json' } = asked;
    const answer = await this.api.handle(
      {
        method,
        path,
        headers: { accept, 'content-type': contentType },
        body: body === undefined ? '' : JSON.stringify(body),
      },
      new AbortController().signal,
    );
    if (typeof answer.body !== 'string') throw new Error('the answer is a stream');
    const isJson = answer.headers['content-type']?.startsWith('application/json') === true;
    const parsed: unknown = isJson ? JSON.parse(answer.body) : { text: answer.body };
    return { status: answer.status, headers: answer.headers, body: parsed as Answered['body'] };
  }

  /** The lines of a watch, as they come; abort to end it. */
  async watch(path: string): Promise<{ readonly lines: WatchLine[]; readonly stop: () => Promise<void> }> {
    const abort = new AbortController();
    const answer = await this.api.handle(
      { method: 'GET', path, headers: { accept: 'application/json' }, body: '' },
      abort.signal,
    );
    if (typeof answer.body === 'string') throw new Error(`no watch: ${answer.body}`);
    const lines: WatchLine[] = [];
    const stream = answer.body;
    const reading = (async () => {
      for await (const text of stream)
        for (const line of text.split('\n').filter((each) => each !== ''))
          lines.push(JSON.parse(line) as WatchLine);
    })();
    const stop = async (): Promise<void> => {
      abort.abort();
      await reading;
    };
    await this.clock.settle();
    return { lines, stop };
  }
}

export interface WatchLine {
  readonly type: string;
  readonly object: {
    readonly metadata: {
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly [field: string]: unknown;
  };
}

/** What was refused. */
export async function refusal(work: Promise<unknown>): Promise<ApiError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** A pod's manifest. */
export function pod(
  name: string,
  more: { readonly spec?: object; readonly metadata?: object; readonly [field: string]: unknown } = {},
): {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly [field: string]: unknown;
} {
  const { spec, metadata, ...rest } = more;
  return {
    ...rest,
    metadata: { name, namespace: 'default', ...metadata },
    spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec },
  };
}

/** A Deployment's manifest. */
export function deployment(
  name: string,
  spec: object = {},
): { readonly metadata: object; readonly spec: object } {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } };
  return {
    metadata: { name, namespace: 'default', labels },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}
