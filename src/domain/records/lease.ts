/** Leases of coordination.k8s.io, by which one replica leads. */

/** The leader's. */
export const LEADER_LEASE = 'berth';
/** That of the kube-scheduler which Berth ships. */
export const SCHEDULER_LEASE = 'berth-scheduler';

export interface Lease {
  readonly name: string;
  readonly resourceVersion: string;
  /** '' when it has no holder. */
  readonly holder: string;
  /** Milliseconds since 1970; 0 when never. */
  readonly acquiredAt: number;
  readonly renewedAt: number;
  readonly durationSeconds: number;
  /** How often it changed hands. */
  readonly transitions: number;
}
