/** EC2's filters: all must hold, each by one of its values, with wildcards. */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { QueryNode } from '../../protocol/query.js';
import { ServiceError } from '../../model/service-error.js';
import { matchesWildcard } from '../../model/wildcard.js';

/** What a filter looks at, by its name. */
export type FilterFields<T> = Readonly<Record<string, (thing: T) => string | readonly string[] | undefined>>;

export interface Filtering<T> {
  readonly fields: FilterFields<T>;
  /** Where `tag:KEY`, `tag-key` and `tag-value` look; undefined where there are no tags. */
  readonly tags?: ((thing: T) => Labels) | undefined;
}

const MAX_VALUES = 200;

/** @throws ServiceError InvalidParameterValue, when a filter is not known; FilterLimitExceeded over 200 values. */
export function applyFilters<T>(
  query: QueryNode,
  things: readonly T[],
  filtering: Filtering<T>,
): readonly T[] {
  const filters = query.list('Filter').map((filter) => {
    const values = filter.texts('Value');
    if (values.length > MAX_VALUES)
      throw new ServiceError('FilterLimitExceeded', 'The maximum number of filter values is 200');
    return { look: lookFor(filter.required('Name'), filtering), values };
  });
  return things.filter((thing) =>
    filters.every(({ look, values }) => {
      const found = look(thing);
      return values.some((value) => found.some((text) => matchesWildcard(value, text)));
    }),
  );
}

type Look<T> = (thing: T) => readonly string[];

function lookFor<T>(name: string, { fields, tags }: Filtering<T>): Look<T> {
  if (tags !== undefined && name.startsWith('tag:')) {
    const key = name.slice('tag:'.length);
    return (thing) => asList(tags(thing).get(key));
  }
  if (tags !== undefined && name === 'tag-key') return (thing) => [...tags(thing).keys()];
  if (tags !== undefined && name === 'tag-value') return (thing) => [...tags(thing).values()];
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field !== undefined) return (thing) => asList(field(thing));
  throw new ServiceError('InvalidParameterValue', `The filter '${name}' is invalid`);
}

function asList(found: string | readonly string[] | undefined): readonly string[] {
  if (found === undefined) return [];
  return typeof found === 'string' ? [found] : found;
}
