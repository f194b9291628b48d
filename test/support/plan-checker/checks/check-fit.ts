/** Whether the pods of a target fit it, in every form it may take: labels, taints, room, ports, volumes, features. */
import type { DaemonSet } from '../../../../src/domain/pods/daemon-set.js';
import { hostPortsConflict, type HostPort, type PodSpec } from '../../../../src/domain/pods/pod.js';
import { formatAmount, type ResourceList } from '../../../../src/domain/values/resources.js';
import { formatTaint } from '../../../../src/domain/values/taint.js';
import type { Devices } from '../devices.js';
import { daemonSetsToCome, landingName, type Resident, type Target } from '../final-state.js';
import type { Landing } from '../landing.js';
import { admittedByLabels, repellingTaint } from '../node-rules.js';
import type { Findings } from '../violation.js';
import type { Volumes } from '../volumes.js';

/** What fitting is judged with, besides the target. */
export interface FitContext {
  readonly daemonSets: readonly DaemonSet[];
  readonly volumes: Volumes;
  readonly devices: Devices;
  readonly findings: Findings;
}

export function checkFit(target: Target, context: FitContext): void {
  const placed = target.residents.filter((resident) => resident.placed);
  if (placed.length === 0) return;
  for (const resident of placed) checkNodeWide(target, resident, context.findings);
  const pods = sumOf(target.residents.map(({ pod }) => pod.spec));
  const asked = new Set(placed.flatMap(({ pod }) => requestedNames(pod.spec)));
  for (const landing of target.landings) {
    for (const resident of placed) checkLabels(target, landing, resident, context);
    const daemons = daemonSetsToCome(context.daemonSets, target, landing.labels).map(({ spec }) => spec);
    checkRoom(target, landing, { pods, daemons, asked }, context.findings);
    checkPorts(target, landing, daemons, context.findings);
    const problem = context.devices.problem(target, landing);
    const subject = placed.find(({ pod }) => pod.spec.resourceClaims.length > 0)?.key ?? target.name;
    if (problem !== undefined)
      context.findings.add('dynamic-resources', subject, `${problem}: ${landingName(target, landing)}`);
  }
}

/** Rules in which the form of the target plays no part. */
function checkNodeWide(target: Target, { key, pod }: Resident, findings: Findings): void {
  const { spec } = pod;
  const repelling = repellingTaint(spec, target.taints);
  const cordoned = target.node?.unschedulable === true;
  if (repelling !== undefined) {
    const kind = cordoned && repelling.key === 'node.kubernetes.io/unschedulable' ? 'cordon' : 'taint';
    findings.add(kind, key, `does not tolerate ${formatTaint(repelling)} of ${target.name}`);
  }
  const declared = target.node?.declaredFeatures;
  const missing = spec.requiredFeatures.find((feature) => declared?.has(feature) !== true);
  if (target.kind === 'Node' && missing !== undefined)
    findings.add('features', key, `node ${target.name} does not declare ${missing}`);
}

function checkLabels(target: Target, landing: Landing, { key, pod }: Resident, context: FitContext): void {
  const node = { labels: landing.labels, name: target.node?.name };
  if (!admittedByLabels(pod.spec, node))
    context.findings.add('node-affinity', key, `${target.name} may be ${landingName(target, landing)}`);
  if (pod.spec.volumes.length === 0) return;
  const problem = context.volumes.problem(pod.spec, node);
  if (problem !== undefined)
    context.findings.add('volume', key, `${problem}: ${landingName(target, landing)}`);
}

interface Demand {
  readonly pods: ResourceList;
  readonly daemons: readonly PodSpec[];
  /** Resources that placed pods ask for: on an existing node no other can stand in their way. */
  readonly asked: ReadonlySet<string>;
}

function checkRoom(target: Target, landing: Landing, demand: Demand, findings: Findings): void {
  const daemons = sumOf(demand.daemons);
  const names = target.kind === 'Node' ? demand.asked : new Set([...demand.pods.keys(), ...daemons.keys()]);
  for (const name of names) {
    const needed = (demand.pods.get(name) ?? 0) + (daemons.get(name) ?? 0);
    const allocatable = landing.allocatable.get(name) ?? 0;
    if (needed > allocatable)
      findings.add(
        'resources',
        target.name,
        `${name}: ${formatAmount(name, needed)} needed, ${landingName(target, landing)} has ${formatAmount(name, allocatable)}`,
      );
  }
}

/** No pod that the plan places takes a port that another pod or a DaemonSet has there. */
function checkPorts(target: Target, landing: Landing, daemons: readonly PodSpec[], findings: Findings): void {
  const taken: HostPort[] = daemons.flatMap(({ hostPorts }) => hostPorts);
  const boundFirst = [...target.residents].sort((left, right) => Number(left.placed) - Number(right.placed));
  for (const { key, pod, placed } of boundFirst) {
    const conflict = pod.spec.hostPorts.find((port) => taken.some((other) => hostPortsConflict(port, other)));
    if (placed && conflict !== undefined)
      findings.add(
        'host-port',
        key,
        `port ${String(conflict.port)} is taken on ${landingName(target, landing)}`,
      );
    taken.push(...pod.spec.hostPorts);
  }
}

function requestedNames({ requests }: PodSpec): readonly string[] {
  return [...requests].filter(([, amount]) => amount > 0).map(([name]) => name);
}

/** What the specs request together. */
export function sumOf(specs: readonly PodSpec[]): ResourceList {
  const total = new Map<string, number>();
  for (const { requests } of specs)
    for (const [name, amount] of requests) total.set(name, (total.get(name) ?? 0) + amount);
  return total;
}
