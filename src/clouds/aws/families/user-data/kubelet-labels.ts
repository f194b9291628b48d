/** Labels and taints as a kubelet takes them on its command line. */
import type { Labels } from '../../../../domain/values/labels.js';
import type { LaunchIntent } from '../../../../ports/cloud.js';

/** Of the namespaces kubernetes.io and k8s.io a kubelet starts with these labels only (kubelet --node-labels). */
const ALLOWED: ReadonlySet<string> = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
const ALLOWED_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const GUARDED_DOMAINS = ['kubernetes.io', 'k8s.io'];

/** The labels that a kubelet may give its own node, by key; it refuses to start with others, which registration adds. */
export function kubeletLabels(labels: Labels): readonly (readonly [string, string])[] {
  return [...labels].filter(([key]) => isAllowed(key)).sort(([left], [right]) => (left < right ? -1 : 1));
}

function isAllowed(key: string): boolean {
  if (ALLOWED.has(key)) return true;
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  return isWithin(domain, ALLOWED_DOMAINS) || !isWithin(domain, GUARDED_DOMAINS);
}

function isWithin(domain: string, parents: readonly string[]): boolean {
  return parents.some((parent) => domain === parent || domain.endsWith(`.${parent}`));
}

/** `a=b,c=d`; empty when there is none. */
export function labelList(labels: Labels): string {
  return kubeletLabels(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** `key=value:Effect,key:Effect`; empty when there is none. */
export function taintList(taints: LaunchIntent['taints']): string {
  return taints
    .map(({ key, value, effect }) => (value === '' ? `${key}:${effect}` : `${key}=${value}:${effect}`))
    .join(',');
}
