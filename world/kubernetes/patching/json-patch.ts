/** JSON Patch, RFC 6902, with RFC 6901's pointers. */
import { badRequest, unprocessable } from '../objects/api-error.js';
import { equalJson, isObject } from '../objects/json.js';

interface Operation {
  readonly op: string;
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly value: unknown;
}

/**
 * Applies the operations in order.
 * @throws ApiError 400 where it is no patch, 422 where a test fails or a place is missing
 */
export function applyJsonPatch(document: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch must be a list of operations');
  return patch.map(readOperation).reduce(applyOperation, document);
}

function readOperation(raw: unknown): Operation {
  if (!isObject(raw) || typeof raw['op'] !== 'string' || typeof raw['path'] !== 'string')
    throw badRequest('an operation of a JSON patch needs op and path');
  const { op, path, from, value } = raw;
  return { op, path: pointer(path), from: pointer(typeof from === 'string' ? from : ''), value };
}

function pointer(text: string): readonly string[] {
  return text
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function applyOperation(document: unknown, { op, path, from, value }: Operation): unknown {
  switch (op) {
    case 'add':
      return put(document, path, value, 'add');
    case 'replace':
      return put(document, path, value, 'replace');
    case 'remove':
      return take(document, path);
    case 'move':
      return put(take(document, from), path, read(document, from), 'add');
    case 'copy':
      return put(document, path, read(document, from), 'add');
    case 'test':
      // As evanphx/json-patch does, which the API server uses: null is equal to nothing.
      if (!equalJson(readOrNull(document, path) ?? null, value ?? null)) throw unprocessable();
      return document;
    default:
      throw badRequest(`unexpected kind of JSON patch operation: ${op}`);
  }
}

function readOrNull(document: unknown, path: readonly string[]): unknown {
  const last = path.at(-1);
  const parent = path.length === 0 ? document : read(document, path.slice(0, -1));
  if (last === undefined) return document;
  if (Array.isArray(parent)) return read(document, path);
  return isObject(parent) && Object.hasOwn(parent, last) ? parent[last] : null;
}

function read(document: unknown, path: readonly string[]): unknown {
  return path.reduce((at, part) => {
    if (Array.isArray(at)) return at[indexIn(at, part, at.length - 1)] as unknown;
    if (isObject(at) && Object.hasOwn(at, part)) return at[part];
    throw unprocessable();
  }, document);
}

function put(document: unknown, path: readonly string[], value: unknown, mode: 'add' | 'replace'): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  if (Array.isArray(document)) return putIntoList(document, [part, ...rest], value, mode);
  if (!isObject(document)) throw unprocessable();
  if ((rest.length > 0 || mode === 'replace') && !Object.hasOwn(document, part)) throw unprocessable();
  return { ...document, [part]: put(document[part], rest, value, mode) };
}

function putIntoList(
  list: readonly unknown[],
  [part, ...rest]: readonly [string, ...string[]],
  value: unknown,
  mode: 'add' | 'replace',
): readonly unknown[] {
  if (rest.length > 0 || mode === 'replace') {
    const index = indexIn(list, part, list.length - 1);
    return list.with(index, put(list[index], rest, value, mode));
  }
  return list.toSpliced(part === '-' ? list.length : indexIn(list, part, list.length), 0, value);
}

function take(document: unknown, path: readonly string[]): unknown {
  const [part, ...rest] = path;
  if (part === undefined) throw unprocessable();
  if (Array.isArray(document)) {
    const index = indexIn(document, part, document.length - 1);
    return rest.length === 0
      ? document.toSpliced(index, 1)
      : document.with(index, take(document[index], rest));
  }
  if (!isObject(document) || !Object.hasOwn(document, part)) throw unprocessable();
  if (rest.length > 0) return { ...document, [part]: take(document[part], rest) };
  return Object.fromEntries(Object.entries(document).filter(([key]) => key !== part));
}

function indexIn(list: readonly unknown[], part: string, most: number): number {
  const index = /^(0|[1-9]\d*)$/.test(part) ? Number(part) : -1;
  if (index < 0 || index > most || index > list.length) throw unprocessable();
  return index;
}
