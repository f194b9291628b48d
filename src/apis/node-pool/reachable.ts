/** Whether any node can have what a NodePool's requirements and labels ask for together. */
import { canonicalLabel, CAPACITY_TYPE } from '../../domain/values/labels.js';
import { allows, isUnsatisfiable, type Requirement } from '../../domain/values/requirement.js';
import {
  requirementsFromLabels,
  requirementsOf,
  type Requirements,
} from '../../domain/values/requirements.js';
import { refuse, type RuleContext } from '../decode/refuse.js';
import { requirementOf, type RequirementDocument } from '../fields/requirement.js';
import { ALWAYS_PRESENT, CHECKED_VALUES, RESERVATION_LABELS } from '../fields/well-known-labels.js';

interface TemplateDocument {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> | undefined } | undefined;
  readonly spec: { readonly requirements: readonly RequirementDocument[] };
}

/** Refuses a template that no node can satisfy: Karpenter accepts some of them, and their pods stay pending. */
export function checkReachable({ metadata, spec }: TemplateDocument, context: RuleContext): void {
  const read = readAll(spec.requirements);
  if (read === undefined) return;
  const labels = requirementsFromLabels(new Map(Object.entries(metadata?.labels ?? {})));
  const all = requirementsOf([...read, ...labels.values()]);
  const reported = new Set(spec.requirements.filter(isReported).map(({ key }) => canonicalLabel(key)));
  for (const item of all.values()) {
    const problem = reported.has(item.key) ? undefined : problemOf(item, all);
    if (problem !== undefined)
      refuse(context, problem.text, { ...problem, path: ['spec', 'requirements'], code: 'unsatisfiable' });
  }
}

/** undefined when one of them is malformed, which its own rule reports. */
function readAll(requirements: readonly RequirementDocument[]): readonly Requirement[] | undefined {
  try {
    return requirements.map(requirementOf);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether the entry alone was refused already, where it stands. */
function isReported({ key, operator, values = [] }: RequirementDocument): boolean {
  if (operator === 'In' && values.length === 0) return true;
  const known = CHECKED_VALUES.get(canonicalLabel(key));
  return operator === 'In' && known !== undefined && !values.some((value) => known.includes(value));
}

function problemOf(
  item: Requirement,
  all: Requirements,
): { readonly text: string; readonly allowed?: readonly string[] } | undefined {
  const { key } = item;
  if (isUnsatisfiable(item))
    return {
      text: `contradict each other on ${key}, the labels of the template included: no node can satisfy them`,
    };
  const known = CHECKED_VALUES.get(key);
  const isMissed = known !== undefined && !known.some((value) => allows(item, value));
  if (isMissed && (ALWAYS_PRESENT.has(key) || !item.absent))
    return { text: `allow no value of ${key} that a node can have`, allowed: known };
  const capacityType = all.get(CAPACITY_TYPE);
  if (!RESERVATION_LABELS.has(key) || item.absent || capacityType === undefined) return undefined;
  if (allows(capacityType, 'reserved')) return undefined;
  return {
    text: `need ${key}, which only nodes of ${CAPACITY_TYPE} reserved have, and do not allow reserved`,
  };
}
