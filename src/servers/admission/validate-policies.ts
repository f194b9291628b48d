/** /validate-policies: a policy ConfigMap that cannot work is refused, one that will hurt is warned of. */
import type { PolicyConfigMapRead, ReadPolicyConfigMap } from '../../apis/berth/read-policy-config-map.js';
import { formatIssue } from '../../apis/decode/format-issue.js';
import { plainObject, valueAt, type Plain } from '../../apis/decode/plain.js';
import type { Issue } from '../../apis/issue.js';
import { POLICY_LABEL } from '../../apis/policies/policy-documents.js';
import { NO_LABELS } from '../../domain/values/labels.js';
import { DELETE_ANNOTATION, policyStatusName } from '../../domain/policies/policy.js';
import { hasCode } from '../../ports/port-error.js';
import { acceptedPolicies, type AcceptedPolicies } from '../../state/policies/accepted-policies.js';
import type { AdmissionAnswer, AdmissionRequest, RefusalStatus } from './admission-review.js';
import type { PoliciesInForce, PolicyStores } from './policies-in-force.js';
import { reviewPolicies, withName, type Surroundings } from './review-policies.js';

const MOST_LINES = 100;

export interface ValidatePoliciesOptions {
  readonly cluster: PolicyStores;
  readonly policies: PoliciesInForce;
  /** Berth's own namespace, the only one whose ConfigMaps count. */
  readonly namespace: string;
  /** Reads elsewhere than on this thread, which answers kube-scheduler. */
  readonly readPolicies: ReadPolicyConfigMap;
}

/** Decides about creating, changing and deleting a ConfigMap that has the label of policies, or had it. */
export async function validatePolicies(
  request: AdmissionRequest,
  { cluster, policies, namespace, readPolicies }: ValidatePoliciesOptions,
): Promise<AdmissionAnswer> {
  if (request.resource !== '/v1/configmaps') return { outcome: 'exempt' };
  const after = plainObject(request.object);
  const isPolicies = after !== undefined && hasLabel(after);
  if (!isPolicies && !hasLabel(plainObject(request.oldObject))) return { outcome: 'exempt' };
  if (request.namespace !== namespace) return elsewhere(request, isPolicies, namespace);
  if (!isPolicies) return withdrawn(request, { cluster, policies });
  const read = await readOrNothing(after, readPolicies);
  return read === undefined ? unchecked(request) : judged(request, read, { cluster, policies });
}

type Known = Pick<ValidatePoliciesOptions, 'cluster' | 'policies'>;

/** What holds now, and beside what the ConfigMap will stand; undefined while not all of it is known. */
function beside(
  request: AdmissionRequest,
  { cluster, policies }: Known,
): { readonly before: AcceptedPolicies; readonly surroundings: Surroundings } | undefined {
  if (!policies.isKnown) return undefined;
  const before = policies.accepted;
  return { before, surroundings: surroundingsOf(request, before, cluster) };
}

/** It is deleted, or loses its label. */
function withdrawn(request: AdmissionRequest, known: Known): AdmissionAnswer {
  const now = beside(request, known);
  if (now === undefined) return allowed([]);
  const { configMaps, statuses } = now.surroundings;
  return allowed(freezes(now.before, acceptedPolicies(configMaps, statuses)));
}

function judged(request: AdmissionRequest, read: PolicyConfigMapRead, known: Known): AdmissionAnswer {
  const now = beside(request, known);
  const review = reviewPolicies(read, now?.surroundings);
  const warnings = [...warningsOf(review.issues), ...freezes(now?.before, review.after)];
  const errors = review.issues.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return allowed(warnings);
  const name = request.name === '' ? 'without a name' : request.name;
  return { outcome: 'refused', refusal: policyRefusal(name, errors), warnings };
}

/** undefined when there is no answer in time. */
async function readOrNothing(
  configMap: Plain,
  readPolicies: ReadPolicyConfigMap,
): Promise<PolicyConfigMapRead | undefined> {
  try {
    return await readPolicies(withName(configMap));
  } catch (error) {
    if (hasCode(error, 'TimedOut', 'Unavailable', 'RateLimited')) return undefined;
    throw error;
  }
}

/** As the webhook's failurePolicy Ignore has it; the controller checks it again, with more time. */
function unchecked({ name }: AdmissionRequest): AdmissionAnswer {
  const said = `ConfigMap ${name} was not validated in time and is admitted unchecked`;
  return {
    outcome: 'unchecked',
    warnings: [`${said}; run berth validate, or see its PolicyStatus`],
  };
}

