/** What is refused about objects of the built-in kinds, by kind. */
import { invalid, required, unsupported, type FieldError } from '../objects/field-error.js';
import { equalJson, isObject, listAt, objectAt, textAt, textsAt, valueAt } from '../objects/json.js';
import type { KubeObject } from '../objects/kube-object.js';
import { labelSelectorOf } from '../objects/label-selector.js';
import { podErrors, podSpecErrors } from './pod-validation.js';

type Validation = (object: KubeObject, old: KubeObject | undefined) => readonly FieldError[];

function workload(restartPolicies: readonly string[]): Validation {
  return (object, old) => {
    const spec = objectAt(object, 'spec');
    return [
      ...countErrors(spec),
      ...selectorErrors(object, old),
      ...podSpecErrors(valueAt(spec, 'template', 'spec'), 'spec.template.spec', restartPolicies),
    ];
  };
}

function countErrors(spec: unknown): readonly FieldError[] {
  return ['replicas', 'parallelism', 'completions', 'backoffLimit'].flatMap((field) => {
    const value = valueAt(spec, field);
    if (value === undefined) return [];
    if (typeof value !== 'number') return [invalid(`spec.${field}`, value, 'must be an integer')];
    return value < 0 ? [invalid(`spec.${field}`, value, 'must be greater than or equal to 0')] : [];
  });
}

function selectorErrors(object: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const selector = valueAt(object, 'spec', 'selector');
  if (!isObject(selector)) return [required('spec.selector')];
  const known = valueAt(old, 'spec', 'selector');
  if (old !== undefined && !equalJson(known, selector))
    return [invalid('spec.selector', selector, 'field is immutable')];
  const labels = textsAt(object, 'spec', 'template', 'metadata', 'labels');
  if (labelSelectorOf(selector)(labels)) return [];
  return [invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`')];
}

function budget(object: KubeObject): readonly FieldError[] {
  const both = ['minAvailable', 'maxUnavailable'].every(
    (field) => valueAt(object, 'spec', field) !== undefined,
  );
  if (both)
    return [invalid('spec', objectAt(object, 'spec'), 'minAvailable and maxUnavailable cannot be both set')];
  return ['minAvailable', 'maxUnavailable'].flatMap((field) =>
    countOrPercentErrors(`spec.${field}`, valueAt(object, 'spec', field)),
  );
}

function countOrPercentErrors(field: string, value: unknown): readonly FieldError[] {
  if (value === undefined) return [];
  if (typeof value === 'number')
    return value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : [];
  if (typeof value === 'string' && /^\d+%$/.test(value)) return [];
  return [
    invalid(
      field,
      value,
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ),
  ];
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function node(object: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const errors = listAt(object, 'spec', 'taints').flatMap((taint, index): readonly FieldError[] => {
    const field = `spec.taints[${String(index)}]`;
    const effect = textAt(taint, 'effect');
    if (effect === '') return [required(`${field}.effect`)];
    return EFFECTS.includes(effect) ? [] : [unsupported(`${field}.effect`, effect, EFFECTS)];
  });
  const known = textAt(old, 'spec', 'providerID');
  const providerID = textAt(object, 'spec', 'providerID');
  if (known === '' || known === providerID) return errors;
  return [
    ...errors,
    {
      field: 'spec.providerID',
      type: 'forbidden',
      detail: 'node updates may not change providerID except from "" to valid',
    },
  ];
}

function priorityClass(object: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const value = object['value'];
  if (old !== undefined && old['value'] !== value)
    return [invalid('value', value, 'may not be changed in an update.')];
  const isSystem = object.metadata.name.startsWith('system-');
  const highest = 1_000_000_000;
  if (!isSystem && typeof value === 'number' && value > highest)
    return [
      {
        field: 'value',
        type: 'forbidden',
        detail: `maximum allowed value of a user defined priority is ${String(highest)}`,
      },
    ];
  return [];
}

function service(object: KubeObject): readonly FieldError[] {
  const type = textAt(object, 'spec', 'type');
  const isPortless =
    type === 'ExternalName' || object['spec'] === undefined || textAt(object, 'spec', 'clusterIP') === 'None';
  return listAt(object, 'spec', 'ports').length > 0 || isPortless ? [] : [required('spec.ports')];
}

function definition(object: KubeObject): readonly FieldError[] {
  const plural = textAt(object, 'spec', 'names', 'plural');
  const group = textAt(object, 'spec', 'group');
  const expected = `${plural}.${group}`;
  const errors: FieldError[] = [];
  if (object.metadata.name !== expected)
    errors.push(invalid('metadata.name', object.metadata.name, `must be spec.names.plural+"."+spec.group`));
  const versions = listAt(object, 'spec', 'versions');
  if (versions.filter((version) => valueAt(version, 'storage') === true).length !== 1)
    errors.push(
      invalid('spec.versions', versions.length, 'must have exactly one version marked as storage version'),
    );
  for (const [index, version] of versions.entries())
    if (!isObject(valueAt(version, 'schema', 'openAPIV3Schema')))
      errors.push(required(`spec.versions[${String(index)}].schema.openAPIV3Schema`, 'schemas are required'));
  return errors;
}

export const VALIDATIONS: Readonly<Record<string, Validation>> = {
  Pod: podErrors,
  Deployment: workload(['Always']),
  ReplicaSet: workload(['Always']),
  StatefulSet: workload(['Always']),
  DaemonSet: workload(['Always']),
  Job: workload(['Never', 'OnFailure']),
  PodDisruptionBudget: budget,
  Node: node,
  PriorityClass: priorityClass,
  Service: service,
  CustomResourceDefinition: definition,
};
