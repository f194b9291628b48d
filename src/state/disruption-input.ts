/** The cluster as disruption takes it: what planning sees, and what the life of each node that Berth launched says. */
import { isTrue } from '../domain/condition.js';
import type { InstanceType } from '../domain/instance-type.js';
import { expiresAt, type NodeClaim } from '../domain/node-claim.js';
import type { ObservedNode } from '../domain/observed-node.js';
import { podKey } from '../domain/pod.js';
import type { DisruptionInput, ManagedNode } from '../planning/disrupt/disruption.js';
import type { Cluster } from './cluster.js';
import { isLeaving } from './node-state.js';
import { planInput, plannedNodeName, type PlanInput, type PlanInputOptions } from './plan-input.js';

export interface DisruptionQuestion extends PlanInputOptions {
  /** Pools whose document is gone. */
  readonly frozenPools: ReadonlySet<string>;
  /** Milliseconds since 1970, here and below. */
  readonly now: number;
  readonly cursor: string;
  /** Since when no pod has come to the claim's node or left it; undefined before it is initialised. */
  readonly quietSince: (claim: NodeClaim) => number | undefined;
  /** Whether a repair policy calls the node unhealthy now. */
  readonly isUnhealthyNow: (node: ObservedNode) => boolean;
  /** Names of claims that are looked at as though nothing had been decided about them, and no others. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Names of claims that are left alone for a while. */
  readonly resting: ReadonlySet<string>;
}

export interface DisruptionPicture {
  readonly input: DisruptionInput;
  readonly targetOf: PlanInput['targetOf'];
  /** The claim of a node of the input. */
  readonly claimOf: (nodeName: string) => NodeClaim | undefined;
}

const DO_NOT_DISRUPT_ANNOTATION = 'karpenter.sh/do-not-disrupt';

export function disruptionInput(cluster: Cluster, question: DisruptionQuestion): DisruptionPicture {
  const { input, targetOf } = planInput(cluster, question);
  const awaited = awaitedPods(cluster);
  const listed = new Set(input.nodes.map(({ name }) => name));
  const claims = new Map<string, NodeClaim>();
  const nodes: ManagedNode[] = [];
  for (const claim of cluster.nodeClaims.values()) {
    const name = plannedNodeName(cluster, { kind: 'NodeClaim', name: claim.name });
    if (name === undefined || claim.status.providerID === undefined || !listed.has(name)) continue;
    claims.set(name, claim);
    nodes.push(managedNode(cluster, question, claim, { name, awaitedPods: awaited.get(name) ?? [] }));
  }
  return {
    input: {
      cluster: input,
      nodes,
      pods: [...cluster.pods.values()],
      podDisruptionBudgets: [...cluster.podDisruptionBudgets.values()],
      workloads: [...cluster.workloads.values()],
      frozenPools: question.frozenPools,
      now: question.now,
      cursor: question.cursor,
      resting: namesOf(claims, question.resting),
      only: namesOf(claims, question.only ?? new Set([...claims.values()].map(({ name }) => name))),
    },
    targetOf,
    claimOf: (nodeName) => claims.get(nodeName),
  };
}

function managedNode(
  cluster: Cluster,
  question: DisruptionQuestion,
  claim: NodeClaim,
  known: Pick<ManagedNode, 'name' | 'awaitedPods'>,
): ManagedNode {
  const { only, quietSince, typesOf, isUnhealthyNow } = question;
  const node = cluster.nodeOfClaim(claim.name);
  const { conditions } = claim.status;
  const isChosen = only?.has(claim.name) === true;
  return {
    ...known,
    nodePool: claim.spec.nodePool,
    hourlyPrice: currentPrice(claim, typesOf(claim.spec.nodeClassRef.name, claim.spec.nodePool)),
    initialized: isTrue(conditions, 'Initialized'),
    ready: node?.ready ?? false,
    leaving: isChosen ? isBeingDeleted(claim, node) : isLeaving(claim, node),
    createdAt: claim.createdAt,
    quietSince: quietSince(claim) ?? question.now,
    doNotDisrupt: wishOf(claim, node),
    expiresAt: expiresAt(claim),
    terminationGracePeriodSeconds: claim.spec.terminationGracePeriodSeconds,
    conditions,
    ailing: node !== undefined && isUnhealthyNow(node),
  };
}

/** The nodes of these claims. */
function namesOf(claims: ReadonlyMap<string, NodeClaim>, names: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...claims].flatMap(([node, { name }]) => (names.has(name) ? [node] : [])));
}

function isBeingDeleted(claim: NodeClaim, node: ObservedNode | undefined): boolean {
  return claim.deletionTimestamp !== undefined || node?.deletionTimestamp !== undefined;
}

function wishOf({ annotations }: NodeClaim, node: ObservedNode | undefined): string | undefined {
  return node?.annotations.get(DO_NOT_DISRUPT_ANNOTATION) ?? annotations.get(DO_NOT_DISRUPT_ANNOTATION);
}

/** What planning counts the instance with today; where the catalogue does not know it, what it cost when it was launched. */
function currentPrice({ status }: NodeClaim, types: readonly InstanceType[]): number | undefined {
  const type = types.find(({ name }) => name === status.instanceType);
  const offering = type?.offerings.find(
    ({ zone, capacityType }) => zone === status.zone && capacityType === status.capacityType,
  );
  return offering?.price ?? status.hourlyPrice;
}

/** Node of the input → pods that are to come to it, those that do not exist yet by the name of their owner. */
function awaitedPods(cluster: Cluster): ReadonlyMap<string, readonly string[]> {
  const result = new Map<string, string[]>();
  const add = (nodeName: string | undefined, pod: string): void => {
    if (nodeName === undefined) return;
    const others = result.get(nodeName);
    if (others === undefined) result.set(nodeName, [pod]);
    else others.push(pod);
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
