/** The cluster as disruption takes it: what planning sees, and what the life of each node that Berth launched says. */
import { append } from '../../domain/values/lists.js';
import { isTrue } from '../../domain/values/condition.js';
import { offeringIn, type InstanceType } from '../../domain/nodes/instance-type.js';
import { currentReboot } from '../../domain/nodes/claim-reboot.js';
import { isChangingHands } from '../../domain/nodes/handover.js';
import { EMPTYING_ANNOTATION, expiresAt, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { DISRUPTION_WINDOWS_ANNOTATION, type PodWindows } from '../../domain/pods/disruption-windows.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import { podKey } from '../../domain/pods/pod.js';
import type { DisruptionInput, ManagedNode, NodeLife } from '../../planning/disrupt/question/disruption.js';
import type { DisruptionOutlook } from '../../planning/disrupt/may-disrupt.js';
import { quietSince } from '../../planning/disrupt/methods/consolidation-terms.js';
import type { DisruptionQuestion } from '../../ports/planner.js';
import type { Cluster } from '../cluster/cluster.js';
import { isProvisionable } from './demand.js';
import { isLeaving } from '../nodes/node-state.js';
import { type InputOptions, planInput, plannedNodeName } from './plan-input.js';

export type DisruptionInputQuestion = Omit<DisruptionQuestion, 'options'>;

export const DO_NOT_DISRUPT_ANNOTATION = 'karpenter.sh/do-not-disrupt';
export const DO_NOT_REPAIR_ANNOTATION = 'karpenter.sh/do-not-repair';

export function disruptionInput(
  cluster: Cluster,
  question: DisruptionInputQuestion,
  options: InputOptions = {},
): DisruptionInput {
  const { pools, typesOf, buffers, demandTerms, frozenPools, driftHolds, shiftedZones, now, cursor } =
    question;
  const demand = [...cluster.pods.values()].filter((pod) => isProvisionable(cluster, pod, demandTerms));
  const input = planInput(cluster, { demand, pools, typesOf, buffers, now }, options);
  const awaited = awaitedPods(cluster);
  const listed = new Set(input.nodes.map(({ name }) => name));
  const claims = new Map<string, NodeClaim>();
  const nodes: ManagedNode[] = [];
  for (const claim of cluster.nodeClaims.values()) {
    const name = plannedNodeName(cluster, { kind: 'NodeClaim', name: claim.name });
    if (name === undefined || !isManaged(claim) || !listed.has(name)) continue;
    claims.set(name, claim);
    nodes.push(managedNode(cluster, question, claim, { name, awaitedPods: awaited.get(name) ?? [] }));
  }
  return {
    cluster: input,
    nodes,
    pods: [...cluster.pods.values()],
    podDisruptionBudgets: [...cluster.podDisruptionBudgets.values()],
    workloads: [...cluster.workloads.values()],
    autoscaled: cluster.autoscaledDeployments(),
    frozenPools,
    driftHolds,
    shiftedZones,
    now,
    cursor,
    resting: namesOf(claims, question.resting),
    namespaceWindows: namespaceWindows(cluster),
    only: question.only && namesOf(claims, question.only),
  };
}

/** What of the question says whether it is worth asking. */
export type OutlookQuestion = Pick<
  DisruptionInputQuestion,
  | 'pools'
  | 'frozenPools'
  | 'now'
  | 'podEvents'
  | 'movesTo'
  | 'unhealthy'
  | 'resting'
  | 'proposed'
  | 'shiftedZones'
  | 'uncompared'
  | 'only'
>;

/** The cluster as far as nodes say it, without a look at pods. Its nodes are named as their claims. */
export function disruptionOutlook(cluster: Cluster, question: OutlookQuestion): DisruptionOutlook {
  const { pools, frozenPools, resting, shiftedZones, now } = question;
  const nodes: NodeLife[] = [];
  for (const claim of cluster.nodeClaims.values())
    if (isManaged(claim)) nodes.push(lifeOf(cluster, question, claim, claim.name));
  return { nodes, pools, frozenPools, resting, shiftedZones, now };
}

/** A node that changes hands stays as it is until it has. */
function isManaged(claim: NodeClaim): boolean {
  return claim.status.providerID !== undefined && !isChangingHands(claim);
}

/** The claim of the input's node of this name. */
export function plannedClaim(cluster: Cluster, nodeName: string): NodeClaim | undefined {
  return cluster.claimOfNode(nodeName) ?? cluster.nodeClaims.get(nodeName);
}

function managedNode(
  cluster: Cluster,
  question: DisruptionInputQuestion,
  claim: NodeClaim,
  known: Pick<ManagedNode, 'name' | 'awaitedPods'>,
): ManagedNode {
  return {
    ...lifeOf(cluster, question, claim, known.name),
    awaitedPods: known.awaitedPods,
    hourlyPrice: currentPrice(claim, question.typesOf(claim)),
  };
}

/** What is true of few nodes. */
function marksOf(
  {
    proposed,
    shiftedZones,
    uncompared,
  }: Pick<DisruptionInputQuestion, 'proposed' | 'shiftedZones' | 'uncompared'>,
  claim: NodeClaim,
  isChosen: boolean,
): Pick<NodeLife, 'rebooting' | 'shifted' | 'uncompared' | 'proposed'> {
  const { name, status } = claim;
  const { zone = '' } = status;
  return {
    ...(currentReboot(claim) !== undefined && { rebooting: true }),
    ...(shiftedZones?.has(zone) === true && { shifted: true }),
    ...(uncompared?.has(name) === true && { uncompared: true }),
    ...(!isChosen && proposed?.has(name) === true && { proposed: true }),
  };
}

function lifeOf(
  cluster: Cluster,
  question: Pick<
    DisruptionInputQuestion,
    'only' | 'podEvents' | 'movesTo' | 'now' | 'unhealthy' | 'proposed' | 'shiftedZones' | 'uncompared'
  >,
  claim: NodeClaim,
  name: string,
): NodeLife {
  const { only, podEvents, now } = question;
  const node = cluster.nodeOfClaim(claim.name);
  const { conditions } = claim.status;
  const isChosen = only?.has(claim.name) === true;
  return {
    name,
    nodePool: claim.spec.nodePool,
    initialized: isTrue(conditions, 'Initialized'),
    ready: node?.ready ?? false,
    leaving: isChosen ? isBeingDeleted(claim, node) : isLeaving(claim, node),
    createdAt: claim.createdAt,
    quietSince: quietSince(claim, podEvents.get(claim.status.nodeName ?? '')) ?? now,
    movedToAt: question.movesTo.get(claim.status.nodeName ?? ''),
    doNotDisrupt: wishOf(claim, node, DO_NOT_DISRUPT_ANNOTATION),
    doNotRepair: wishOf(claim, node, DO_NOT_REPAIR_ANNOTATION) === 'true',
    expiresAt: expiresAt(claim),
    terminationGracePeriodSeconds: claim.spec.terminationGracePeriodSeconds,
    conditions,
    emptying: claim.annotations.has(EMPTYING_ANNOTATION),
    repair: node && question.unhealthy.get(node.name),
    ...marksOf(question, claim, isChosen),
  };
}

function namespaceWindows({ namespaces }: Cluster): ReadonlyMap<string, string> | undefined {
  const given = [...namespaces.values()].flatMap(({ name, annotations }) => {
    const windows = annotations?.get(DISRUPTION_WINDOWS_ANNOTATION);
    return windows === undefined ? [] : [[name, windows] as const];
  });
  return given.length === 0 ? undefined : new Map(given);
}

/** Whether the pod, or its namespace, asks that it is not moved at the time of the windows. */
export function isOutsideWindows({ namespaces }: Cluster, pod: ObservedPod, windows: PodWindows): boolean {
  const ofNamespace = namespaces.get(pod.namespace)?.annotations?.get(DISRUPTION_WINDOWS_ANNOTATION);
  return windows.closed(pod, ofNamespace) !== undefined;
}

/** The nodes of these claims. */
function namesOf(claims: ReadonlyMap<string, NodeClaim>, names: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...claims].flatMap(([node, { name }]) => (names.has(name) ? [node] : [])));
}

