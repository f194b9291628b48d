/** What is refused about pods and pod templates (k8s.io/kubernetes/pkg/apis/core/validation, the part that people run into). */
import { invalid, required, unsupported, type FieldError } from '../objects/field-error.js';
import { compact, equalJson, isObject, listAt, objectAt, textAt, valueAt } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_DETAIL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const LONGEST_LABEL = 63;
const QUANTITY_DETAIL =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

export function podErrors(pod: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  if (old === undefined) return podSpecErrors(pod['spec'], 'spec', RESTART_POLICIES);
  return changeErrors(objectAt(pod, 'spec'), objectAt(old, 'spec'));
}

/** Of a pod or of a template; `at` is where the specification stands. */
export function podSpecErrors(
  spec: unknown,
  at: string,
  restartPolicies: readonly string[],
): readonly FieldError[] {
  const containers = listAt(spec, 'containers');
  if (containers.length === 0) return [required(`${at}.containers`)];
  const policy = textAt(spec, 'restartPolicy');
  const lists = ['containers', 'initContainers'].flatMap((field) =>
    listAt(spec, field).map((container, index) => ({ container, at: `${at}.${field}[${String(index)}]` })),
  );
  const names = lists.map(({ container }) => textAt(container, 'name'));
  return [
    ...lists.flatMap((each) => containerErrors(each.container, each.at)),
    ...lists.flatMap((each, index) =>
      names.indexOf(names[index] ?? '') < index
        ? [{ field: `${each.at}.name`, type: 'duplicate', value: names[index] } as const]
        : [],
    ),
    ...(restartPolicies.includes(policy)
      ? []
      : [unsupported(`${at}.restartPolicy`, policy, restartPolicies)]),
    ...tolerationErrors(spec, at),
  ];
}

function containerErrors(container: unknown, at: string): readonly FieldError[] {
  const name = textAt(container, 'name');
  const named =
    name === ''
      ? [required(`${at}.name`)]
      : LABEL.test(name) && name.length <= LONGEST_LABEL
        ? []
        : [invalid(`${at}.name`, name, LABEL_DETAIL)];
  const image = textAt(container, 'image') === '' ? [required(`${at}.image`)] : [];
  return [...named, ...image, ...resourceErrors(container, `${at}.resources`)];
}

function resourceErrors(container: unknown, at: string): readonly FieldError[] {
  const requests = objectAt(container, 'resources', 'requests');
  const limits = objectAt(container, 'resources', 'limits');
  const malformed = Object.entries({ requests, limits }).flatMap(([field, list]) =>
    Object.entries(list)
      .filter(([, value]) => quantityValue(value) === undefined)
      .map(([name, value]) => invalid(`${at}.${field}[${name}]`, value, QUANTITY_DETAIL)),
  );
  const exceeding = Object.entries(requests).flatMap(([name, value]) => {
    const request = quantityValue(value) ?? 0;
    const limit = quantityValue(limits[name]) ?? Infinity;
    if (request <= limit) return [];
    return [
      invalid(
        `${at}.requests`,
        value,
        `must be less than or equal to ${name} limit of ${String(limits[name])}`,
      ),
    ];
  });
  return [...malformed, ...exceeding];
}

function tolerationErrors(spec: unknown, at: string): readonly FieldError[] {
  return listAt(spec, 'tolerations').flatMap((toleration, index): readonly FieldError[] => {
    const field = `${at}.tolerations[${String(index)}]`;
    const operator = textAt(toleration, 'operator');
    const effect = textAt(toleration, 'effect');
    const errors: FieldError[] = [];
    if (!['', 'Exists', 'Equal', 'Lt', 'Gt'].includes(operator))
      errors.push(unsupported(`${field}.operator`, operator, ['Equal', 'Exists']));
    if (!['', 'NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(effect))
      errors.push(unsupported(`${field}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']));
    return errors;
  });
}

/** Fields of a pod's specification that may change; a node is given by binding, gates are only taken away. */
const CHANGEABLE = [
  'activeDeadlineSeconds',
  'tolerations',
  'terminationGracePeriodSeconds',
  'nodeName',
  'schedulingGates',
  'nodeSelector',
  'affinity',
  'ephemeralContainers',
];

const UPDATE_DETAIL =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function changeErrors(
  spec: Readonly<Record<string, unknown>>,
  old: Readonly<Record<string, unknown>>,
): readonly FieldError[] {
  const fixed = (each: Readonly<Record<string, unknown>>): unknown => ({
    ...compact(each, ...CHANGEABLE),
    containers: imageless(each['containers']),
    initContainers: imageless(each['initContainers']),
  });
  const errors: FieldError[] = equalJson(fixed(spec), fixed(old))
    ? []
    : [{ field: 'spec', type: 'forbidden', detail: UPDATE_DETAIL }];
  const isGated = listAt(old, 'schedulingGates').length > 0;
  const isSelectionKept = ['nodeSelector', 'affinity'].every((field) => equalJson(spec[field], old[field]));
  if (!isGated && !isSelectionKept) errors.push({ field: 'spec', type: 'forbidden', detail: UPDATE_DETAIL });
  const gates = listAt(old, 'schedulingGates').map((gate) => textAt(gate, 'name'));
  if (listAt(spec, 'schedulingGates').some((gate) => !gates.includes(textAt(gate, 'name'))))
    errors.push({
      field: 'spec.schedulingGates',
      type: 'forbidden',
      detail: 'only deletion is allowed, but found new scheduling gates',
    });
  const from = textAt(old, 'nodeName');
  if (from !== textAt(spec, 'nodeName') && from !== '')
    errors.push({ field: 'spec.nodeName', type: 'forbidden', detail: UPDATE_DETAIL });
  const kept = listAt(old, 'tolerations').every((known) =>
    listAt(spec, 'tolerations').some((each) => sameToleration(each, known)),
  );
  if (!kept)
    errors.push({
      field: 'spec.tolerations',
      type: 'forbidden',
      detail: 'existing toleration can not be modified except its tolerationSeconds',
    });
  return errors;
}

function sameToleration(one: unknown, other: unknown): boolean {
  return (
    isObject(one) &&
    isObject(other) &&
    equalJson(compact(one, 'tolerationSeconds'), compact(other, 'tolerationSeconds'))
  );
}

function imageless(containers: unknown): unknown {
  if (!Array.isArray(containers)) return containers;
  return containers.map((container) =>
    isObject(container)
      ? { ...compact(container, 'image'), resources: valueAt(container, 'resources') }
      : (container as unknown),
  );
}

const QUANTITY = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d+))?$/;
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
};

/** `500m` is 0.5; undefined for what is no quantity. */
function quantityValue(value: unknown): number | undefined {
  const match = QUANTITY.exec(
    typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '',
  );
  if (match === null) return undefined;
  const [, digits = '', binary, decimal, exponent] = match;
  const number = Number(digits);
  if (binary !== undefined) return number * 1024 ** (BINARY.indexOf(binary) + 1);
  if (decimal !== undefined) return number * (DECIMAL[decimal] ?? 1);
  return exponent === undefined ? number : Number(`${digits}e${exponent}`);
}
