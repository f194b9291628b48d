/** Requirements of a pool that were probably mistyped, or that leave too little choice. */
import { canonicalLabel, CAPACITY_TYPE, INSTANCE_TYPE } from '../../domain/values/labels.js';
import { allows } from '../../domain/values/requirement.js';
import {
  requirementsFromLabels,
  requirementsOf,
  type Requirements,
} from '../../domain/values/requirements.js';
import type { DecodedNodePool } from '../conversion/decode-policy.js';
import type { Findings } from '../decode/findings.js';
import { nearest } from '../decode/nearest.js';
import { CHECKED_VALUES, WELL_KNOWN_LABELS } from '../fields/well-known-labels.js';

const PATH = ['spec', 'template', 'spec', 'requirements'];

/** Warns of single types on spot, and values or keys that were probably mistyped. */
export function warnOfRequirements({ pool, document }: DecodedNodePool, findings: Findings): void {
  const { labels, requirements } = pool.template;
  const all = requirementsOf([...requirements, ...requirementsFromLabels(labels).values()]);
  warnOfOneSpotType(all, findings);
  for (const [index, item] of document.spec.template.spec.requirements.entries()) {
    const path = [...PATH, index];
    const key = canonicalLabel(item.key);
    warnOfKey(key, [...path, 'key'], findings);
    if (item.operator === 'In')
      warnOfValues(key, { values: item.values ?? [], path: [...path, 'values'] }, findings);
  }
}

/** With one type, a shortage of it leaves pods pending and an interruption has no replacement. */
function warnOfOneSpotType(requirements: Requirements, findings: Findings): void {
  const types = requirements.get(INSTANCE_TYPE);
  const capacity = requirements.get(CAPACITY_TYPE);
  if (types === undefined || types.complement || types.values.size !== 1) return;
  if (capacity === undefined || capacity.complement || !allows(capacity, 'spot')) return;
  const text = `allow spot with the single instance type ${[...types.values].join()}: if it is unavailable or interrupted there is no alternative`;
  findings.warning({ code: 'single-spot-type', path: PATH, text });
}

/** Labels of one's own are fine, but not next to a well-known one. */
function warnOfKey(key: string, path: readonly (string | number)[], findings: Findings): void {
  if (!key.includes('kubernetes.io/') || WELL_KNOWN_LABELS.includes(key)) return;
  const guess = nearest(key, WELL_KNOWN_LABELS);
  if (guess !== undefined)
    findings.warning({
      code: 'unknown-label',
      path,
      text: 'is not a well-known label, so no instance type has it',
      guess,
    });
}

function warnOfValues(
  key: string,
  { values, path }: { readonly values: readonly string[]; readonly path: readonly (string | number)[] },
  findings: Findings,
): void {
  const allowed = CHECKED_VALUES.get(key);
  if (allowed === undefined) return;
  for (const [index, value] of values.entries()) {
    if (allowed.includes(value)) continue;
    findings.warning(() => ({
      code: 'unknown-value',
      path: [...path, index],
      text: `is not a value of ${key} that a node can have: ${value}`,
      allowed,
      guess: nearest(value, allowed),
    }));
  }
}
