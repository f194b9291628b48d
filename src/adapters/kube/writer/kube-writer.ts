/** All that Berth writes to the Kubernetes API: NodeClaims, Reservations, Decisions and Leases here, the rest in one file per kind. */
import type { CertificateStore } from '../../../ports/certificate-store.js';
import type {
  KubeWriter,
  NodeCreator,
  DecisionWriter,
  NodeClaimWriter,
  ObservationWriter,
  ReservationWriter,
} from '../../../ports/kube-writer.js';
import type { LeaseStore, LeaseContent } from '../../../ports/lease-store.js';
import {
  type ApiClient,
  collectionPath,
  objectPath,
  remove,
  write,
  decoded,
  patch,
  removeUnlessKept,
} from './api-object.js';
import { bufferWriter } from './buffer-writer.js';
import { certificateStore } from './certificate-store.js';
import { eventWriter } from './event-writer.js';
import { nodeWriter } from './node-writer.js';
import { podWriter } from './pod-writer.js';
import { observationWriter, policyStatusWriter } from './policy-status-writer.js';
import { provisioningRequestWriter } from './provisioning-request-writer.js';
import { scaleWriter } from './scale-writer.js';
import { decisionStatusPatch, decodeDecision, encodeDecision } from '../../../apis/berth/decision.js';
import { MERGE_PATCH } from '../transport/index.js';
import { decodeLease, encodeLeaseSpec } from '../../../apis/kubernetes/nodes/lease.js';
import type { JsonObject } from '../../../domain/policies/policy.js';
import { hasCode } from '../../../ports/port-error.js';
import { decodeNodeClaim, encodeNewNodeClaim, encodeNodeClaim } from '../../../apis/berth/node-claim.js';
import { TERMINATION_FINALIZER, type NodeClaim } from '../../../domain/nodes/node-claim.js';
import { changeEntries, changeFinalizers, sameObject } from './json-patch.js';
import { decodeReservation, encodeReservation } from '../../../apis/berth/reservation.js';
import { reservationName } from '../../../domain/records/reservation.js';

const DECISIONS = collectionPath('berth.sh/v1', 'decisions');
const NODE_CLAIMS = collectionPath('berth.sh/v1', 'nodeclaims');
const RESERVATIONS = collectionPath('berth.sh/v1', 'reservations');

export interface KubeWriterOptions {
  readonly client: ApiClient;
  /** Berth's own: of its Lease and its certificates. */
  readonly namespace: string;
  /** Which replica Events come from: the pod's name. */
  readonly reportingInstance: string;
  /** Called right before each request is sent, after it has waited for its turn: throws where it must not be sent any more. */
  readonly permit?: (() => void) | undefined;
}

/** Every request has the client's time-out. */
export function kubeWriter(
  options: KubeWriterOptions,
): KubeWriter & ObservationWriter & NodeCreator & LeaseStore & CertificateStore {
  const { namespace, reportingInstance, permit } = options;
  const client = permit === undefined ? options.client : permitted(options.client, permit);
  return {
    ...nodeClaimWriter(client),
    ...reservationWriter(client),
    ...nodeWriter(client),
    ...podWriter(client),
    ...scaleWriter(client),
    ...bufferWriter(client),
    ...provisioningRequestWriter(client),
    ...policyStatusWriter(client),
    ...observationWriter(client),
    ...decisionWriter(client),
    ...eventWriter(client, reportingInstance),
    ...leaseStore(client, namespace),
    ...certificateStore(client, namespace),
  };
}

function permitted(client: ApiClient, permit: () => void): ApiClient {
  return { request: (request) => client.request({ ...request, permit }) };
}

/** Writes Decisions. */
function decisionWriter(client: ApiClient): DecisionWriter {
  return {
    createDecision: (name, spec, signal) => {
      const body = encodeDecision({ name, spec, outcome: '' });
      const operation = `create decisions/${name}`;
      return write(client, { method: 'POST', path: DECISIONS, body, operation, signal }, decodeDecision);
    },

    putDecisionStatus: ({ name, resourceVersion, outcome, progress }, change, signal) => {
      const request = {
        method: 'PATCH',
        path: objectPath(DECISIONS, name, 'status'),
        contentType: MERGE_PATCH,
        body: {
          metadata: { resourceVersion },
          status: decisionStatusPatch({ outcome, progress, ...change }),
        },
        operation: `patch decisions/${name}/status`,
        signal,
      } as const;
      return write(client, request, decodeDecision);
    },

    deleteDecision: ({ name, uid }, signal) =>
      remove(client, {
        path: objectPath(DECISIONS, name),
        operation: `delete decisions/${name}`,
        preconditions: { uid },
        signal,
      }),
  };
}

