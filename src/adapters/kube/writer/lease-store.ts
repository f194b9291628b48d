/**
 * Leases in Berth's namespace. A renewal that waits behind other requests loses the lead, and with it all that they were for:
 * it is sent at once. A replica sends one every two seconds.
 */
import { decodeLease, encodeLeaseSpec } from '../../../apis/kubernetes/nodes/lease.js';
import type { JsonObject } from '../../../domain/policies/policy.js';
import type { LeaseContent, LeaseStore } from '../../../ports/lease-store.js';
import { hasCode } from '../../../ports/port-error.js';
import { collectionPath, decoded, objectPath, write, type ApiClient } from './api-object.js';

const API_VERSION = 'coordination.k8s.io/v1';
const urgency = 'at-once';

export function leaseStore(client: ApiClient, namespace: string): LeaseStore {
  const leases = collectionPath(API_VERSION, 'leases', namespace);
  return {
    readLease: async (name, signal) => {
      const operation = `get leases/${namespace}/${name}`;
      try {
        const path = objectPath(leases, name);
        const answer = await client.request({ method: 'GET', path, operation, signal, urgency });
        return decoded(operation, decodeLease(answer));
      } catch (error) {
        if (hasCode(error, 'NotFound')) return undefined;
        throw error;
      }
    },

    createLease: (lease, signal) => {
      const body = encode(lease, { name: lease.name, namespace });
      const operation = `create leases/${namespace}/${lease.name}`;
      return write(client, { method: 'POST', path: leases, body, operation, signal, urgency }, decodeLease);
    },

    replaceLease: ({ name, resourceVersion }, lease, signal) => {
      const body = encode(lease, { name, namespace, resourceVersion });
      const path = objectPath(leases, name);
      const operation = `update leases/${namespace}/${name}`;
      return write(client, { method: 'PUT', path, body, operation, signal, urgency }, decodeLease);
    },
  };
}

function encode(lease: LeaseContent, metadata: JsonObject): JsonObject {
  return { apiVersion: API_VERSION, kind: 'Lease', metadata, spec: encodeLeaseSpec(lease) };
}
