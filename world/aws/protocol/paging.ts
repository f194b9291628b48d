/** Pages of an answer, with the limits that each action has. */
import type { QueryNode } from './query.js';
import { ServiceError } from '../model/service-error.js';

export interface PageLimits {
  /** MaxResults may be from … to. */
  readonly min: number;
  readonly max: number;
  /** Page size when MaxResults is not given. */
  readonly usual: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** undefined on the last page. */
  readonly nextToken: string | undefined;
}

/** @throws ServiceError InvalidParameterValue, when MaxResults is out of range; InvalidNextToken. */
export function pageOf<T>(query: QueryNode, all: readonly T[], { min, max, usual }: PageLimits): Page<T> {
  const size = query.integer('MaxResults') ?? usual;
  if (size !== usual && (size < min || size > max))
    throw new ServiceError(
      'InvalidParameterValue',
      `Value ( ${String(size)} ) for parameter maxResults is invalid. Expecting a value between ${String(min)} and ${String(max)}.`,
    );
  return slice(all, size, query.text('NextToken'), 'InvalidNextToken');
}

/** A page of so many, from where the token says. @throws ServiceError with this code, when the token is not one of these. */
export function slice<T>(
  all: readonly T[],
  size: number,
  token: string | undefined,
  invalidCode: string,
): Page<T> {
  const start = token === undefined || token === '' ? 0 : startOf(token, invalidCode);
  const end = start + size;
  return { items: all.slice(start, end), nextToken: end < all.length ? tokenFor(end) : undefined };
}

function tokenFor(start: number): string {
  return Buffer.from(`page/${String(start)}`).toString('base64url');
}

function startOf(token: string, invalidCode: string): number {
  const start = /^page\/(\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString())?.[1];
  if (start !== undefined) return Number(start);
  throw new ServiceError(invalidCode, `The token '${token}' is invalid`);
}
