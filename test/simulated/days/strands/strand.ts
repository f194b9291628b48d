/** A strand of a day: one kind of thing that happens in it, again and again. */
import type { Draw } from '../../../fuzz/draw.js';
import type { Stage } from '../plan/stage.js';

/** Something that happens at a moment of the day. */
export interface Happening {
  /** Milliseconds since the day began. */
  readonly at: number;
  readonly act: (stage: Stage) => void | Promise<void>;
}

export interface Strand {
  /** How often an hour, on average. */
  readonly hourly: number;
  /** Draws one. */
  readonly happen: (stage: Stage) => void | Promise<void>;
}

const HOUR_MILLIS = 3_600_000;

/** As often as the strand says, at moments that are drawn; none while `isQuiet`. */
export function happenings(
  strands: readonly Strand[],
  {
    draw,
    millis,
    isQuiet,
  }: { readonly draw: Draw; readonly millis: number; readonly isQuiet: (at: number) => boolean },
): readonly Happening[] {
  const all = strands.flatMap(({ hourly, happen }) => {
    const times: number[] = [];
    // Pauses from a half to three halves of the mean.
    const pause = (): number => (HOUR_MILLIS / hourly) * (0.5 + draw.next());
    for (let at = pause() * draw.next() * 2; at < millis; at += pause()) times.push(Math.round(at));
    return times.filter((at) => !isQuiet(at)).map((at): Happening => ({ at, act: happen }));
  });
  return all.sort((left, right) => left.at - right.at);
}
