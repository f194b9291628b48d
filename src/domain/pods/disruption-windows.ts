/** When pods may be moved to save cost or to renew their nodes: an annotation of the pod, else of its namespace. */
import { isAnyOpen, nextOpening, type BudgetWindow } from '../policies/budget.js';
import { goDurationMillis } from '../values/go-duration.js';
import { parseSchedule } from '../values/schedule.js';
import { isMovable } from './movable-pods.js';
import type { Pod } from './pod.js';

/**
 * A JSON list of windows as those of `berth.windows`, without reasons: `[{"schedule": "0 22 * * *", "duration": "8h", "timeZone":
 * "Europe/Paris"}]`. Outside of all of them no node of the pod is disrupted of free will.
 */
export const DISRUPTION_WINDOWS_ANNOTATION = 'berth.sh/disruption-windows';

/** Why a pod stays where it is for now. */
export interface WindowsClosed {
  /** When the next window opens, in milliseconds since 1970; undefined: none does. */
  readonly opens: number | undefined;
  /** Why the annotation cannot be read, and the pod stays; undefined where it can. */
  readonly problem: string | undefined;
}

const MOST_WINDOWS = 50;
const FIELDS: readonly string[] = ['schedule', 'duration', 'timeZone'];
const EXPECTED = 'expected a JSON list of {"schedule", "duration", "timeZone"}';
/** Pods of a workload have one text: it is read once. */
const MOST_REMEMBERED = 1000;
const remembered = new Map<string, readonly BudgetWindow[] | { readonly problem: string }>();

/** The windows of pods at one moment: those of one text are asked once, for that takes long. */
export class PodWindows {
  readonly #now: number;
  readonly #known = new Map<string, WindowsClosed | undefined>();

  /** @param now milliseconds since 1970. */
  constructor(now: number) {
    this.#now = now;
  }

  /**
   * Why the pod is not to be moved; `ofNamespace` is its namespace's annotation. A pod that does not move, or goes already, asks for
   * no window.
   */
  closed(pod: Pod, ofNamespace: string | undefined): WindowsClosed | undefined {
    const annotation = pod.annotations.get(DISRUPTION_WINDOWS_ANNOTATION) ?? ofNamespace;
    if (annotation === undefined || pod.terminating || !isMovable(pod)) return undefined;
    if (!this.#known.has(annotation)) this.#known.set(annotation, windowsClosed(annotation, this.#now));
    return this.#known.get(annotation);
  }
}

/** Why a pod with this annotation is not to be moved at `now` (milliseconds since 1970); undefined when it may be. */
export function windowsClosed(annotation: string | undefined, now: number): WindowsClosed | undefined {
  if (annotation === undefined) return undefined;
  const windows = windowsOf(annotation);
  if ('problem' in windows) return { opens: undefined, problem: windows.problem };
  if (isAnyOpen(windows, now)) return undefined;
  return { opens: nextOpening(windows, now), problem: undefined };
}

function windowsOf(text: string): readonly BudgetWindow[] | { readonly problem: string } {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const windows = readWindows(text);
  remembered.set(text, windows);
  return windows;
}

function readWindows(text: string): readonly BudgetWindow[] | { readonly problem: string } {
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list) || list.length > MOST_WINDOWS)
      throw new RangeError(`${EXPECTED}, at most ${String(MOST_WINDOWS)}`);
    return list.map((item: unknown, index) => readWindow(item, index));
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws RangeError saying what is wrong. */
function readWindow(item: unknown, index: number): BudgetWindow {
  const given = (typeof item === 'object' && item !== null ? item : {}) as Readonly<Record<string, unknown>>;
  const { schedule, duration, timeZone = 'UTC' } = given;
  const unknown = Object.keys(given).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined)
    throw new RangeError(`window ${String(index)}: unknown field ${unknown}; ${EXPECTED}`);
  if (typeof schedule !== 'string' || typeof duration !== 'string' || typeof timeZone !== 'string')
    throw new RangeError(`window ${String(index)}: ${EXPECTED}`);
  const millis = goDurationMillis(duration) ?? 0;
  if (millis < 60_000)
    throw new RangeError(
      `window ${String(index)}: duration ${JSON.stringify(duration)} is not 1m or more, such as 8h`,
    );
  return { schedule: parseSchedule(schedule, timeZone), durationSeconds: millis / 1000 };
}
