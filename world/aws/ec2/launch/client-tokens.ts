/** Client tokens: the same request with the same token is answered as the first time, and nothing is done again. */
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';

interface Known {
  readonly fingerprint: string;
  readonly output: XmlStructure;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const MAX_LENGTH = 64;
/** EC2 remembers tokens for at least a day. */
const KEPT_MILLIS = 48 * 3_600_000;
const NOT_COMPARED = ['ClientToken', 'DryRun', 'Action', 'Version'];

export class ClientTokens {
  readonly #known = new Map<string, Known>();
  readonly #requestID: () => string;

  constructor(requestID: () => string) {
    this.#requestID = requestID;
  }

  /**
   * Does it once per token; the answer of a replay is the first one's to the byte, request id and all. A call that fails as
   * a whole leaves its token unused.
   * @throws ServiceError IdempotentParameterMismatch, when the token came with other parameters.
   */
  once(action: string, query: QueryNode, now: number, act: () => XmlStructure): XmlStructure {
    const token = query.text('ClientToken');
    if (token === undefined || token === '') return act();
    if (token.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(token))
      throw new ServiceError('InvalidClientToken', 'Client tokens are at most 64 ASCII characters');
    const key = `${action} ${token}`;
    const fingerprint = query.fingerprint(NOT_COMPARED);
    const known = this.#known.get(key);
    if (known !== undefined && now - known.at < KEPT_MILLIS) {
      if (known.fingerprint === fingerprint) return known.output;
      throw new ServiceError(
        'IdempotentParameterMismatch',
        `The client token ${token} was used before, with other parameters.`,
      );
    }
    const output = { requestId: this.#requestID(), ...act() };
    this.#forget(now);
    this.#known.set(key, { fingerprint, output, at: now });
    return output;
  }

  /** Tokens are kept in the order of time. */
  #forget(now: number): void {
    for (const [key, { at }] of this.#known) {
      if (now - at < KEPT_MILLIS) return;
      this.#known.delete(key);
    }
  }
}
