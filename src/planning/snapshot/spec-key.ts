/** A text that is equal for pod specs that ask the same, so that they are interned once. */
import type {
  NamespaceScope,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../domain/affinity.js';
import { selectorKey } from '../../domain/label-selector.js';
import type { Labels } from '../../domain/labels.js';
import type { PodSpec } from '../../domain/pod.js';
import type { Requirements } from '../../domain/requirements.js';
import type { ResourceList } from '../../domain/resources.js';
import type { Toleration } from '../../domain/taint.js';
import type { TopologySpreadConstraint } from '../../domain/topology-spread.js';

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
    spec.hasResourceClaims,
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
