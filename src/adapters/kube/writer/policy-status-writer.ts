/** Writes PolicyStatuses: what was accepted, and how it is, which the API server takes as two requests. */
import {
  decodeObservation,
  decodePolicyStatus,
  encodeObservation,
  encodePolicyStatus,
} from '../../../apis/berth/policy-status.js';
import { policyHash } from '../../../apis/berth/policy-hash.js';
import { policyStatusName, type PolicyStatus } from '../../../domain/policies/policy.js';
import type { Decoded } from '../../../apis/kubernetes/object/finding.js';
import { rootField } from '../../../apis/kubernetes/object/field.js';
import { readObjectMeta } from '../../../apis/kubernetes/object/object-meta.js';
import {
  OBSERVATION_NAME,
  type Observation,
  type ObservationContent,
} from '../../../domain/records/observation.js';
import { hasCode } from '../../../ports/port-error.js';
import type {
  ObservationWriter,
  PolicyStatusContent,
  PolicyStatusWriter,
} from '../../../ports/kube-writer.js';
import { JSON_PATCH } from '../transport/index.js';
import { collectionPath, decoded, objectPath, remove, write, type ApiClient } from './api-object.js';

const POLICY_STATUSES = collectionPath('berth.sh/v1', 'policystatuses');

export function policyStatusWriter(client: ApiClient): PolicyStatusWriter {
  return {
    putPolicyStatus: async (content, known, signal) => {
      // What was accepted comes first: when the second request is lost, nothing that holds is.
      const stored =
        known === undefined
          ? await create(client, content, signal)
          : await replaceSpec(client, { known, content }, signal);
      return replaceStatus(client, { known: stored, content }, signal);
    },

    deletePolicyStatus: ({ name, uid }, signal) =>
      remove(client, {
        path: objectPath(POLICY_STATUSES, name),
        operation: `delete policystatuses/${name}`,
        preconditions: { uid },
        signal,
      }),
  };
}

/** The API server takes the object and its status as two requests here, too. */
export function observationWriter(client: ApiClient): ObservationWriter {
  return {
    putObservation: async (content, known, signal) => {
      const { uid, resourceVersion } = known ?? (await objectOfObservation(client, content, signal));
      const body = encodeObservation(content, { uid, resourceVersion });
      const path = objectPath(POLICY_STATUSES, OBSERVATION_NAME, 'status');
      const operation = `update policystatuses/${OBSERVATION_NAME}/status`;
      return write(client, { method: 'PUT', path, body, operation, signal }, decodeObservation);
    },
  };
}

/** Without its status, which may have been lost the last time, it is no observation yet: what is answered is who it is. */
async function objectOfObservation(
  client: ApiClient,
  content: ObservationContent,
  signal: Signal,
): Promise<Pick<Observation, 'uid' | 'resourceVersion'>> {
  const body = encodeObservation(content);
  const operation = `create policystatuses/${OBSERVATION_NAME}`;
  try {
    const request = { method: 'POST', path: POLICY_STATUSES, body, operation, signal } as const;
    return await write(client, request, decodeObjectMeta);
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
    const path = objectPath(POLICY_STATUSES, OBSERVATION_NAME);
    const found = await client.request({ method: 'GET', path, operation, signal });
    return decoded(operation, decodeObjectMeta(found));
  }
}

function decodeObjectMeta(object: unknown): Decoded<Pick<Observation, 'uid' | 'resourceVersion'>> {
  const root = rootField(object);
  return { value: readObjectMeta(root), findings: root.findings };
}

type Signal = AbortSignal | undefined;

interface Change {
  readonly known: PolicyStatus;
  readonly content: PolicyStatusContent;
}

function create(client: ApiClient, content: PolicyStatusContent, signal: Signal): Promise<PolicyStatus> {
  const { kind, policy, lastAccepted, scale, conditions, resources, driftedNodes, resolved } = content;
  const name = policyStatusName(kind, policy);
  const body = encodePolicyStatus({
    ...{ name, kind, policy, lastAccepted, scale },
    ...{ conditions, resources, driftedNodes, resolved },
  });
  const operation = `create policystatuses/${name}`;
  const request = { method: 'POST', path: POLICY_STATUSES, body, operation, signal } as const;
  return write(client, request, decodePolicyStatus);
}

/** Nothing else of the object changes: its annotations are the user's. */
function replaceSpec(client: ApiClient, { known, content }: Change, signal: Signal): Promise<PolicyStatus> {
  const { name, resourceVersion } = known;
  const { spec } = encodePolicyStatus({ name, ...content });
  if (isSame(spec, encodePolicyStatus(known)['spec'])) return Promise.resolve(known);
  const request = {
    method: 'PATCH',
    path: objectPath(POLICY_STATUSES, name),
    contentType: JSON_PATCH,
    body: [
      { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'replace', path: '/spec', value: spec },
    ],
    operation: `patch policystatuses/${name}`,
    signal,
  } as const;
  return write(client, request, decodePolicyStatus);
}

function replaceStatus(client: ApiClient, { known, content }: Change, signal: Signal): Promise<PolicyStatus> {
  const { conditions, resources, driftedNodes, resolved } = content;
  const body = encodePolicyStatus({ ...known, conditions, resources, driftedNodes, resolved });
  if (isSame(body['status'], encodePolicyStatus(known)['status'])) return Promise.resolve(known);
  const path = objectPath(POLICY_STATUSES, known.name, 'status');
  const operation = `update policystatuses/${known.name}/status`;
  return write(client, { method: 'PUT', path, body, operation, signal }, decodePolicyStatus);
}

/** The API server sorts the keys of documents and amounts. */
function isSame(left: unknown, right: unknown): boolean {
  return policyHash({ left }) === policyHash({ left: right });
}
