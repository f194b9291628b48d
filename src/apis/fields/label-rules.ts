/** Which labels a NodePool may set or require, as Karpenter's API and its runtime checks have it. */
import { canonicalLabel, HOSTNAME, isLabelKey, isLabelValue, NODEPOOL } from '../../domain/values/labels.js';
import { nearest } from '../decode/nearest.js';
import { refuse, type RuleContext } from '../decode/refuse.js';
import { AWS_LABELS, WELL_KNOWN_LABELS } from './well-known-labels.js';

/** Since v1 the domains kubernetes.io and k8s.io are free; before, all but well-known keys were reserved. */
export type LabelEra = 'v1' | 'before-v1';

const OLD_KUBERNETES_KEYS = [
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
];
const OLD_FREE_DOMAINS = ['node.kubernetes.io', 'node-restriction.kubernetes.io', 'kops.k8s.io'];
const RESERVED_KEYS: ReadonlySet<string> = new Set([HOSTNAME, NODEPOOL, 'karpenter.sh/provisioner-name']);

/** Reports a key that is no label, or that a NodePool must not use. */
export function checkLabelKey(key: string, era: LabelEra, context: RuleContext): void {
  if (!isLabelKey(key)) {
    refuse(
      context,
      'is not a label: it must be a name of at most 63 letters, digits, -, _ and ., after an optional DNS prefix and /',
    );
    return;
  }
  const reserved = reservedReason(canonicalLabel(key), era);
  if (reserved === undefined) return;
  const guess = RESERVED_KEYS.has(key) ? undefined : nearest(key, WELL_KNOWN_LABELS);
  refuse(context, reserved, {
    code: 'restricted-label',
    guess,
    ...(key.startsWith('karpenter.k8s.aws/') && { allowed: AWS_LABELS }),
  });
}

/** Why a NodePool may not use the key; undefined when it may. */
function reservedReason(key: string, era: LabelEra): string | undefined {
  if (RESERVED_KEYS.has(key)) return 'is restricted: every node gets this label anyway';
  if (WELL_KNOWN_LABELS.includes(key)) return undefined;
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const restricted = ['karpenter.sh', 'karpenter.k8s.aws'].find((name) => domain.endsWith(name));
  if (restricted !== undefined)
    return `is restricted: the label domain ${restricted} is reserved for well-known labels`;
  return era === 'v1' ? undefined : oldReason(key, domain);
}

function oldReason(key: string, domain: string): string | undefined {
  if (OLD_KUBERNETES_KEYS.includes(key) || OLD_FREE_DOMAINS.some((free) => domain.endsWith(free)))
    return undefined;
  const restricted = ['kubernetes.io', 'k8s.io'].find((name) => domain.endsWith(name));
  return restricted && `is restricted: before karpenter.sh/v1 the label domain ${restricted} is reserved`;
}

/** Reports a value that no label can have. */
export function checkLabelValue(value: unknown, context: RuleContext): void {
  if (typeof value !== 'string' || isLabelValue(value)) return;
  refuse(
    context,
    `must be at most 63 letters, digits, -, _ and ., starting and ending with a letter or digit, not ${JSON.stringify(value.slice(0, 80))}`,
  );
}
