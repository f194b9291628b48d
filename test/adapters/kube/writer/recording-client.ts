/** A client that remembers what it was asked, and answers as a test says: an API server without rules. */
import type { KubeRequest } from '../../../../src/adapters/kube/transport/index.js';

export type Answer = (request: KubeRequest) => unknown;

export class RecordingClient {
  readonly requests: KubeRequest[] = [];
  readonly #answers: Answer[];

  /** The answers in turn; after the last one what was sent comes back, as stored. */
  constructor(...answers: readonly Answer[]) {
    this.#answers = [...answers];
  }

  request(request: KubeRequest): Promise<unknown> {
    this.requests.push(request);
    const answer = this.#answers.shift() ?? stored;
    try {
      return Promise.resolve(answer(request));
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** The object that was sent, with what the API server adds. */
export function stored({ body }: Pick<KubeRequest, 'body'>): object {
  const object = body as { readonly metadata?: object };
  return { ...object, metadata: { uid: 'uid-1', resourceVersion: '8', ...object.metadata } };
}

export function answering(object: unknown): Answer {
  return () => object;
}

export function failing(error: Error): Answer {
  return () => {
    throw error;
  };
}
