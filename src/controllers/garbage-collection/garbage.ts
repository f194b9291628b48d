/** Orphaned objects: instances without a claim, claims without an instance, nodes without a claim. */
import { isChangingHands } from '../../domain/nodes/handover.js';
import { isLaunchOpen, TERMINATION_FINALIZER, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { CLUSTER_TAG, LAUNCH_GROUP_TAG, NODECLAIM_TAG, type CloudInstance } from '../../ports/cloud.js';

export interface GarbageQuestion {
  /** Listed before the claims and nodes were looked at. */
  readonly instances: readonly CloudInstance[];
  readonly claims: readonly NodeClaim[];
  readonly nodes: readonly ObservedNode[];
  /** Value of the tag berth.sh/cluster on our instances. */
  readonly clusterUID: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Younger instances are left alone. */
  readonly youngMillis: number;
  /** Within this time the cloud shows everything that happened. */
  readonly consistencyMillis: number;
}

export interface Garbage {
  /** Ours, and no claim has or may still get them. */
  readonly orphans: readonly CloudInstance[];
  /** Claims whose instance another client terminated. */
  readonly ended: readonly NodeClaim[];
  /** Claims whose instance is not listed, though it should be. */
  readonly unlisted: readonly NodeClaim[];
  /** Claims that registered and have no node any more. */
  readonly nodeless: readonly NodeClaim[];
  /** Nodes that only our finalizer keeps, or that no other controller will remove. */
  readonly nodes: readonly ObservedNode[];
  /** Instances that do not say whose they are. */
  readonly untagged: readonly { readonly instance: CloudInstance; readonly claim: NodeClaim }[];
}

const ENDED_STATES: ReadonlySet<CloudInstance['state']> = new Set(['shutting-down', 'terminated']);

export function findGarbage(question: GarbageQuestion): Garbage {
  const { clusterUID, claims, nodes, now, consistencyMillis } = question;
  const ours = question.instances.filter(({ tags }) => tags.get(CLUSTER_TAG) === clusterUID);
  const instanceOf = new Map(ours.map((instance) => [instance.providerID, instance]));
  const claimOf = new Map(claims.map((claim) => [claim.status.providerID, claim]));
  const named = new Set(nodes.map(({ providerID }) => providerID));
  // An instance that changes hands has Berth's tags for a part of the time only.
  const staying = claims.filter(
    (claim) =>
      claim.deletionTimestamp === undefined &&
      claim.status.providerID !== undefined &&
      !isChangingHands(claim),
  );
  const settled = staying.filter((claim) => now - launchedAt(claim) >= consistencyMillis);
  return {
    orphans: orphansOf(ours, question),
    ended: staying.filter((claim) => isEnded(instanceOf.get(claim.status.providerID ?? ''))),
    unlisted: settled.filter(({ status }) => !instanceOf.has(status.providerID ?? '')),
    nodeless: settled.filter(({ status }) => status.nodeName !== undefined && !named.has(status.providerID)),
    nodes: nodes.filter(
      (node) =>
        node.finalizers.includes(TERMINATION_FINALIZER) &&
        !claimOf.has(node.providerID) &&
        now - node.createdAt >= consistencyMillis &&
        isOver(instanceOf.get(node.providerID ?? '')),
    ),
    untagged: ours.flatMap((instance) => {
      const claim = claimOf.get(instance.providerID);
      const isKnown = isEnded(instance) || now - instance.launchedAt < consistencyMillis;
      return claim && !isChangingHands(claim) && !isKnown && instance.tags.get(NODECLAIM_TAG) !== claim.name
        ? [{ instance, claim }]
        : [];
    }),
  };
}

/** An instance of a launch that was not answered yet is about to be given to a claim. */
function orphansOf(
  ours: readonly CloudInstance[],
  { claims, now, youngMillis }: GarbageQuestion,
): readonly CloudInstance[] {
  const owned = new Set(claims.map(({ status }) => status.providerID));
  const open = new Set(claims.filter(isLaunchOpen).map(({ status }) => status.launch?.group));
  return ours.filter(
    (instance) =>
      !isEnded(instance) &&
      now - instance.launchedAt > youngMillis &&
      !owned.has(instance.providerID) &&
      !open.has(instance.tags.get(LAUNCH_GROUP_TAG) ?? ''),
  );
}

/** Whether the instance costs money. */
export function isAlive(instance: CloudInstance): boolean {
  return !isEnded(instance);
}

function isEnded(instance: CloudInstance | undefined): boolean {
  return instance !== undefined && ENDED_STATES.has(instance.state);
}

function isOver(instance: CloudInstance | undefined): boolean {
  return instance === undefined || isEnded(instance);
}

/** Of a claim that has an instance: when the answer came. */
function launchedAt({ status, createdAt }: NodeClaim): number {
  return status.launch?.answeredAt ?? createdAt;
}
