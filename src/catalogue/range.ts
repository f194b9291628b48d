/** Ranges of numbers as users write them: `4..16`, `4..`, `..16`, `8`. */

/** Both ends belong to it. */
export interface NumberRange {
  readonly atLeast: number;
  readonly atMost: number;
}

/**
 * Reads a range. `what` names it in the error, for instance `--cpu`.
 * @throws RangeError when the text is none, or its ends are the wrong way round.
 */
export function parseRange(what: string, text: string): NumberRange {
  const match = /^(\d+(?:\.\d+)?)?(\.\.)?(\d+(?:\.\d+)?)?$/.exec(text);
  const [, from, dots, to] = match ?? [];
  if (from === undefined && to === undefined) {
    throw new RangeError(
      `${what} ${JSON.stringify(text)}: expected a number or a range such as 4..16, 4.. or ..16`,
    );
  }
  const atLeast = from === undefined ? 0 : Number(from);
  const atMost = dots === undefined ? atLeast : to === undefined ? Infinity : Number(to);
  if (atLeast > atMost)
    throw new RangeError(`${what} ${JSON.stringify(text)}: the first number is larger than the second`);
  return { atLeast, atMost };
}

export function isWithin(range: NumberRange, value: number): boolean {
  return value >= range.atLeast && value <= range.atMost;
}
