/** spec of a pod or of a pod template, as scheduling sees it. */
import type { Labels } from '../../../../domain/values/labels.js';
import type { HostPort, PodSpec } from '../../../../domain/pods/pod.js';
import {
  elements,
  type Field,
  flag,
  hasObject,
  member,
  optionalInteger,
  optionalText,
  refuseMissing,
  firstElements,
  optionalChoice,
  refuse,
  requiredChoice,
} from '../../object/field.js';
import { warnOfUnknownPodFields } from '../../object/unknown-fields.js';
import { readNodeLabels, readLabelKeys, readTopologyKey, readValues } from '../../object/labels.js';
import type { ObjectName } from '../../object/metadata.js';
import { readNodeAffinity, heaviest, MOST_PREFERENCES, readWeight } from '../../object/node-selector.js';
import { readPodClaims } from '../../devices/pod-claims.js';
import type { PodContext } from '../pod-context.js';
import { isSidecar, readPodRequests } from './pod-requests.js';
import { readVolumes } from '../../volumes/pod-volumes.js';
import { readPriority } from '../priority-class.js';
import { readTolerations } from '../../object/taints.js';
import {
  NO_POD_AFFINITY,
  type NamespaceScope,
  type PodAffinity,
  type PodAffinityTerm,
  type PreferredPodAffinityTerm,
} from '../../../../domain/pods/affinity.js';
import { narrowByPodLabels, type LabelSelector } from '../../../../domain/values/label-selector.js';
import { readLabelSelector } from '../../object/label-selector.js';
import type { TopologySpreadConstraint } from '../../../../domain/pods/topology-spread.js';

const RESTART_ALL_CONTAINERS = 'RestartAllContainersOnContainerExits';
const USER_NAMESPACES_ON_HOST_NETWORK = 'UserNamespacesHostNetworkSupport';
/** Required terms that are read. */
const MOST_TERMS = 1000;
const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'] as const;
const POLICIES = ['Honor', 'Ignore'] as const;
const MOST = 2 ** 31 - 1;
/** Constraints that are read. */
const MOST_CONSTRAINTS = 1000;

/** The pod that a spec is read for. */
export interface PodIdentity extends ObjectName {
  readonly labels: Labels;
}

export const DEFAULT_SCHEDULER = 'default-scheduler';

/** Reads a spec. `status` matters only for a resize under way and for ResourceClaims; it is missing in templates. */
export function readPodSpec(spec: Field, status: Field, pod: PodIdentity, context: PodContext): PodSpec {
  if (!hasObject(spec) && spec.value === undefined) refuseMissing(spec);
  warnOfUnknownPodFields(spec);
  const containers = member(spec, 'containers');
  if (hasNothing(containers)) refuseMissing(containers);
  const affinity = member(spec, 'affinity');
  hasObject(affinity);
  const schedulerName = optionalText(member(spec, 'schedulerName')) ?? '';
  return {
    namespace: pod.namespace,
    labels: pod.labels,
    requests: readPodRequests(spec, status),
    nodeSelector: readNodeLabels(member(spec, 'nodeSelector')),
    nodeAffinity: readNodeAffinity(member(affinity, 'nodeAffinity')),
    podAffinity: readPodAffinity(member(affinity, 'podAffinity'), pod),
    podAntiAffinity: readPodAffinity(member(affinity, 'podAntiAffinity'), pod),
    tolerations: readTolerations(member(spec, 'tolerations')),
    spread: readSpread(member(spec, 'topologySpreadConstraints'), pod.labels),
    hostPorts: readHostPorts(spec),
    volumes: readVolumes(elements(member(spec, 'volumes')), pod, context.storage),
    priority: readPriority(spec, context.priorities),
    schedulerName: schedulerName === '' ? DEFAULT_SCHEDULER : schedulerName,
    requiredFeatures: readRequiredFeatures(spec),
    resourceClaims: readPodClaims(spec, status, pod.namespace),
  };
}

function hasNothing(containers: Field): boolean {
  return containers.value === undefined || (Array.isArray(containers.value) && containers.value.length === 0);
}

/**
 * Node features that the spec asks for, as kube-scheduler 1.36 infers them (KEP-5328, NodeDeclaredFeatures): names as nodes
 * declare them in status.declaredFeatures, sorted.
 */
function readRequiredFeatures(spec: Field): readonly string[] {
  const containers = [...elements(member(spec, 'containers')), ...elements(member(spec, 'initContainers'))];
  const features: string[] = [];
  if (containers.some(restartsAllContainers)) features.push(RESTART_ALL_CONTAINERS);
  if (member(spec, 'hostUsers').value === false && flag(member(spec, 'hostNetwork')))
    features.push(USER_NAMESPACES_ON_HOST_NETWORK);
  return features;
}

function restartsAllContainers(container: Field): boolean {
  return elements(member(container, 'restartPolicyRules')).some(
    (rule) => member(rule, 'action').value === 'RestartAllContainers',
  );
}

// Ports of the node that a pod binds.

const ANY_ADDRESS = '0.0.0.0';

/**
 * Host ports of the containers and sidecars, each once (init containers that end do not count). With hostNetwork
 * every container port is one.
 */
