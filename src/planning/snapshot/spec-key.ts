/** A text that is equal for pod specs that ask the same, so that they are interned once. */
import type {
  NamespaceScope,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../domain/pods/affinity.js';
import { type LabelSelector, selectorKey } from '../../domain/values/label-selector.js';
import type { Labels } from '../../domain/values/labels.js';
import type { PodSpec } from '../../domain/pods/pod.js';
import type { Requirements } from '../../domain/values/requirements.js';
import type { ResourceList } from '../../domain/values/resources.js';
import type { Toleration } from '../../domain/values/taint.js';
import type { TopologySpreadConstraint } from '../../domain/pods/topology-spread.js';

/** Everything of a spec that scheduling looks at. */
export function specKey(spec: PodSpec): string {
  return JSON.stringify([
    spec.namespace,
    mapKey(spec.labels),
    mapKey(spec.requests),
    mapKey(spec.nodeSelector),
    spec.nodeAffinity.required?.map(termKey) ?? null,
    spec.nodeAffinity.preferred.map(({ weight, term }) => [weight, termKey(term)]),
    podAffinityKey(spec.podAffinity),
    podAffinityKey(spec.podAntiAffinity),
    tolerationsKey(spec.tolerations),
    spec.spread.map(spreadKey),
    spec.hostPorts.map((port) => [port.hostIP, port.protocol, port.port]),
    spec.volumes.map((use) => [use.claim, use.ephemeralClass ?? null]),
    spec.priority,
    spec.requiredFeatures,
    spec.resourceClaims.map((use) => [use.claim ?? null, use.template ?? null, use.isAllocated === true]),
  ]);
}

function mapKey(map: Labels | ResourceList): readonly (readonly [string, string | number])[] {
  return map.size === 0 ? [] : [...map].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Equal for requirements that say the same. */
export function requirementsKey(requirements: Requirements): string {
  return requirements.size === 0 ? '' : selectorKey({ requirements });
}

/** Equal for node selector terms that say the same. */
export function termKey(term: NodeSelectorTerm): string {
  return `${requirementsKey(term.labels)}|${requirementsKey(term.fields)}`;
}

/** Equal for toleration lists that tolerate the same. */
export function tolerationsKey(tolerations: readonly Toleration[]): string {
  if (tolerations.length === 0) return '';
  return tolerations
    .map((item) => `${item.key} ${item.operator} ${item.value} ${item.effect ?? ''}`)
    .sort()
    .join(',');
}

/** Equal for scopes that name the same namespaces. */
export function scopeKey(scope: NamespaceScope): string {
  return `${[...scope.names].sort().join(',')}/${selectorKey(scope.selector)}`;
}

function affinityTermKey(term: PodAffinityTerm): string {
  return `${term.topologyKey}|${selectorKey(term.selector)}|${scopeKey(term.namespaces)}`;
}

function podAffinityKey(affinity: PodAffinity): unknown {
  if (affinity.required.length + affinity.preferred.length === 0) return 0;
  return [
    affinity.required.map(affinityTermKey),
    affinity.preferred.map(({ weight, term }) => [weight, affinityTermKey(term)]),
  ];
}

function spreadKey(spread: TopologySpreadConstraint): unknown {
  return [
    spread.topologyKey,
    spread.maxSkew,
    spread.whenUnsatisfiable,
    selectorKey(spread.selector),
    spread.minDomains,
    spread.nodeAffinityPolicy,
    spread.nodeTaintsPolicy,
  ];
}

/**
 * Everything of a spec that scheduling looks at, as it is given. Every list is written with its length and every text with
 * its own, so that no two specs share a wording.
 */
export function specWording(spec: PodSpec): string {
  const flags = `${String(spec.priority)}${claimsWording(spec.resourceClaims)}`;
  const plain = `${flags}${text(spec.namespace)}${pairs(spec.labels)}${pairs(spec.requests)}${pairs(spec.nodeSelector)}`;
  return `${plain}${nodeWording(spec)}${affinityWording(spec.podAffinity)}${affinityWording(spec.podAntiAffinity)}${placeWording(spec)}`;
}

function claimsWording(claims: PodSpec['resourceClaims']): string {
  if (claims.length === 0) return ';0';
  return list(
    claims,
    ({ claim = '', template = '', isAllocated }) =>
      `${text(claim)}${text(template)}${isAllocated ? '1' : '0'}`,
  );
}

/** With its length. */
function text(value: string): string {
  return ` ${String(value.length)} ${value}`;
}

function list<T>(items: readonly T[], wordingOf: (item: T) => string): string {
  if (items.length === 0) return ';0';
  let wording = `;${String(items.length)}`;
  for (const item of items) wording += wordingOf(item);
  return wording;
}

function pairs(map: ReadonlyMap<string, string | number>): string {
  if (map.size === 0) return ';0';
  let wording = `;${String(map.size)}`;
  for (const [key, value] of map) wording += text(key) + text(String(value));
  return wording;
}

function nodeWording({ nodeAffinity: { required, preferred } }: PodSpec): string {
  if (required === undefined && preferred.length === 0) return '-';
  const asked = required === undefined ? '-' : list(required, termWording);
  return `${asked}${list(preferred, ({ weight, term }) => ` ${String(weight)}${termWording(term)}`)}`;
}

function termWording({ labels, fields }: NodeSelectorTerm): string {
  return requirementsWording(labels) + requirementsWording(fields);
}

function requirementsWording(requirements: Requirements): string {
  let wording = `;${String(requirements.size)}`;
  for (const { key, complement, values, atLeast, atMost, absent } of requirements.values()) {
    wording += `${text(key)} ${complement ? '1' : '0'}${absent ? '1' : '0'}`;
    wording += ` ${String(atLeast)} ${String(atMost)} ${String(values.size)}`;
    for (const value of values) wording += text(value);
  }
  return wording;
}

function selectorWording(selector: LabelSelector | undefined): string {
  return selector === undefined ? '-' : requirementsWording(selector.requirements);
}

function scopeWording({ names, selector }: NamespaceScope): string {
  return list([...names], text) + selectorWording(selector);
}

function podTermWording({ topologyKey, selector, namespaces }: PodAffinityTerm): string {
  return text(topologyKey) + selectorWording(selector) + scopeWording(namespaces);
}

function affinityWording({ required, preferred }: PodAffinity): string {
  if (required.length + preferred.length === 0) return '-';
  const asked = list(required, podTermWording);
  return `${asked}${list(preferred, ({ weight, term }) => ` ${String(weight)}${podTermWording(term)}`)}`;
}

/** Taints, spread, ports, volumes and features. */
function placeWording({ tolerations, spread, hostPorts, volumes, requiredFeatures }: PodSpec): string {
  if (tolerations.length + spread.length + hostPorts.length + volumes.length + requiredFeatures.length === 0)
    return '-';
  const tolerated = list(
    tolerations,
    ({ key, operator, value, effect = '' }) => text(key) + text(operator) + text(value) + text(effect),
  );
  const ports = list(
    hostPorts,
    ({ hostIP, protocol, port }) => `${text(hostIP)}${text(protocol)} ${String(port)}`,
  );
  const claims = list(
    volumes,
    ({ claim, ephemeralClass }) => text(claim) + (ephemeralClass === undefined ? '-' : text(ephemeralClass)),
  );
  return `${tolerated}${list(spread, spreadWording)}${ports}${claims}${list(requiredFeatures, text)}`;
}

function spreadWording(spread: TopologySpreadConstraint): string {
  const { topologyKey, maxSkew, minDomains, whenUnsatisfiable } = spread;
  const numbers = ` ${String(maxSkew)} ${String(minDomains)} ${whenUnsatisfiable}`;
  const policies = ` ${spread.nodeAffinityPolicy} ${spread.nodeTaintsPolicy}`;
  return `${text(topologyKey)}${numbers}${policies}${selectorWording(spread.selector)}`;
}
