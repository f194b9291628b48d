/** Pausing Berth: an annotation on its namespace, under which no instance is launched and none is ended. */
import type { Labels } from '../values/labels.js';

/** On Berth's namespace. Its value is JSON as `formatPause` writes it, or any text: the reason. `false` is no pause. */
export const PAUSED_ANNOTATION = 'berth.sh/paused';
/** Longer texts are cut: they are repeated in events. */
const MOST_CHARACTERS = 200;

export interface Pause {
  /** '' where none was given. */
  readonly reason: string;
  /** Who paused it, as the API server or the shell knows them; '' where that is not known. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly since: number | undefined;
}

/** Whatever the annotation holds it is a pause: what cannot be read as JSON is the reason. */
export function readPause(annotations: Labels | undefined): Pause | undefined {
  const text = annotations?.get(PAUSED_ANNOTATION)?.trim();
  if (text === undefined || text === 'false') return undefined;
  const known = objectIn(text);
  if (known === undefined) return { reason: cut(text), by: '', since: undefined };
  const { reason, by, at } = known;
  const since = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return { reason: textOf(reason), by: textOf(by), since: Number.isNaN(since) ? undefined : since };
}

/** The annotation's value. */
export function formatPause({ reason, by, since }: Pause): string {
  const at = since === undefined ? undefined : new Date(since).toISOString();
  return JSON.stringify({ reason, by, at });
}

/** `Berth is paused by ana since 2026-01-01T00:00:00.000Z: incident 42`. */
export function describePause({ reason, by, since }: Pause): string {
  const who = by === '' ? '' : ` by ${by}`;
  const when = since === undefined ? '' : ` since ${new Date(since).toISOString()}`;
  return `Berth is paused${who}${when}${reason === '' ? '' : `: ${reason}`}`;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? cut(value) : '';
}

function cut(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}
