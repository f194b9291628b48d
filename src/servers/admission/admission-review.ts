/** AdmissionReview of admission.k8s.io/v1: what kube-apiserver asks, and how it is answered. */
import { plainObject, valueAt } from '../../apis/decode/plain.js';
import type { PatchOperation } from '../../planning/placement/stamp-pod-patch.js';

const MOST_CHARACTERS = 256;
const MOST_TOGETHER = 4000;
const MOST_WARNINGS = 20;

/** A request as far as Berth looks at it; '' where a field is missing. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: string;
  /** `group/version/resource`, with `/subresource` behind it where there is one. */
  readonly resource: string;
  /** Missing for objects that are named by the API server (generateName). */
  readonly name: string;
  readonly namespace: string;
  /** undefined when it is deleted. */
  readonly object: unknown;
  /** As it was before; undefined when it is created. */
  readonly oldObject: unknown;
}

/** metav1.Status, as far as clients show it. */
export interface RefusalStatus {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details: object;
}

export interface AdmissionAnswer {
  /** In the metric. */
  readonly outcome: string;
  /** undefined: allowed. */
  readonly refusal?: RefusalStatus | undefined;
  /** Shown to the user who submits the object. */
  readonly warnings?: readonly string[] | undefined;
  readonly patch?: readonly PatchOperation[] | undefined;
}

const API_VERSION = 'admission.k8s.io/v1';
const KIND = 'AdmissionReview';

/** The request, or a sentence with the reason why it is invalid. */
export function readReview(body: unknown): AdmissionRequest | string {
  const review = plainObject(body);
  if (review === undefined) return `the body must be an ${KIND} of ${API_VERSION}, not ${kindOf(body)}`;
  if (textAt(review, 'apiVersion') !== API_VERSION || textAt(review, 'kind') !== KIND) {
    const said = `${describe(review, 'kind')} of ${describe(review, 'apiVersion')}`;
    return `the body must be an ${KIND} of ${API_VERSION}, not ${said}`;
  }
  if (textAt(review, 'request', 'uid') === '') return 'request.uid of the AdmissionReview is missing';
  const type = ['group', 'version', 'resource'].map((part) => textAt(review, 'request', 'resource', part));
  const subResource = textAt(review, 'request', 'subResource');
  return {
    uid: textAt(review, 'request', 'uid'),
    operation: textAt(review, 'request', 'operation'),
    resource: [...type, ...(subResource === '' ? [] : [subResource])].join('/'),
    name: textAt(review, 'request', 'name'),
    namespace: textAt(review, 'request', 'namespace'),
    object: valueAt(review, ['request', 'object']) ?? undefined,
    oldObject: valueAt(review, ['request', 'oldObject']) ?? undefined,
  };
}

/** The review that answers a request. */
export function reviewOf(uid: string, { refusal, warnings = [], patch = [] }: AdmissionAnswer): object {
  return {
    apiVersion: API_VERSION,
    kind: KIND,
    response: {
      uid,
      allowed: refusal === undefined,
      ...(refusal !== undefined && { status: { status: 'Failure', ...refusal } }),
      ...(warnings.length > 0 && { warnings: boundedWarnings(warnings) }),
      ...(patch.length > 0 && { patchType: 'JSONPatch', patch: base64(patch) }),
    },
  };
}

function base64(value: unknown): string {
  return Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
}

function textAt(value: unknown, ...path: readonly string[]): string {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : '';
}

function describe(review: unknown, field: string): string {
  const found = valueAt(review, [field]);
  return typeof found === 'string' ? JSON.stringify(found.slice(0, 60)) : `${kindOf(found)} as ${field}`;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

/** The first ones in full; how many were left out is the last one. Control characters, line ends too, become spaces. */
function boundedWarnings(warnings: readonly string[]): readonly string[] {
  const told: string[] = [];
  let left = MOST_TOGETHER;
  for (const warning of new Set(warnings.map(cut))) {
    const length = Array.from(warning).length;
    if (told.length === MOST_WARNINGS || length > left) break;
    left -= length;
    told.push(warning);
  }
  const more = new Set(warnings.map(cut)).size - told.length;
  return more === 0 ? told : [...told, `and ${String(more)} more; berth validate lists all of them`];
}

function cut(text: string): string {
  const characters = Array.from(text.replace(/\p{Cc}+/gu, ' '));
  if (characters.length <= MOST_CHARACTERS) return characters.join('');
  return `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`;
}
