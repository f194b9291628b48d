/** Values of the Cloud port as JSON: maps and sets survive, and equal values give equal texts whatever the order of their keys. */

const MAP = '$map';
const SET = '$set';

/** JSON with the keys of objects and maps sorted; what is undefined is left out. */
export function encodeWire(value: unknown): string {
  return JSON.stringify(plain(value));
}

/** @throws SyntaxError when the text is not JSON. */
export function decodeWire(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => revive(value)) as unknown;
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return { [MAP]: sorted([...(value as ReadonlyMap<string, unknown>)]) };
  if (value instanceof Set) return { [SET]: [...(value as ReadonlySet<unknown>)].map(plain) };
  if (typeof value === 'object' && value !== null) return Object.fromEntries(sorted(Object.entries(value)));
  return value;
}

function sorted(entries: readonly [string, unknown][]): [string, unknown][] {
  return entries
    .map(([key, value]): [string, unknown] => [key, plain(value)])
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

function revive(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [only, ...others] = Object.entries(value as Record<string, unknown>);
  if (only === undefined || others.length > 0 || !Array.isArray(only[1])) return value;
  if (only[0] === MAP) return new Map(only[1] as [string, unknown][]);
  return only[0] === SET ? new Set(only[1]) : value;
}
