/**
 * Reboots of a claim's instance, in place of its replacement: what its status keeps of each, so that the next leader continues a
 * reboot from where it was, and no node is rebooted again and again. Numbers and names are Karpenter's.
 */
import type { Taint } from '../values/taint.js';
import type { NodeClaim } from './node-claim.js';

/** Keeps new pods off a node from the decision to reboot it until it is Ready again. */
export const REBOOTING_TAINT: Taint = { key: 'karpenter.sh/rebooting', value: '', effect: 'NoSchedule' };

/** How a reboot ended, as Karpenter's metrics say it. */
export const REBOOT_RESULTS = ['succeeded', 'provider_error', 'recovery_timeout', 'invalid_request'] as const;
export type RebootResult = (typeof REBOOT_RESULTS)[number];

/** Times in milliseconds since 1970. */
export interface ClaimReboot {
  /** When it was decided: its node has been drained since. */
  readonly requestedAt: number;
  /** Most seconds that its pods may take to leave the node; those that are left then go down with it. undefined: no bound. */
  readonly terminationGracePeriodSeconds?: number | undefined;
  /** When the cloud was first asked, after the drain; undefined before. */
  readonly askedAt?: number | undefined;
  /** Boot ID of the node at that time: once it has another one, the instance was rebooted. */
  readonly bootID?: string | undefined;
  /** When the cloud accepted; undefined before. */
  readonly issuedAt?: number | undefined;
  /** undefined while it is under way. */
  readonly endedAt?: number | undefined;
  readonly result?: RebootResult | undefined;
}

/** A NodeClaim is rebooted so often at most in so long; then its node is replaced. */
export const MOST_REBOOTS = 2;
const HISTORY_MILLIS = 24 * 3_600_000;

type Rebooted = Pick<NodeClaim, 'status'>;

/** The reboot that is under way; undefined when there is none. */
export function currentReboot({ status }: Rebooted): ClaimReboot | undefined {
  const last = status.reboots?.at(-1);
  return last?.endedAt === undefined ? last : undefined;
}

/** When the last reboot ended, in milliseconds since 1970; undefined when none has. */
export function lastRebootEnd({ status }: Rebooted): number | undefined {
  return status.reboots?.at(-1)?.endedAt;
}

/** Those that count against MOST_REBOOTS now. */
export function recentReboots({ status }: Rebooted, now: number): readonly ClaimReboot[] {
  return status.reboots?.filter(({ requestedAt }) => requestedAt > now - HISTORY_MILLIS) ?? [];
}

/** Whether repair may reboot the claim's instance, and does not have to replace its node. */
export function mayReboot(claim: Rebooted, now: number): boolean {
  return claim.status.disruption === undefined && recentReboots(claim, now).length < MOST_REBOOTS;
}

/** The reboots of the claim with a new one. */
export function withReboot(claim: Rebooted, reboot: ClaimReboot): readonly ClaimReboot[] {
  return [...recentReboots(claim, reboot.requestedAt), reboot];
}

/** The reboots of the claim with this change of the one under way. */
export function withRebootChange(
  { status: { reboots = [] } }: Rebooted,
  change: Partial<ClaimReboot>,
): readonly ClaimReboot[] {
  return reboots.map((reboot, index) => (index === reboots.length - 1 ? { ...reboot, ...change } : reboot));
}

/** The same for every try of one reboot, also by the next leader. */
export function rebootOperation({ uid }: Pick<NodeClaim, 'uid'>, reboot: ClaimReboot): string {
  return `${uid}-${String(reboot.requestedAt)}-${reboot.bootID ?? ''}`;
}