/**
 * Leases in Berth's namespace. A renewal that waits behind other requests loses the lead, and with it all that they were for:
 * it is sent at once. A replica sends one every two seconds.
 */
function leaseStore(client: ApiClient, namespace: string): LeaseStore {
  const urgency = 'at-once';
  const leases = collectionPath('coordination.k8s.io/v1', 'leases', namespace);
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
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: encodeLeaseSpec(lease) };
}

interface ClaimPatch {
  readonly verb: 'annotate' | 'label';
  readonly claim: NodeClaim;
  readonly body: ReturnType<typeof changeEntries>;
  readonly signal: AbortSignal | undefined;
}

/** Writes NodeClaims. */
function nodeClaimWriter(client: ApiClient): NodeClaimWriter {
  const patchClaim = ({ verb, claim, body, signal }: ClaimPatch): Promise<NodeClaim> => {
    const path = objectPath(NODE_CLAIMS, claim.name);
    const operation = `${verb} nodeclaims/${claim.name}`;
    return patch(client, { path, body: [sameObject(claim), ...body], operation, signal }, decodeNodeClaim);
  };
  return {
    // A list, which is what Berth's role allows; without a resourceVersion it is as etcd has it.
    readNodeClaim: async (name, signal) => {
      const path = `${NODE_CLAIMS}?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
      const operation = `read nodeclaims/${name}`;
      const { items = [] } = (await client.request({ method: 'GET', path, operation, signal })) as {
        readonly items?: readonly unknown[];
      };
      return items.length === 0 ? undefined : decoded(operation, decodeNodeClaim(items[0]));
    },

    createNodeClaim: (claim, signal) => {
      const body = encodeNewNodeClaim(claim);
      const operation = `create nodeclaims/${claim.name}`;
      return write(client, { method: 'POST', path: NODE_CLAIMS, body, operation, signal }, decodeNodeClaim);
    },

    annotateNodeClaim: (claim, annotations, signal) => {
      const body = changeEntries('/metadata/annotations', claim.annotations, annotations);
      return patchClaim({ verb: 'annotate', claim, body, signal });
    },

    labelNodeClaim: (claim, labels, signal) => {
      const body = changeEntries('/metadata/labels', claim.labels, labels);
      return patchClaim({ verb: 'label', claim, body, signal });
    },

    putNodeClaimStatus: (claim, status, signal) => {
      const path = objectPath(NODE_CLAIMS, claim.name, 'status');
      const body = encodeNodeClaim({ ...claim, status });
      const operation = `update nodeclaims/${claim.name}/status`;
      return write(client, { method: 'PUT', path, body, operation, signal }, decodeNodeClaim);
    },

    deleteNodeClaim: ({ name, uid }, signal) => {
      const path = objectPath(NODE_CLAIMS, name);
      const removal = { path, operation: `delete nodeclaims/${name}`, preconditions: { uid }, signal };
      return removeUnlessKept(client, removal, decodeNodeClaim);
    },

    holdNodeClaim: (claim, signal) => {
      const request = {
        path: objectPath(NODE_CLAIMS, claim.name),
        body: [sameObject(claim), ...changeFinalizers(claim.finalizers, { add: [TERMINATION_FINALIZER] })],
        operation: `add the finalizer to nodeclaims/${claim.name}`,
        signal,
      };
      return patch(client, request, decodeNodeClaim);
    },

    releaseNodeClaim: (claim, signal) => {
      const request = {
        path: objectPath(NODE_CLAIMS, claim.name),
        body: [sameObject(claim), ...changeFinalizers(claim.finalizers, { remove: [TERMINATION_FINALIZER] })],
        operation: `release nodeclaims/${claim.name}`,
        signal,
      };
      return patch(client, request, decodeNodeClaim);
    },
  };
}

/** Writes Reservations. */
function reservationWriter(client: ApiClient): ReservationWriter {
  return {
    putReservation: (target, entries, known, signal) => {
      const name = reservationName(target);
      if (known === undefined) {
        const body = encodeReservation({ name, target, entries });
        const operation = `create reservations/${name}`;
        const request = { method: 'POST', path: RESERVATIONS, body, operation, signal } as const;
        return write(client, request, decodeReservation);
      }
      const body = encodeReservation({ ...known, target, entries });
      const operation = `update reservations/${name}`;
      const request = {
        method: 'PUT',
        path: objectPath(RESERVATIONS, name),
        body,
        operation,
        signal,
      } as const;
      return write(client, request, decodeReservation);
    },

    // With the version: another client may have added an entry meanwhile.
    deleteReservation: ({ name, uid, resourceVersion }, signal) =>
      remove(client, {
        path: objectPath(RESERVATIONS, name),
        operation: `delete reservations/${name}`,
        preconditions: { uid, resourceVersion },
        signal,
      }),
  };
}
