/** Reading lists that come page by page. */
import { PortError } from '../../../../ports/port-error.js';

/** Far beyond any list of AWS: with 100 items each, all instance types are 14. */
const MOST_PAGES = 1_000;

export interface Paging<P> {
  /** For the error. */
  readonly operation: string;
  /** Asks for the first page, or for the one behind a token. */
  readonly fetch: (token: string | undefined) => Promise<P>;
  readonly next: (page: P) => string | undefined;
}

/**
 * All pages.
 * @throws PortError Unavailable, when the other side goes round in circles; or whatever `fetch` throws.
 */
export async function allPages<P>({ operation, fetch, next }: Paging<P>): Promise<readonly P[]> {
  const pages: P[] = [];
  const seen = new Set<string>();
  let token: string | undefined;
  do {
    const page = await fetch(token);
    pages.push(page);
    token = next(page);
    if (token === undefined || token === '') return pages;
    if (seen.has(token)) throw endless(operation, 'the same page token came twice');
    seen.add(token);
  } while (pages.length < MOST_PAGES);
  throw endless(operation, `more than ${String(MOST_PAGES)} pages`);
}

function endless(operation: string, message: string): PortError {
  return new PortError('Unavailable', { operation, message });
}