function readHostPorts(spec: Field): readonly HostPort[] {
  const hostNetwork = flag(member(spec, 'hostNetwork'));
  const sidecars = elements(member(spec, 'initContainers')).filter(isSidecar);
  const found = new Map<string, HostPort>();
  for (const container of [...sidecars, ...elements(member(spec, 'containers'))]) {
    for (const field of elements(member(container, 'ports'))) {
      const port = readHostPort(field, hostNetwork);
      if (port !== undefined) found.set(`${port.protocol} ${port.hostIP} ${String(port.port)}`, port);
    }
  }
  return [...found.values()];
}

function readHostPort(field: Field, hostNetwork: boolean): HostPort | undefined {
  const given = optionalInteger(member(field, 'hostPort'), 0, 65535) ?? 0;
  const containerPort = hostNetwork ? (optionalInteger(member(field, 'containerPort'), 1, 65535) ?? 0) : 0;
  const port = given === 0 ? containerPort : given;
  if (port === 0) return undefined;
  const hostIP = optionalText(member(field, 'hostIP')) ?? '';
  const protocol = optionalText(member(field, 'protocol')) ?? '';
  return { port, hostIP: hostIP === '' ? ANY_ADDRESS : hostIP, protocol: protocol === '' ? 'TCP' : protocol };
}

/** The pod whose affinity is read. */
interface Subject {
  readonly namespace: string;
  readonly labels: Labels;
}

/** spec.affinity.podAffinity or podAntiAffinity. */
function readPodAffinity(field: Field, subject: Subject): PodAffinity {
  if (!hasObject(field)) return NO_POD_AFFINITY;
  const required = firstElements(member(field, 'requiredDuringSchedulingIgnoredDuringExecution'), MOST_TERMS);
  const preferred = heaviest(
    member(field, 'preferredDuringSchedulingIgnoredDuringExecution'),
    MOST_PREFERENCES,
  );
  return {
    required: required.flatMap((item) => readTerm(item, subject)),
    preferred: preferred.flatMap((item) => readPreferred(item, subject)),
  };
}

function readPreferred(field: Field, subject: Subject): PreferredPodAffinityTerm[] {
  const weight = readWeight(member(field, 'weight'));
  const termField = member(field, 'podAffinityTerm');
  const terms = readTerm(termField, subject);
  return weight === undefined ? [] : terms.map((term) => ({ weight, term }));
}

function readTerm(field: Field, subject: Subject): PodAffinityTerm[] {
  hasObject(field);
  const topologyKey = readTopologyKey(member(field, 'topologyKey'));
  const keys = {
    match: readLabelKeys(member(field, 'matchLabelKeys')),
    mismatch: readLabelKeys(member(field, 'mismatchLabelKeys')),
  };
  const selector = narrowByPodLabels(readLabelSelector(member(field, 'labelSelector')), subject.labels, keys);
  const namespaces = readNamespaceScope(field, subject.namespace);
  return topologyKey === undefined ? [] : [{ topologyKey, selector, namespaces }];
}

/** Without namespaces and namespaceSelector: the pod's own. The selector {} is every namespace. */
function readNamespaceScope(term: Field, ownNamespace: string): NamespaceScope {
  const names = readValues(member(term, 'namespaces'));
  const selector = readLabelSelector(member(term, 'namespaceSelector'));
  const own = names.length === 0 && selector === undefined;
  return { names: new Set(own ? [ownNamespace] : names), selector };
}

/** Constraints with matchLabelKeys folded into their selectors. */
function readSpread(field: Field, labels: Labels): readonly TopologySpreadConstraint[] {
  return firstElements(field, MOST_CONSTRAINTS).flatMap((item) => readConstraint(item, labels));
}

function readConstraint(field: Field, labels: Labels): TopologySpreadConstraint[] {
  const maxSkewField = member(field, 'maxSkew');
  if (maxSkewField.value === undefined) refuseMissing(maxSkewField);
  const maxSkew = optionalInteger(maxSkewField, 1, MOST);
  const topologyKey = readTopologyKey(member(field, 'topologyKey'));
  const whenUnsatisfiable = requiredChoice(member(field, 'whenUnsatisfiable'), ACTIONS);
  const minDomainsField = member(field, 'minDomains');
  const minDomains = optionalInteger(minDomainsField, 1, MOST);
  if (minDomains !== undefined && whenUnsatisfiable === 'ScheduleAnyway')
    refuse(minDomainsField, 'must not be given with whenUnsatisfiable ScheduleAnyway');
  const selector = readSelector(field, labels);
  const nodeAffinityPolicy = optionalChoice(member(field, 'nodeAffinityPolicy'), POLICIES) ?? 'Honor';
  const nodeTaintsPolicy = optionalChoice(member(field, 'nodeTaintsPolicy'), POLICIES) ?? 'Ignore';
  if (maxSkew === undefined || topologyKey === undefined || whenUnsatisfiable === undefined) return [];
  const policies = { nodeAffinityPolicy, nodeTaintsPolicy };
  return [{ maxSkew, topologyKey, whenUnsatisfiable, selector, minDomains: minDomains ?? 1, ...policies }];
}

/** kube-scheduler counts no pods for an empty selector (PodTopologySpread), so it becomes one that matches none. */
function readSelector(field: Field, labels: Labels): LabelSelector | undefined {
  const match = readLabelKeys(member(field, 'matchLabelKeys'));
  const selector = narrowByPodLabels(readLabelSelector(member(field, 'labelSelector')), labels, {
    match,
    mismatch: [],
  });
  return selector?.requirements.size === 0 ? undefined : selector;
}
