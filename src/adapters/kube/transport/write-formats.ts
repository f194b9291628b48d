/** How a change is written: the content types of PATCH, and what goes with them. */
import { PortError } from '../../../ports/port-error.js';

/** RFC 6902. */
export const JSON_PATCH = 'application/json-patch+json';
/** RFC 7386: lists are replaced whole. */
export const MERGE_PATCH = 'application/merge-patch+json';

/** Who owns the fields that Berth writes. */
export const FIELD_MANAGER = 'berth';

/**
 * A name as a part of a path.
 * @throws PortError Invalid, when the path would name something else: a whole collection, for an empty name.
 */
export function pathSegment(name: string): string {
  if (name === '' || name === '.' || name === '..')
    throw new PortError('Invalid', {
      operation: 'name an object',
      message: `${JSON.stringify(name)} is not a valid name`,
    });
  return encodeURIComponent(name);
}
