/** policy PodDisruptionBudget → domain. */
import type { CountOrPercent, PodDisruptionBudget } from '../../domain/pod-disruption-budget.js';
import { describeValue } from '../documents/part.js';
import { hasObject, member, refuse, rootField, type Field } from './field.js';
import type { Decoded } from './finding.js';
import { readLabelSelector } from './label-selector.js';
import { readObjectName } from './metadata.js';

/** Decodes a policy/v1 PodDisruptionBudget: an empty selector covers the whole namespace, a missing one nothing. */
export function decodePodDisruptionBudget(object: unknown): Decoded<PodDisruptionBudget> {
  const root = rootField(object);
  const name = readObjectName(root);
  if (name === undefined) return { value: undefined, findings: root.findings };
  const spec = member(root, 'spec');
  hasObject(spec);
  const minAvailable = readCountOrPercent(member(spec, 'minAvailable'));
  const maxUnavailable = readCountOrPercent(member(spec, 'maxUnavailable'));
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    refuse(spec, 'must not have both minAvailable and maxUnavailable');
  const selector = readLabelSelector(member(spec, 'selector'));
  return { value: { ...name, selector, minAvailable, maxUnavailable }, findings: root.findings };
}

function readCountOrPercent(field: Field): CountOrPercent | undefined {
  const { value } = field;
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return { unit: 'pods', amount: value };
  const percent = typeof value === 'string' ? /^(\d{1,3})%$/.exec(value)?.[1] : undefined;
  if (percent !== undefined && Number(percent) <= 100) return { unit: 'percent', amount: Number(percent) };
  refuse(field, `must be a count of pods or a percentage from 0% to 100%, not ${describeValue(value)}`);
  return undefined;
}