function allowed(warnings: readonly string[]): AdmissionAnswer {
  return { outcome: warnings.length === 0 ? 'allowed' : 'warned', warnings };
}

function hasLabel(configMap: Plain | undefined): boolean {
  return valueAt(configMap, ['metadata', 'labels', POLICY_LABEL]) === 'true';
}

/** A user who writes policies in another namespace expects that they have an effect. */
function elsewhere(request: AdmissionRequest, isPolicies: boolean, namespace: string): AdmissionAnswer {
  if (!isPolicies) return { outcome: 'exempt' };
  const what = `ConfigMap ${request.namespace}/${request.name} has the label ${POLICY_LABEL}, but no effect`;
  return allowed([`${what}: policies are read in namespace ${namespace} only`]);
}

/** What holds now counts as accepted, whether that was written down yet or not. */
function surroundingsOf(
  { name }: AdmissionRequest,
  { verdicts }: AcceptedPolicies,
  { policyConfigMaps, policyStatuses }: PolicyStores,
): Surroundings {
  return {
    configMaps: [...policyConfigMaps.values()].filter((configMap) => configMap.name !== name),
    statuses: verdicts.map((verdict) => {
      const { kind, policy, lastAccepted } = verdict;
      const written = policyStatuses.get(nameOf(verdict));
      return { ...UNWRITTEN, ...written, name: nameOf(verdict), kind, policy, lastAccepted };
    }),
  };
}

const UNWRITTEN = {
  ...{ uid: '', resourceVersion: '', annotations: NO_LABELS },
  ...{ conditions: [], resources: new Map<string, number>(), driftedNodes: 0 },
};

/** The line of `berth validate`, without the word that the client puts before it. */
function warningsOf(issues: readonly Issue[]): readonly string[] {
  const warnings = issues.filter(({ severity }) => severity !== 'error');
  return warnings.map((issue) => formatIssue(issue).replace(`: ${issue.severity}: `, ': '));
}

/** Pools and node classes whose document goes with this change. */
function freezes(
  before: AcceptedPolicies | undefined,
  after: AcceptedPolicies | undefined,
): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const wasFrozen = new Set(before.verdicts.filter(({ frozen }) => frozen).map(nameOf));
  const frozen = after.verdicts.filter((verdict) => verdict.frozen && !wasFrozen.has(nameOf(verdict)));
  return frozen.map(({ kind, policy }) => {
    const said = `${kind} ${policy} freezes: no launch and no voluntary disruption until its document returns`;
    return `${said} or PolicyStatus ${policyStatusName(kind, policy)} is annotated ${DELETE_ANNOTATION}: drain or orphan`;
  });
}

function nameOf({ kind, policy }: AcceptedPolicies['verdicts'][number]): string {
  return policyStatusName(kind, policy);
}

/**
 * 422 with a cause for each error. kubectl prints the causes where it finds them, else the message. The field of a cause is
 * the key of the ConfigMap, its message starts with line and column therein.
 */
function policyRefusal(configMap: string, errors: readonly Issue[]): RefusalStatus {
  const told = errors.slice(0, MOST_LINES);
  const lines = told.map((issue) => formatIssue(issue).replace(': error: ', ': '));
  const causes = told.map((issue) => ({
    reason: 'FieldValueInvalid',
    field: fieldOf(issue),
    message: formatIssue({ ...issue, source: '' })
      .replace(/^[:\s]+/, '')
      .replace(': error: ', ': '),
  }));
  const left = errors.length - told.length;
  const more = `and ${String(left)} more; berth validate lists all of them`;
  const count = errors.length === 1 ? 'an error' : `${String(errors.length)} errors`;
  return {
    code: 422,
    reason: 'Invalid',
    message: [`ConfigMap ${configMap} has ${count}:`, ...lines, ...(left > 0 ? [more] : [])].join('\n'),
    details: {
      kind: 'ConfigMap',
      name: configMap,
      causes: left > 0 ? [...causes, { reason: 'FieldValueInvalid', field: 'data', message: more }] : causes,
    },
  };
}

/** `configmap/pools[general.yaml]` → `data[general.yaml]`. */
function fieldOf({ source }: Issue): string {
  const key = /^configmap\/[^[]*(\[.*\])$/s.exec(source)?.[1];
  return `data${key ?? ''}`;
}
