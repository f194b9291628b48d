/** Lists and maps compared by what is in them. */

export function isSameList<T>(
  one: ArrayLike<T>,
  other: ArrayLike<T>,
  isSameItem: (left: T, right: T) => boolean = Object.is,
): boolean {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++)
    if (!isSameItem(one[index] as T, other[index] as T)) return false;
  return true;
}

/** In whatever order; values are known by identity. */
export function isSameMap<K, T>(one: ReadonlyMap<K, T>, other: ReadonlyMap<K, T>): boolean {
  if (one === other) return true;
  if (one.size !== other.size) return false;
  for (const [key, value] of one) if (!other.has(key) || other.get(key) !== value) return false;
  return true;
}
