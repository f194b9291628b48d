/**
 * Decides when one CA takes over from another. Clients that verify certificates must know the new CA before anything is
 * signed by it, and the old one for as long as anything is about that it signed.
 */
import { DAY_MILLIS, type Validity } from './certificate-profile.js';
import { renewalTime } from './renewal.js';

/** The longest time from one step to the next: the time to copy the bundle by hand. */
const STEP_DAYS = 30;

/** What is to be done about the CA. */
export type AuthorityStep =
  | 'keep'
  /** Create its successor, and let clients trust it. */
  | 'stage'
  /** The successor signs from now on; the old one is still trusted. */
  | 'switch'
  /** It has expired, and there is no successor: a new one takes over at once. */
  | 'replace';

export interface AuthorityState {
  /** The CA that signs. */
  readonly active: Validity;
  /** Its successor, once there is one. */
  readonly next: Validity | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Whether all clients are known to have the stored CAs. */
  readonly isPublished: boolean;
}

export function authorityStep({ active, next, now, isPublished }: AuthorityState): AuthorityStep {
  if (now > active.notAfter) return next === undefined ? 'replace' : 'switch';
  if (next === undefined) return now >= renewalTime(active) ? 'stage' : 'keep';
  return isPublished && now >= next.notBefore + stepMillis(active) ? 'switch' : 'keep';
}

/** Whether nothing needs the CAs before this one any more: all leaves are its own, and that for long enough. */
export function mayDropPredecessors(
  active: Validity,
  leaves: readonly Pick<Validity, 'notBefore'>[],
  now: number,
): boolean {
  return leaves.every(({ notBefore }) => now >= notBefore + stepMillis(active));
}

/** A short-lived CA has to be faster: a ninth of its life leaves a ninth after both steps. */
function stepMillis({ notBefore, notAfter }: Validity): number {
  return Math.min(STEP_DAYS * DAY_MILLIS, (notAfter - notBefore) / 9);
}
