/** Finds the policies among documents: bare ones, and those inside policy ConfigMaps. */
import { Findings } from '../decode/findings.js';
import { plainObject, valueAt } from '../decode/plain.js';
import type { Document, SourceText } from '../documents/document.js';
import { POLICY_BOUNDS, ReadBudget } from '../documents/read-budget.js';
import { readDocuments } from '../documents/read-documents.js';
import type { Issue } from '../issue.js';
import { isPolicy } from '../conversion/upgrade.js';

/** Label that makes a ConfigMap one of policies. */
export const POLICY_LABEL = 'berth.sh/policy';

export interface PolicyDocuments {
  readonly documents: readonly Document[];
  readonly issues: readonly Issue[];
}

/**
 * The policies in the order of the documents; everything else is left to others. Of each ConfigMap no more is read than
 * POLICY_BOUNDS allow, or than is left of the given budget.
 */
export function policyDocuments(documents: readonly Document[], budget?: ReadBudget): PolicyDocuments {
  const found = documents.map((document) => {
    if (document.kind === 'ConfigMap' && document.apiVersion === 'v1')
      return fromConfigMap(document, budget ?? new ReadBudget(POLICY_BOUNDS));
    return { documents: isPolicy(document) ? [document] : [], issues: [] };
  });
  return { documents: found.flatMap((item) => item.documents), issues: found.flatMap((item) => item.issues) };
}

/** All documents under all keys. */
function fromConfigMap(configMap: Document, budget: ReadBudget): PolicyDocuments {
  const label = valueAt(configMap.value, ['metadata', 'labels', POLICY_LABEL]);
  if (label === undefined || (typeof label === 'string' && label !== 'true'))
    return { documents: [], issues: [] };
  const findings = new Findings(configMap);
  const path = ['metadata', 'labels', POLICY_LABEL];
  if (label !== 'true')
    findings.error({ code: 'wrong-type', path, text: 'must be text: write it in quotes, "true"' });
  const documents: Document[] = [];
  const issues: Issue[] = [];
  for (const [key, text] of Object.entries(plainObject(configMap.value['data']) ?? {})) {
    if (typeof text !== 'string') {
      findings.error({
        code: 'wrong-type',
        path: ['data', key],
        text: 'must be text that holds YAML documents: put | behind the key',
      });
      continue;
    }
    const read = readDocuments(textOf(configMap, key, text), budget);
    issues.push(...read.issues, ...read.documents.flatMap(foreign));
    documents.push(...read.documents.filter(isPolicy));
    if (budget.excess !== undefined) break;
  }
  return { documents, issues: [...findings.issues, ...issues] };
}

/**
 * The text of a key. Its places are those of the ConfigMap's own text where the key is a literal block (`key: |`);
 * otherwise they count within the value, and the source names it: `pools.json configmap/pools[general.yaml]`.
 */
function textOf(configMap: Document, key: string, text: string): SourceText {
  const placeInSource = configMap.locateInBlock(['data', key]);
  if (placeInSource !== undefined) return { source: configMap.source, text, placeInSource };
  return { source: `${configMap.source} configmap/${configMap.name}[${key}]`.trimStart(), text };
}

/** A user who puts something else into a policy ConfigMap expects that it has an effect. */
function foreign(document: Document): readonly Issue[] {
  if (isPolicy(document)) return [];
  const findings = new Findings(document);
  findings.error({
    code: 'unknown-kind',
    path: ['kind'],
    text: `must be a policy in a policy ConfigMap, not ${document.kind}`,
  });
  return findings.issues;
}
