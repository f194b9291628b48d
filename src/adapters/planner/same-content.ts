/** Whether two values say the same, however they came to be. */

/**
 * For plain values: primitives, arrays, records, Maps and Sets of such, without cycles. Maps and Sets are the same when
 * their order is, too. Quick where parts are one object.
 */
export function sameContent(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (!isObject(left) || !isObject(right)) return false;
  if (isRecord(left)) return isRecord(right) && sameFields(left, right);
  return isLike(left, right) && inStep(left as Iterable<unknown>, right as Iterable<unknown>);
}

/** Whether both are arrays, Maps or Sets of as many elements. */
function isLike(left: object, right: object): boolean {
  if (Array.isArray(left)) return Array.isArray(right) && left.length === right.length;
  if (left instanceof Map) return right instanceof Map && left.size === right.size;
  return left instanceof Set && right instanceof Set && left.size === right.size;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isRecord(value: object): value is Fields {
  return !Array.isArray(value) && !(value instanceof Map) && !(value instanceof Set);
}

/** Of equally many elements. */
function inStep(left: Iterable<unknown>, right: Iterable<unknown>): boolean {
  const others = right[Symbol.iterator]();
  for (const element of left) if (!sameContent(element, others.next().value)) return false;
  return true;
}

function sameFields(left: Fields, right: Fields): boolean {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  for (const name of names) {
    const value = left[name];
    if (value === undefined && !Object.hasOwn(right, name)) return false;
    if (!sameContent(value, right[name])) return false;
  }
  return true;
}
