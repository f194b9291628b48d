/** policy PodDisruptionBudget → domain. */
import type {
  CountOrPercent,
  PodDisruptionBudget,
  PodDisruptionBudgetStatus,
} from '../../../domain/pods/pod-disruption-budget.js';
import { describeValue } from '../../documents/part.js';
import {
  hasObject,
  member,
  optionalInteger,
  optionalText,
  refuse,
  rootField,
  type Field,
} from '../object/field.js';
import type { Decoded } from '../object/finding.js';
import { readLabelSelector } from '../object/label-selector.js';
import { readObjectName } from '../object/metadata.js';

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
  // Unknown policies are no policy: the API server refuses them, and a newer one may know more.
  const policy = optionalText(member(spec, 'unhealthyPodEvictionPolicy'));
  const value: PodDisruptionBudget = {
    ...name,
    selector,
    minAvailable,
    maxUnavailable,
    unhealthyPodEvictionPolicy: policy === 'AlwaysAllow' ? policy : 'IfHealthyBudget',
    status: readStatus(root),
  };
  return { value, findings: root.findings };
}

/** A budget that was stored and has no status yet lets nothing go, as the Eviction API has it. */
function readStatus(root: Field): PodDisruptionBudgetStatus | undefined {
  const generation = readCount(member(member(root, 'metadata'), 'generation'));
  const status = member(root, 'status');
  if (generation === undefined && !hasObject(status)) return undefined;
  const count = (key: string): number => readCount(member(status, key)) ?? 0;
  return {
    disruptionsAllowed: count('disruptionsAllowed'),
    currentHealthy: count('currentHealthy'),
    desiredHealthy: count('desiredHealthy'),
    isCurrent: count('observedGeneration') >= (generation ?? 0),
  };
}

function readCount(field: Field): number | undefined {
  return optionalInteger(field, 0, Number.MAX_SAFE_INTEGER);
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
