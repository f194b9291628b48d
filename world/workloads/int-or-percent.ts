/** IntOrString values: a count, or a share in percent of another one. */

/** @throws RangeError when the text is neither. */
export function scaled(value: number | string, whole: number, rounding: 'up' | 'down'): number {
  const percent = /^(\d+)%$/.exec(String(value))?.[1];
  if (percent === undefined) {
    const count = Number(value);
    if (!Number.isInteger(count))
      throw new RangeError(`${String(value)}: expected an integer or a percentage`);
    return count;
  }
  const share = (Number(percent) * whole) / 100;
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share);
}
