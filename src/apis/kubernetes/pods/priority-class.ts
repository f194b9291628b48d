/** PriorityClasses and the priority that a pod gets from them. */
import { describeValue } from '../../documents/part.js';
import {
  flag,
  member,
  optionalInteger,
  optionalText,
  refuseMissing,
  rootField,
  warn,
  type Field,
} from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readObjectName } from '../object/metadata.js';

export interface PriorityClass {
  readonly name: string;
  readonly value: number;
  readonly globalDefault: boolean;
}

/** What pods' priorities are looked up in. */
export interface Priorities {
  /** Class name → value. */
  readonly classes: ReadonlyMap<string, number>;
  /** Of pods that name no class. */
  readonly byDefault: number;
}

/** Classes that every cluster has (Kubernetes: pod-priority-preemption). */
const BUILT_IN: readonly (readonly [string, number])[] = [
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
];

const LEAST = -(2 ** 31);
const MOST = 2 ** 31 - 1;

/** Decodes a scheduling.k8s.io PriorityClass. */
export function decodePriorityClass(object: unknown): Decoded<PriorityClass> {
  const root = rootField(object);
  const name = readObjectName(root)?.name;
  const valueField = member(root, 'value');
  if (valueField.value === undefined) refuseMissing(valueField);
  const value = optionalInteger(valueField, LEAST, MOST) ?? 0;
  const globalDefault = flag(member(root, 'globalDefault'));
  return { value: name === undefined ? undefined : { name, value, globalDefault }, findings: root.findings };
}

/** Of several global defaults the lowest counts, as in the API server's admission. */
export function prioritiesOf(classes: readonly PriorityClass[]): Priorities {
  const defaults = classes.filter((item) => item.globalDefault).map((item) => item.value);
  return {
    classes: new Map([...BUILT_IN, ...classes.map((item): [string, number] => [item.name, item.value])]),
    byDefault: defaults.length === 0 ? 0 : Math.min(...defaults),
  };
}

/** spec.priority where admission has set it, else what the class says; 0 with a warning for an unknown class. */
export function readPriority(spec: Field, priorities: Priorities): number {
  const given = optionalInteger(member(spec, 'priority'), LEAST, MOST);
  if (given !== undefined) return given;
  const classField = member(spec, 'priorityClassName');
  const name = optionalText(classField) ?? '';
  if (name === '') return priorities.byDefault;
  const value = priorities.classes.get(name);
  if (value === undefined)
    warn(
      classField,
      'unknown-reference',
      `names PriorityClass ${describeValue(name)}, which does not exist: priority 0 is used`,
    );
  return value ?? 0;
}
