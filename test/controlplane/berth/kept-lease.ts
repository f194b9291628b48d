/** Writes Berth's Lease as a leader would, where none is running. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../fixture/api/api-client.js';
import { LEASES } from '../fixture/api/kube-object.js';

const LEASE = { namespace: 'berth-system', name: 'berth' };
const RENEW_MILLIS = 5000;

/** Renews the Lease until the answered function is called, and at once; what it answers resolves when no write is to come. */
export function keepLease(api: ApiClient): () => Promise<void> {
  const end = new AbortController();
  const keeping = renewals(api, end.signal);
  return async () => {
    end.abort();
    await keeping;
  };
}

/** The Lease as it looks this long after its last renewal. */
export async function renewLease(api: ApiClient, ageMillis = 0): Promise<void> {
  const renewTime = new Date(Date.now() - ageMillis).toISOString().replace('Z', '000Z');
  await api.patch(LEASES, LEASE, { type: 'merge', body: { spec: { renewTime } } });
}

async function renewals(api: ApiClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await renewLease(api);
    await sleep(RENEW_MILLIS, undefined, { signal }).catch(() => undefined);
  }
}
