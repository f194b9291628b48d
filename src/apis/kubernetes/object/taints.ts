/** Taints of nodes and tolerations of pods. */
import { isLabelKey } from '../../../domain/values/labels.js';
import type { JsonObject } from '../../../domain/policies/policy.js';
import { TAINT_EFFECTS, type Taint, type Toleration } from '../../../domain/values/taint.js';
import { describeValue } from '../../documents/part.js';
import {
  elements,
  firstElements,
  member,
  optionalChoice,
  optionalText,
  refuse,
  requiredChoice,
  requiredText,
  type Field,
} from './field.js';

const OPERATORS = ['Exists', 'Equal'] as const;
/** Tolerations that are read. */
const MOST_TOLERATIONS = 1000;

/** spec.taints of a node. */
export function readTaints(field: Field): readonly Taint[] {
  return elements(field).flatMap((item) => {
    const key = requiredText(member(item, 'key'));
    const effect = requiredChoice(member(item, 'effect'), TAINT_EFFECTS);
    const value = optionalText(member(item, 'value')) ?? '';
    return key === '' || effect === undefined ? [] : [{ key, value, effect }];
  });
}

/** `{key, value, effect}`; an empty value is left out. */
export function encodeTaint({ key, value, effect }: Taint): JsonObject {
  return { key, ...(value !== '' && { value }), effect };
}

/** spec.tolerations of a pod. The operator is Equal unless given; an empty key needs Exists. */
export function readTolerations(field: Field): readonly Toleration[] {
  return firstElements(field, MOST_TOLERATIONS).flatMap((item) => {
    const toleration = readToleration(item);
    return toleration === undefined ? [] : [toleration];
  });
}

function readToleration(field: Field): Toleration | undefined {
  const findings = field.findings.length;
  const keyField = member(field, 'key');
  const key = optionalText(keyField) ?? '';
  const operator = optionalChoice(emptyAsMissing(member(field, 'operator')), OPERATORS) ?? 'Equal';
  const valueField = member(field, 'value');
  const value = optionalText(valueField) ?? '';
  const effect = optionalChoice(emptyAsMissing(member(field, 'effect')), TAINT_EFFECTS);
  if (key !== '' && !isLabelKey(key)) refuse(keyField, `must be a label key, not ${describeValue(key)}`);
  if (key === '' && operator === 'Equal') refuse(field, 'must have operator Exists when it has no key');
  if (operator === 'Exists' && value !== '') refuse(valueField, 'must be empty when operator is Exists');
  return field.findings.length > findings ? undefined : { key, operator, value, effect };
}

/** In Go's JSON an empty enum and a missing one are the same. */
function emptyAsMissing(field: Field): Field {
  return field.value === '' ? { ...field, value: undefined } : field;
}

const CONDITION_TAINTS: readonly (readonly [name: string, effect: Taint['effect']])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
];

/** The tolerations that the DaemonSet controller adds to the pods it makes. */
export function daemonTolerations(hostNetwork: boolean): readonly Toleration[] {
  const names = hostNetwork
    ? [...CONDITION_TAINTS, ['network-unavailable', 'NoSchedule'] as const]
    : CONDITION_TAINTS;
  return names.map(([name, effect]) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    value: '',
    effect,
  }));
}
