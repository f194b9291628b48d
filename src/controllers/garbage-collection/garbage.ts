/** Orphaned objects: instances without a claim, claims without an instance, nodes without a claim. */
import { TERMINATION_FINALIZER, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { CLUSTER_TAG, LAUNCH_GROUP_TAG, NODECLAIM_TAG, type CloudInstance } from '../../ports/cloud.js';

export interface GarbageQuestion {
  /** Listed before the claims and nodes were looked at. */
  readonly machines: readonly CloudInstance[];
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
  readonly untagged: readonly { readonly machine: CloudInstance; readonly claim: NodeClaim }[];
}

const ENDED_STATES: ReadonlySet<CloudInstance['state']> = new Set(['shutting-down', 'terminated']);

export function findGarbage(question: GarbageQuestion): Garbage {
  const { clusterUID, claims, nodes, now, consistencyMillis } = question;
  const ours = question.machines.filter(({ tags }) => tags.get(CLUSTER_TAG) === clusterUID);
  const machineOf = new Map(ours.map((machine) => [machine.providerID, machine]));
  const claimOf = new Map(claims.map((claim) => [claim.status.providerID, claim]));
  const named = new Set(nodes.map(({ providerID }) => providerID));
  const staying = claims.filter(
    ({ deletionTimestamp, status }) => deletionTimestamp === undefined && status.providerID !== undefined,
  );
  const settled = staying.filter((claim) => now - launchedAt(claim) >= consistencyMillis);
  return {
    orphans: orphansOf(ours, question),
    ended: staying.filter((claim) => isEnded(machineOf.get(claim.status.providerID ?? ''))),
    unlisted: settled.filter(({ status }) => !machineOf.has(status.providerID ?? '')),
    nodeless: settled.filter(({ status }) => status.nodeName !== undefined && !named.has(status.providerID)),
    nodes: nodes.filter(
      (node) =>
        node.finalizers.includes(TERMINATION_FINALIZER) &&
        !claimOf.has(node.providerID) &&
        now - node.createdAt >= consistencyMillis &&
        isOver(machineOf.get(node.providerID ?? '')),
    ),
    untagged: ours.flatMap((machine) => {
      const claim = claimOf.get(machine.providerID);
      const isTold = isEnded(machine) || now - machine.launchedAt < consistencyMillis;
      return claim && !isTold && machine.tags.get(NODECLAIM_TAG) !== claim.name ? [{ machine, claim }] : [];
    }),
  };
}

/** An instance of a launch that was not answered yet is about to be given to a claim. */
function orphansOf(
  ours: readonly CloudInstance[],
  { claims, now, youngMillis }: GarbageQuestion,
): readonly CloudInstance[] {
  const owned = new Set(claims.map(({ status }) => status.providerID));
  const open = new Set(
    claims.flatMap(({ status: { launch, providerID } }) =>
      launch !== undefined && launch.answeredAt === undefined && providerID === undefined
        ? [launch.group]
        : [],
    ),
  );
  return ours.filter(
    (machine) =>
      !isEnded(machine) &&
      now - machine.launchedAt > youngMillis &&
      !owned.has(machine.providerID) &&
      !open.has(machine.tags.get(LAUNCH_GROUP_TAG) ?? ''),
  );
}

/** Whether the instance costs money. */
export function isAlive(machine: CloudInstance): boolean {
  return !isEnded(machine);
}

function isEnded(machine: CloudInstance | undefined): boolean {
  return machine !== undefined && ENDED_STATES.has(machine.state);
}

function isOver(machine: CloudInstance | undefined): boolean {
  return machine === undefined || isEnded(machine);
}

/** Of a claim that has an instance: when the answer came. */
function launchedAt({ status, createdAt }: NodeClaim): number {
  return status.launch?.answeredAt ?? createdAt;
}
