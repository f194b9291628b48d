/** Nodes as planning sees them: as they will be once they are up, and closed to new pods once they are to go. */
import { currentReboot } from '../../domain/nodes/claim-reboot.js';
import {
  leastDevices,
  leastVolumeLimits,
  zoneIDOf,
  type InstanceType,
} from '../../domain/nodes/instance-type.js';
import { launchedResources } from '../../domain/nodes/launched-resources.js';
import {
  CAPACITY_TYPE,
  HOSTNAME,
  INSTANCE_TYPE,
  ZONE,
  ZONE_ID,
  type Labels,
} from '../../domain/values/labels.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { Node } from '../../domain/nodes/node.js';
import type { Requirement } from '../../domain/values/requirement.js';
import type { ResourceList } from '../../domain/values/resources.js';
import { hasTaint } from '../../domain/values/taint.js';
import { isPassing, UNREACHABLE } from './node-state.js';

/** The node that a claim is going to be, named as the claim; `types` are those of its node class. */
export function nodeOfFlight(claim: NodeClaim, types: readonly InstanceType[]): Node {
  const listed = listedTypes(claim, types);
  const { allocatable, capacity } = claim.status;
  return {
    name: claim.name,
    labels: labelsOfFlight(claim, listed),
    taints: claim.spec.taints,
    unschedulable: false,
    allocatable: allocatable.size > 0 ? allocatable : leastAllocatable(claim, listed),
    capacity: capacity.size > 0 ? capacity : largestCapacity(claim, listed),
    providerID: claim.status.providerID,
    volumeLimits: leastVolumeLimits(listed),
    devices: leastDevices(listed),
    declaredFeatures: undefined,
  };
}

/** A node that is there while its claim is not initialised, or boots again: with what it still lacks, without what it will lose. */
export function nodeStartingUp(node: Node, claim: NodeClaim, types: readonly InstanceType[]): Node {
  const flight = nodeOfFlight(claim, types);
  const reported = [...node.allocatable].filter(([, amount]) => amount > 0);
  const passing = [
    ...claim.spec.startupTaints,
    // While a node boots again, the node controller may take it for lost.
    ...(currentReboot(claim) ? [{ ...UNREACHABLE, value: '' }] : []),
  ];
  return {
    ...node,
    labels: new Map([...flight.labels, ...node.labels]),
    taints: [...node.taints, ...claim.spec.taints.filter((taint) => !hasTaint(node.taints, taint))].filter(
      (taint) => !isPassing(taint, passing),
    ),
    allocatable: new Map([...claim.status.allocatable, ...reported]),
    capacity: new Map([...flight.capacity, ...node.capacity]),
    volumeLimits: new Map([...flight.volumeLimits, ...node.volumeLimits]),
  };
}

/** A node whose CSI drivers have yet to write its CSINode: it attaches as many volumes as its type does. */
export function withVolumeLimits(node: Node, claim: NodeClaim, types: readonly InstanceType[]): Node {
  const limits = leastVolumeLimits(listedTypes(claim, types));
  const isKnown = [...limits.keys()].every((driver) => node.volumeLimits.has(driver));
  return isKnown ? node : { ...node, volumeLimits: new Map([...limits, ...node.volumeLimits]) };
}

/** The types that the instance may be of: one, once it is launched. */
function listedTypes({ spec, status }: NodeClaim, types: readonly InstanceType[]): readonly InstanceType[] {
  const { instanceType } = status;
  if (instanceType !== undefined) return types.filter(({ name }) => name === instanceType);
  const names = spec.requirements.find(({ key }) => key === INSTANCE_TYPE)?.values ?? new Set();
  return types.filter(({ name }) => names.has(name));
}

/** What is certain: labels of the claim, what its requirements leave one value of, what all its types have. */
function labelsOfFlight(claim: NodeClaim, listed: readonly InstanceType[]): Labels {
  const { zone, instanceType, capacityType } = claim.status;
  const decided = new Map(claim.spec.requirements.flatMap(decidedLabel));
  const known: readonly (readonly [string, string | undefined])[] = [
    [ZONE, zone],
    [ZONE_ID, zoneIDOf(listed, zone ?? decided.get(ZONE))],
    [INSTANCE_TYPE, instanceType],
    [CAPACITY_TYPE, capacityType],
    [HOSTNAME, claim.name],
  ];
  return new Map([
    ...commonLabels(listed),
    ...decided,
    ...claim.labels,
    ...known.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  ]);
}

function decidedLabel({
  key,
  complement,
  values,
  absent,
}: Requirement): readonly (readonly [string, string])[] {
  const [only, ...others] = values;
  return complement || absent || only === undefined || others.length > 0 ? [] : [[key, only]];
}

function commonLabels([first, ...others]: readonly InstanceType[]): readonly (readonly [string, string])[] {
  return [...(first?.labels ?? [])].filter(([key, value]) =>
    others.every(({ labels }) => labels.get(key) === value),
  );
}

/** What is there whichever type it will be; what its pods need where no type is known any more. */
function leastAllocatable({ spec }: NodeClaim, listed: readonly InstanceType[]): ResourceList {
  const [first, ...others] = listed.map((type) => launchedResources(type, spec.requests).allocatable);
  if (first === undefined) return spec.requests;
  return new Map(
    [...first].map(([resource, amount]) => [
      resource,
      others.reduce((least, allocatable) => Math.min(least, allocatable.get(resource) ?? 0), amount),
    ]),
  );
}

/** Limits must hold whichever type it will be. */
function largestCapacity({ spec }: NodeClaim, listed: readonly InstanceType[]): ResourceList {
  if (listed.length === 0) return spec.requests;
  const largest = new Map<string, number>();
  for (const type of listed)
    for (const [resource, amount] of launchedResources(type, spec.requests).capacity)
      largest.set(resource, Math.max(amount, largest.get(resource) ?? 0));
  return largest;
}
