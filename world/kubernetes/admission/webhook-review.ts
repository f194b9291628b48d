/** What a webhook is asked, and what its answer amounts to (admission.k8s.io/v1). */
import { ApiError } from '../objects/api-error.js';
import { isObject, listAt, numberAt, textAt, valueAt, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { AdmissionRequest } from '../operations/admission.js';
import { applyJsonPatch } from '../patching/json-patch.js';

/** Of request, without what only the wire needs: also what matchConditions see. */
export function reviewRequest(uid: string, request: AdmissionRequest): JsonObject {
  const { type, operation, subresource, ref, object, old, dryRun } = request;
  const [{ group, version }] = type.served;
  const kind = { group, version, kind: type.kind };
  const resource = { group, version, resource: type.plural };
  return {
    uid,
    kind,
    resource,
    ...(subresource !== '' && { subResource: subresource }),
    requestKind: kind,
    requestResource: resource,
    name: ref.name,
    ...(ref.namespace !== undefined && { namespace: ref.namespace }),
    operation,
    userInfo: { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] },
    object: object ?? null,
    oldObject: old ?? null,
    dryRun,
    options: null,
  };
}

export function reviewOf(request: JsonObject): JsonObject {
  return { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request };
}

export interface Verdict {
  readonly refusal: ApiError | undefined;
  readonly warnings: readonly string[];
  /** With its patch. */
  readonly object: KubeObject | undefined;
}

/** @throws Error, when it is no answer to the question */
export function readVerdict(
  webhook: string,
  answer: unknown,
  request: JsonObject,
  object: KubeObject | undefined,
): Verdict {
  const response = valueAt(answer, 'response');
  if (!isObject(response)) throw new Error('the answer is no AdmissionReview with a response');
  if (response['uid'] !== request['uid']) throw new Error('the answer is for another request');
  const warnings = listAt(response, 'warnings').map(String);
  if (response['allowed'] !== true) return { refusal: refusalOf(webhook, response), warnings, object };
  const patch = textAt(response, 'patch');
  if (patch === '' || object === undefined) return { refusal: undefined, warnings, object };
  const operations: unknown = JSON.parse(Buffer.from(patch, 'base64').toString());
  return { refusal: undefined, warnings, object: applyJsonPatch(object, operations) as KubeObject };
}

function refusalOf(webhook: string, response: JsonObject): ApiError {
  const said = textAt(response, 'status', 'message') || textAt(response, 'status', 'reason');
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const code = numberAt(response, 'status', 'code') || 403;
  const reason = textAt(response, 'status', 'reason') || (code === 403 ? 'Forbidden' : '');
  return new ApiError(code, reason, said === '' ? `${denied} without explanation` : `${denied}: ${said}`);
}
