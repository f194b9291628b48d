/** Constraints that ask for less, as a pod would have them after one change. */
import type { Requirement } from '../../domain/requirement.js';
import type { Taint, Toleration } from '../../domain/taint.js';
import { requirementsKey, termKey, tolerationsKey } from '../snapshot/spec-key.js';
import type { NodeConstraint } from '../model/constraints/node-constraint.js';

type Parts = Partial<Pick<NodeConstraint, 'selector' | 'anyOf' | 'tolerations'>>;

/** The same with other parts, and with a key of its own. */
function changed(constraint: NodeConstraint, parts: Parts): NodeConstraint {
  const { repelling, features, heedsCordon, ...rest } = { ...constraint, ...parts };
  const key = [
    'changed',
    requirementsKey(rest.selector),
    ...rest.anyOf.map((terms) => terms.map(termKey).sort().join(' or ')),
    `tolerates ${tolerationsKey(rest.tolerations)}`,
    `repelled ${String(repelling.length)} ${String(heedsCordon)}`,
    features.join(','),
  ].join(' & ');
  return { ...rest, repelling, features, heedsCordon, key };
}

/** The constraint with one label left open; a term that asked for nothing else is no constraint any more. */
export function withoutKey(constraint: NodeConstraint, key: string): NodeConstraint {
  const isOther = ([name]: readonly [string, Requirement]): boolean => name !== key;
  const isNamed = constraint.anyOf.some((terms) => terms.some(({ labels }) => labels.has(key)));
  return changed(constraint, {
    selector: new Map([...constraint.selector].filter(isOther)),
    anyOf: !isNamed
      ? constraint.anyOf
      : constraint.anyOf.flatMap((terms) => {
          const left = terms.map((term) => ({ ...term, labels: new Map([...term.labels].filter(isOther)) }));
          return left.some(({ labels, fields }) => labels.size + fields.size === 0) ? [] : [left];
        }),
  });
}

/** The constraint without these groups of terms. */
export function withoutTerms(
  constraint: NodeConstraint,
  groups: ReadonlySet<NodeConstraint['anyOf'][number]>,
): NodeConstraint {
  return changed(constraint, { anyOf: constraint.anyOf.filter((terms) => !groups.has(terms)) });
}

/** The constraint with a toleration for each of the taints. */
export function tolerating(constraint: NodeConstraint, taints: readonly Taint[]): NodeConstraint {
  const more = taints.map(({ key, effect }): Toleration => ({ key, operator: 'Exists', value: '', effect }));
  return changed(constraint, { tolerations: [...constraint.tolerations, ...more] });
}
