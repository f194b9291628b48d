/** Which requests a webhook of a configuration wants to see. */
import { CelError } from '../cel/cel-syntax.js';
import { evaluateCel } from '../cel/evaluate-cel.js';
import { isObject, listAt, textAt, type JsonObject } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import type { AdmissionRequest } from '../operations/admission.js';
import { groupOf } from '../resources/resource-type.js';
import { labelSelectorOf } from '../objects/label-selector.js';

export interface MatchContext {
  /** undefined: there is none of the name. */
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined;
}

/** By rules and selectors. */
export function wants(webhook: JsonObject, request: AdmissionRequest, context: MatchContext): boolean {
  return (
    listAt(webhook, 'rules').some((rule) => ruleMatches(rule, request)) &&
    namespaceMatches(webhook['namespaceSelector'], request, context) &&
    objectMatches(webhook['objectSelector'], request)
  );
}

/** Whether all conditions hold. @throws CelError, when one can be neither evaluated nor outweighed by one that does not hold */
export function conditionsHold(webhook: JsonObject, variables: JsonObject): boolean {
  let failure: CelError | undefined;
  for (const condition of listAt(webhook, 'matchConditions')) {
    try {
      if (evaluateCel(textAt(condition, 'expression'), variables) !== true) return false;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return true;
}

function ruleMatches(rule: unknown, { operation, type, subresource }: AdmissionRequest): boolean {
  const lists = (field: string, value: string): boolean => {
    const values = listAt(rule, field);
    return values.includes(value) || values.includes('*');
  };
  const scope = textAt(rule, 'scope');
  const isScoped = scope === '' || scope === '*' || (scope === 'Namespaced') === type.namespaced;
  return (
    isScoped &&
    lists('operations', operation) &&
    lists('apiGroups', groupOf(type)) &&
    lists('apiVersions', type.served[0].version) &&
    listAt(rule, 'resources').some((pattern) => resourceMatches(String(pattern), type.plural, subresource))
  );
}

/** `pods`, `pods/status`, `pods/*`, `*`, `* /status`, `* /*` (without the blanks). */
function resourceMatches(pattern: string, plural: string, subresource: string): boolean {
  const [resource, below = ''] = pattern.split('/');
  if (resource !== '*' && resource !== plural) return false;
  return below === subresource || below === '*';
}

function namespaceMatches(
  selector: unknown,
  { type, ref, object, old }: AdmissionRequest,
  context: MatchContext,
): boolean {
  if (!isObject(selector) || Object.keys(selector).length === 0) return true;
  const matches = labelSelectorOf(selector);
  if (type.kind === 'Namespace') return matches(labelsOf(object ?? old));
  if (!type.namespaced) return true;
  return matches(context.namespaceLabels(ref.namespace ?? '') ?? {});
}

function objectMatches(selector: unknown, { object, old }: AdmissionRequest): boolean {
  if (!isObject(selector) || Object.keys(selector).length === 0) return true;
  const matches = labelSelectorOf(selector);
  return [object, old].some((each) => each !== undefined && matches(labelsOf(each)));
}

function labelsOf(object: KubeObject | undefined): Readonly<Record<string, string>> {
  return object?.metadata.labels ?? {};
}
