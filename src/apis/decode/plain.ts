/** Reading and changing plain JSON objects whose shape is not checked yet. */

export type Plain = Readonly<Record<string, unknown>>;

/** Looked up once, since it is asked for every field that is read: tens of thousands for one pod. */
const { isArray } = Array;

/** The value when it is an object, else undefined. */
export function plainObject(value: unknown): Plain | undefined {
  return typeof value === 'object' && value !== null && !isArray(value) ? (value as Plain) : undefined;
}

/** The value at a path, or undefined where something on the way is no object. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const step of path) {
    const object = plainObject(current);
    current = object !== undefined && Object.hasOwn(object, step) ? object[step] : undefined;
  }
  return current;
}

/** A copy with the value set at a path; objects on the way are made where there are none. */
export function withValueAt(value: unknown, path: readonly string[], field: unknown): Plain {
  const [step = '', ...rest] = path;
  const object = plainObject(value) ?? {};
  return { ...object, [step]: rest.length === 0 ? field : withValueAt(object[step], rest, field) };
}

/** A copy without the field at a path. */
export function withoutValueAt(value: Plain, path: readonly string[]): Plain {
  const [step = '', ...rest] = path;
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step));
  const child = plainObject(value[step]);
  return child === undefined ? value : { ...value, [step]: withoutValueAt(child, rest) };
}
