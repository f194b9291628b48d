/** Writes whose responses are applied to the cluster in memory at once, so that the next reader sees them. */
import { TERMINATION_FINALIZER, type NodeClaim, type NodeClaimStatus } from '../domain/nodes/node-claim.js';
import type { ObservedNode } from '../domain/nodes/observed-node.js';
import type { ObservedPod } from '../domain/pods/observed-pod.js';
import type { ProvisioningRequest, RequestStatus } from '../domain/pods/provisioning-request.js';
import type { PolicyStatus } from '../domain/policies/policy.js';
import type { Reservation, ReservationEntry, ReservationTarget } from '../domain/records/reservation.js';
import { observedKey, type ClusterFeed, type ObservedKinds } from '../ports/cluster-feed.js';
import type { KubeWriter, NewNodeClaim, NodePatch, Scale, UngatedPod } from '../ports/kube-writer.js';
import { hasCode } from '../ports/port-error.js';

export interface ClusterWriterOptions {
  readonly kube: KubeWriter;
  readonly cluster: ClusterFeed;
}

/** Kinds that are changed, let go and deleted here. */
type WrittenKind = 'NodeClaim' | 'Node' | 'Pod' | 'Reservation' | 'PolicyStatus' | 'ProvisioningRequest';

/**
 * Writes fail as KubeWriter's do, but for NotFound: that something is gone already is what a deletion wanted, and
 * nothing that a change could be wrong about.
 */
export class ClusterWriter {
  readonly #kube: KubeWriter;
  readonly #cluster: ClusterFeed;

  constructor({ kube, cluster }: ClusterWriterOptions) {
    this.#kube = kube;
    this.#cluster = cluster;
  }

  async createClaim(claim: NewNodeClaim, signal: AbortSignal): Promise<NodeClaim> {
    const created = await this.#kube.createNodeClaim(claim, signal);
    this.#cluster.put('NodeClaim', created);
    return created;
  }

  /** Answers whether there was such a claim. */
  annotateClaim(
    claim: NodeClaim,
    annotations: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.#written('NodeClaim', claim, this.#kube.annotateNodeClaim(claim, annotations, signal));
  }

  /** Answers whether there was such a claim. */
  labelClaim(
    claim: NodeClaim,
    labels: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.#written('NodeClaim', claim, this.#kube.labelNodeClaim(claim, labels, signal));
  }

  /**
   * Changes the named fields of the status. @throws PortError Conflict, when another client changed the claim in between.
   */
  async updateStatus(
    claim: NodeClaim,
    change: Partial<NodeClaimStatus>,
    signal: AbortSignal,
  ): Promise<NodeClaim> {
    const written = await this.#kube.putNodeClaimStatus(claim, { ...claim.status, ...change }, signal);
    this.#cluster.put('NodeClaim', written);
    return written;
  }

  /** Answers whether there was such a claim. */
  deleteClaim(claim: NodeClaim, signal: AbortSignal): Promise<boolean> {
    return this.#written('NodeClaim', claim, this.#kube.deleteNodeClaim(claim, signal));
  }

  /** Answers whether there was such a claim. */
  holdClaim(claim: NodeClaim, signal: AbortSignal): Promise<boolean> {
    return this.#written('NodeClaim', claim, this.#kube.holdNodeClaim(claim, signal));
  }

  /** Answers whether there was such a claim. */
  releaseClaim(claim: NodeClaim, signal: AbortSignal): Promise<boolean> {
    return this.#written('NodeClaim', claim, this.#kube.releaseNodeClaim(claim, signal));
  }

  /** Answers whether there was such a node. */
  patchNode(node: ObservedNode, patch: NodePatch, signal: AbortSignal): Promise<boolean> {
    return this.#written('Node', node, this.#kube.patchNode(node, patch, signal));
  }

  /**
   * Deletes the node for good: the finalizer first, so that it is gone with the deletion. Answers whether there was such a
   * node.
   */
  async releaseNode(node: ObservedNode, signal: AbortSignal): Promise<boolean> {
    const patch = { finalizers: { remove: [TERMINATION_FINALIZER] } };
    const isHeld = node.finalizers.includes(TERMINATION_FINALIZER);
    if (isHeld && !(await this.patchNode(node, patch, signal))) return false;
    if (node.deletionTimestamp !== undefined) return true;
    return this.#written('Node', node, this.#kube.deleteNode(node, signal));
  }

  /** Creates the target's reservation, or replaces the entries of the known one. */
  async reserve(
    target: ReservationTarget,
    entries: readonly ReservationEntry[],
    { known, signal }: { readonly known: Reservation | undefined; readonly signal: AbortSignal },
  ): Promise<void> {
    this.#cluster.put('Reservation', await this.#kube.putReservation(target, entries, known, signal));
  }

