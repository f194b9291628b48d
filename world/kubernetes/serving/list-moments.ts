/** Lists that are being read page by page: every page shows the moment of the first. */
import type { Clock } from '../../../src/ports/clock.js';
import { badRequest, expired } from '../objects/api-error.js';
import { isObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';

/** As long as etcd keeps old versions. */
const LIFETIME_MILLIS = 5 * 60_000;
const MOST_MOMENTS = 500;

export interface Page {
  readonly objects: readonly KubeObject[];
  readonly resourceVersion: string;
  readonly continueAt: string | undefined;
  readonly remaining: number;
}

interface Moment {
  readonly objects: readonly KubeObject[];
  readonly resourceVersion: string;
  readonly resource: string;
  readonly endsAt: number;
}

export class ListMoments {
  readonly #clock: Clock;
  readonly #moments = new Map<string, Moment>();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The first page; with limit 0, all. */
  first(resource: string, objects: readonly KubeObject[], resourceVersion: string, limit: number): Page {
    if (limit === 0 || objects.length <= limit)
      return { objects, resourceVersion, continueAt: undefined, remaining: 0 };
    this.#count += 1;
    const key = String(this.#count);
    this.#moments.set(key, {
      objects,
      resourceVersion,
      resource,
      endsAt: this.#clock.monotonic() + LIFETIME_MILLIS,
    });
    if (this.#moments.size > MOST_MOMENTS) this.#forgetOldest();
    return this.#page(key, 0, limit, resource);
  }

  /** @throws ApiError 400, 410 */
  next(resource: string, token: string, limit: number): Page {
    const { key, from } = readToken(token);
    return this.#page(key, from, limit, resource);
  }

  forget(): void {
    this.#moments.clear();
  }

  #page(key: string, from: number, limit: number, resource: string): Page {
    const moment = this.#moments.get(key);
    if (moment === undefined || moment.endsAt <= this.#clock.monotonic()) {
      this.#moments.delete(key);
      throw expired(
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
      );
    }
    if (moment.resource !== resource) throw badRequest('continue key is not valid');
    const end = limit === 0 ? moment.objects.length : from + limit;
    const remaining = Math.max(moment.objects.length - end, 0);
    return {
      objects: moment.objects.slice(from, end),
      resourceVersion: moment.resourceVersion,
      continueAt: remaining === 0 ? undefined : writeToken(key, end),
      remaining,
    };
  }

  #forgetOldest(): void {
    const [oldest] = this.#moments.keys();
    if (oldest !== undefined) this.#moments.delete(oldest);
  }
}

function writeToken(key: string, from: number): string {
  return Buffer.from(JSON.stringify({ key, from })).toString('base64url');
}

function readToken(token: string): { readonly key: string; readonly from: number } {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (isObject(value) && typeof value['key'] === 'string' && typeof value['from'] === 'number')
      return { key: value['key'], from: value['from'] };
  } catch {
    // Told below.
  }
  throw badRequest('continue key is not valid');
}