function isBeingDeleted(claim: NodeClaim, node: ObservedNode | undefined): boolean {
  return claim.deletionTimestamp !== undefined || node?.deletionTimestamp !== undefined;
}

/** The annotation of the Node, else that of its claim. */
export function wishOf(
  { annotations }: NodeClaim,
  node: ObservedNode | undefined,
  annotation: string,
): string | undefined {
  return node?.annotations.get(annotation) ?? annotations.get(annotation);
}

/** What planning counts the instance with today; where the catalogue does not know it, what it cost when it was launched. */
function currentPrice({ status }: NodeClaim, types: readonly InstanceType[]): number | undefined {
  const type = types.find(({ name }) => name === status.instanceType);
  return offeringIn(type, status)?.price ?? status.hourlyPrice;
}

/** Node of the input → pods that are to come to it, those that do not exist yet by the name of their owner. */
function awaitedPods(cluster: Cluster): ReadonlyMap<string, readonly string[]> {
  const result = new Map<string, string[]>();
  const add = (nodeName: string | undefined, pod: string): void => {
    if (nodeName === undefined) return;
    append(result, nodeName, pod);
  };
  for (const { target, entries } of cluster.reservations.values()) {
    const nodeName = plannedNodeName(cluster, target);
    for (const { podUID, owner } of entries) {
      const pod = podUID === undefined ? undefined : cluster.podByUID(podUID);
      if (owner !== undefined) add(nodeName, `${owner.namespace}/${owner.name}`);
      else if (pod !== undefined && pod.nodeName === undefined) add(nodeName, podKey(pod));
    }
  }
  for (const pod of cluster.pods.values())
    if (pod.nodeName === undefined && pod.nominatedNodeName !== undefined)
      add(pod.nominatedNodeName, podKey(pod));
  return result;
}