  /** Answers whether there was such a reservation. */
  deleteReservation(reservation: Reservation, signal: AbortSignal): Promise<boolean> {
    const deletion = this.#kube.deleteReservation(reservation, signal).then(() => undefined);
    return this.#written('Reservation', reservation, deletion);
  }

  /** Answers whether there was such a pod. `isLate`: other requests go first. */
  nominatePod(
    pod: ObservedPod,
    nodeName: string | undefined,
    signal: AbortSignal,
    isLate = false,
  ): Promise<boolean> {
    return this.#written('Pod', pod, this.#kube.nominatePod(pod, nodeName, signal, isLate));
  }

  /** Answers whether there was such a pod. `isLate`: other requests go first. */
  annotatePod(
    pod: ObservedPod,
    annotations: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
    isLate = false,
  ): Promise<boolean> {
    return this.#written('Pod', pod, this.#kube.annotatePod(pod, annotations, signal, isLate));
  }

  /** Answers whether there was such a status. */
  deletePolicyStatus(status: PolicyStatus, signal: AbortSignal): Promise<boolean> {
    const deletion = this.#kube.deletePolicyStatus(status, signal).then(() => undefined);
    return this.#written('PolicyStatus', status, deletion);
  }

  /** Answers whether there was such a request. @throws PortError Conflict, when it has changed since. */
  setRequestStatus(
    request: ProvisioningRequest,
    status: RequestStatus,
    signal: AbortSignal,
  ): Promise<boolean> {
    const written = this.#kube.putRequestStatus(request, status, signal);
    return this.#written('ProvisioningRequest', request, written);
  }

  /** Answers whether there was such a pod. */
  ungatePod(pod: ObservedPod, change: UngatedPod, signal: AbortSignal): Promise<boolean> {
    return this.#written('Pod', pod, this.#kube.ungatePod(pod, change, signal));
  }

  /** Answers whether there was such a pod. */
  toleratePod(pod: ObservedPod, hold: string, signal: AbortSignal): Promise<boolean> {
    return this.#written('Pod', pod, this.#kube.toleratePod(pod, hold, signal));
  }

  /** When the pod ends is for the watch to tell. Answers whether there was such a pod. @throws PortError Blocked. */
  evictPod(pod: ObservedPod, signal: AbortSignal): Promise<boolean> {
    return this.#unlessGone('Pod', pod, this.#kube.evictPod(pod, signal));
  }

  /** As for an eviction. */
  deletePod(pod: ObservedPod, gracePeriodSeconds: number, signal: AbortSignal): Promise<boolean> {
    return this.#unlessGone('Pod', pod, this.#kube.deletePod(pod, gracePeriodSeconds, signal));
  }

  /** Of the Deployment `namespace/name`; undefined where there is none. */
  async readScale(deployment: string, signal: AbortSignal): Promise<Scale | undefined> {
    try {
      return await this.#kube.readScale(deployment, signal);
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      return undefined;
    }
  }

  /** @throws PortError Conflict, when the Deployment has changed since; NotFound. */
  setReplicas(scale: Scale, replicas: number, signal: AbortSignal): Promise<Scale> {
    return this.#kube.setReplicas(scale, replicas, signal);
  }

  /** `write` answers the object as it is then, undefined when it is gone. */
  #written<K extends WrittenKind>(
    kind: K,
    object: ObservedKinds[K],
    write: Promise<ObservedKinds[K] | undefined>,
  ): Promise<boolean> {
    const taken = write.then((left) => {
      if (left === undefined || isOver(left)) this.#forget(kind, object);
      else this.#cluster.put(kind, left);
    });
    return this.#unlessGone(kind, object, taken);
  }

  /** Answers whether the object was there to be written to. */
  async #unlessGone<K extends WrittenKind>(
    kind: K,
    object: ObservedKinds[K],
    write: Promise<unknown>,
  ): Promise<boolean> {
    try {
      await write;
      return true;
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      this.#forget(kind, object);
      return false;
    }
  }

  #forget<K extends WrittenKind>(kind: K, object: ObservedKinds[K]): void {
    this.#cluster.delete(kind, observedKey(kind, object), object.uid);
  }
}

/** Deleted, and kept by no finalizer any more: what is answered is the last that was seen of it. */
function isOver(object: object): boolean {
  const { deletionTimestamp, finalizers } = object as Partial<
    Pick<NodeClaim, 'deletionTimestamp' | 'finalizers'>
  >;
  return deletionTimestamp !== undefined && finalizers?.length === 0;
}
