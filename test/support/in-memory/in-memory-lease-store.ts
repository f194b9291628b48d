/** Leases in memory, as the API server keeps them: every write a new resourceVersion, none on top of an unknown one. */
import type { Lease } from '../../../src/domain/records/lease.js';
import type { LeaseContent, LeaseStore } from '../../../src/ports/lease-store.js';
import { PortError } from '../../../src/ports/port-error.js';

export class InMemoryLeaseStore implements LeaseStore {
  readonly #leases = new Map<string, Lease>();
  #version = 0;
  /** How many writes came through. */
  writes = 0;

  readLease(name: string): Promise<Lease | undefined> {
    return Promise.resolve(this.#leases.get(name));
  }

  async createLease(lease: LeaseContent): Promise<Lease> {
    await Promise.resolve();
    if (this.#leases.has(lease.name)) throw refused('AlreadyExists', lease.name);
    return this.put(lease);
  }

  async replaceLease(known: Lease, lease: LeaseContent): Promise<Lease> {
    await Promise.resolve();
    const current = this.#leases.get(known.name);
    if (current === undefined) throw refused('NotFound', known.name);
    if (current.resourceVersion !== known.resourceVersion) throw refused('Conflict', known.name);
    return this.put(lease);
  }

  /** Writes it whatever is there. */
  put(lease: LeaseContent): Lease {
    this.#version++;
    this.writes++;
    const stored = { ...lease, resourceVersion: String(this.#version) };
    this.#leases.set(lease.name, stored);
    return stored;
  }

  get(name: string): Lease | undefined {
    return this.#leases.get(name);
  }

  delete(name: string): void {
    this.#leases.delete(name);
  }
}

function refused(code: 'AlreadyExists' | 'NotFound' | 'Conflict', name: string): PortError {
  return new PortError(code, { operation: `write lease ${name}`, message: code });
}
