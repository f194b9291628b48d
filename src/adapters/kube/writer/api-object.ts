/** One request about one object: its path, its precondition, and how its answer is read. */
import { plainObject } from '../../../apis/decode/plain.js';
import type { Decoded } from '../../../apis/kubernetes/object/finding.js';
import { hasCode, PortError } from '../../../ports/port-error.js';
import {
  FIELD_MANAGER,
  JSON_PATCH,
  pathSegment,
  type KubeClient,
  type KubeRequest,
} from '../transport/index.js';
import type { PatchOperation } from './json-patch.js';

/** The part of the client that writers need. */
export type ApiClient = Pick<KubeClient, 'request'>;

/** Where the objects of a kind are: `/api/v1/nodes`. */
export function collectionPath(groupVersion: string, plural: string, namespace?: string): string {
  const root = groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`;
  return namespace === undefined
    ? `${root}/${plural}`
    : `${root}/namespaces/${pathSegment(namespace)}/${plural}`;
}

/** `/api/v1/nodes/n1`, or with a subresource `/api/v1/nodes/n1/status`. */
export function objectPath(collection: string, name: string, subresource?: string): string {
  const path = `${collection}/${pathSegment(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** A request that writes, and what it is called in errors. */
export type WriteRequest = Pick<KubeRequest, 'path' | 'body' | 'contentType' | 'signal' | 'urgency'> & {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /** `create nodeclaims/general-1` */
  readonly operation: string;
};

/**
 * Sends it, and reads the object in the answer.
 * @throws PortError Unavailable, when the answer is something else: whether it happened is for a watch to tell.
 */
export async function write<T>(
  client: ApiClient,
  request: WriteRequest,
  decode: (answer: unknown) => Decoded<T>,
): Promise<T> {
  const answer = await client.request({ ...request, query: { fieldManager: FIELD_MANAGER } });
  return decoded(request.operation, decode(answer));
}

/** @throws PortError Unavailable, when there is no value. */
export function decoded<T>(operation: string, { value }: Decoded<T>): T {
  if (value !== undefined) return value;
  const message = 'the API server returned another object';
  throw new PortError('Unavailable', { operation, message });
}

/** How the API server says that a JSON patch cannot be applied: a test failed, or what it changes is not there. */
const NOT_APPLICABLE = 'rejected our request due to an error in our request';

/**
 * Changes an object by a JSON patch, and reads it in the answer.
 * @throws PortError Conflict, when something that the patch tests is not so.
 */
export async function patch<T>(
  client: ApiClient,
  request: Omit<WriteRequest, 'method' | 'contentType' | 'body'> & {
    readonly body: readonly PatchOperation[];
  },
  decode: (answer: unknown) => Decoded<T>,
): Promise<T> {
  try {
    return await write(client, { ...request, method: 'PATCH', contentType: JSON_PATCH }, decode);
  } catch (error) {
    if (!hasCode(error, 'Invalid') || !error.message.includes(NOT_APPLICABLE)) throw error;
    const message = 'the object has been modified';
    throw new PortError('Conflict', { operation: request.operation, message, cause: error });
  }
}

/** What must still be so for an object to be deleted. */
export interface Preconditions {
  readonly uid: string;
  readonly resourceVersion?: string;
}

export interface Removal {
  readonly path: string;
  readonly operation: string;
  readonly preconditions: Preconditions;
  readonly gracePeriodSeconds?: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Deletes exactly the object that is meant.
 * @throws PortError NotFound, also when another object has its name by now.
 */
export async function remove(client: ApiClient, removal: Removal): Promise<void> {
  await askToRemove(client, removal);
}

/** The same for an object that finalizers may keep: answers it while they do, undefined when it is gone. */
export async function removeUnlessKept<T>(
  client: ApiClient,
  removal: Removal,
  decode: (answer: unknown) => Decoded<T>,
): Promise<T | undefined> {
  const answer = await askToRemove(client, removal);
  return plainObject(answer)?.['kind'] === 'Status' ? undefined : decoded(removal.operation, decode(answer));
}

function askToRemove(client: ApiClient, removal: Removal): Promise<unknown> {
  const { path, operation, preconditions, gracePeriodSeconds, signal } = removal;
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions,
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  };
  return asGone(operation, client.request({ method: 'DELETE', path, body, operation, signal }));
}

/** How the registry and the storage of the API server say that an object of the name is not the one that is meant. */
const ANOTHER_UID = /UID in (the )?precondition/;

/** The same, where an object that was replaced by another of its name counts as gone. */
export async function asGone(operation: string, request: Promise<unknown>): Promise<unknown> {
  try {
    return await request;
  } catch (error) {
    if (!hasCode(error, 'Conflict') || !ANOTHER_UID.test(error.message)) throw error;
    const message = 'another object has this name now';
    throw new PortError('NotFound', { operation, message, cause: error });
  }
}
