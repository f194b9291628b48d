/** Leases, as a port for leader election. */
import type { Lease } from '../domain/records/lease.js';

export type LeaseContent = Omit<Lease, 'resourceVersion'>;

export interface LeaseStore {
  /** undefined when there is none. */
  readLease(name: string, signal?: AbortSignal): Promise<Lease | undefined>;
  /** @throws PortError AlreadyExists. */
  createLease(lease: LeaseContent, signal?: AbortSignal): Promise<Lease>;
  /** Replaces `known`. @throws PortError Conflict, when another client was faster. */
  replaceLease(known: Lease, lease: LeaseContent, signal?: AbortSignal): Promise<Lease>;
}
