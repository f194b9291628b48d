/**
 * What Berth writes to the Kubernetes API. Each method is one request with a time-out, and fails with a PortError. Methods
 * that take an object they change fail with Conflict when another client was faster: where a whole is replaced, with any
 * change of the object; where parts are changed, with a change of these parts. They answer the object as it is then, for
 * the caller to put into its ClusterFeed.
 */
import type {
  BufferedKind,
  BufferTemplate,
  CapacityBuffer,
  CapacityBufferStatus,
} from '../domain/pods/capacity-buffer.js';
import type { DecisionSpec, Decision } from '../domain/records/decision.js';
import type { Labels } from '../domain/values/labels.js';
import type { NodeClaim, NodeClaimSpec, NodeClaimStatus } from '../domain/nodes/node-claim.js';
import type { ObservedNode } from '../domain/nodes/observed-node.js';
import type { ObservedPod } from '../domain/pods/observed-pod.js';
import type { ProvisioningRequest, RequestStatus } from '../domain/pods/provisioning-request.js';
import type { Observation, ObservationContent } from '../domain/records/observation.js';
import type { PolicyStatus } from '../domain/policies/policy.js';
import type { Reservation, ReservationEntry, ReservationTarget } from '../domain/records/reservation.js';
import type { ResourceList } from '../domain/values/resources.js';
import type { Taint } from '../domain/values/taint.js';

export interface NewNodeClaim {
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly spec: NodeClaimSpec;
}

export interface NodeClaimWriter {
  /** As the API server has it, however late the watch is; undefined when there is none. */
  readNodeClaim(name: string, signal?: AbortSignal): Promise<NodeClaim | undefined>;
  /** Creates it with the finalizer. */
  createNodeClaim(claim: NewNodeClaim, signal?: AbortSignal): Promise<NodeClaim>;
  /** Sets annotations, and takes those away that are null. */
  annotateNodeClaim(
    claim: NodeClaim,
    annotations: Readonly<Record<string, string | null>>,
    signal?: AbortSignal,
  ): Promise<NodeClaim>;
  /** Sets labels, and takes those away that are null. */
  labelNodeClaim(
    claim: NodeClaim,
    labels: Readonly<Record<string, string | null>>,
    signal?: AbortSignal,
  ): Promise<NodeClaim>;
  /** Replaces the whole status. */
  putNodeClaimStatus(claim: NodeClaim, status: NodeClaimStatus, signal?: AbortSignal): Promise<NodeClaim>;
  /** Asks for deletion. Answers the claim while its finalizers keep it, undefined when it is gone. */
  deleteNodeClaim(claim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim | undefined>;
  /** Adds our finalizer to a claim that was created without it, by hand. */
  holdNodeClaim(claim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim>;
  /** Takes our finalizer away: a claim whose deletion was asked for is gone then, if it has no other. */
  releaseNodeClaim(claim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim>;
}

export interface ReservationWriter {
  /** Creates the target's reservation, or replaces the entries of the known one. */
  putReservation(
    target: ReservationTarget,
    entries: readonly ReservationEntry[],
    known: Reservation | undefined,
    signal?: AbortSignal,
  ): Promise<Reservation>;
  deleteReservation(reservation: Reservation, signal?: AbortSignal): Promise<void>;
}

/** What is not named stays as it is; null takes a label or annotation away. */
export interface NodePatch {
  readonly labels?: Readonly<Record<string, string | null>>;
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** Taints to be removed are found by key and effect. */
  readonly taints?: ListChange<Taint>;
  readonly finalizers?: ListChange<string>;
}

/** What comes to a list, and what goes from it; all other entries stay, also those that other clients change. */
export interface ListChange<T> {
  readonly add?: readonly T[];
  readonly remove?: readonly T[];
}

export interface NodeWriter {
  /** Without its last finalizer a node whose deletion was asked for is gone; answered as it was then. */
  patchNode(node: ObservedNode, patch: NodePatch, signal?: AbortSignal): Promise<ObservedNode>;
  /** Asks for deletion. Answers the node while its finalizers keep it, undefined when it is gone. */
  deleteNode(node: ObservedNode, signal?: AbortSignal): Promise<ObservedNode | undefined>;
}

/** A node that no kubelet registers. */
export interface NewNode {
  readonly name: string;
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly taints: readonly Taint[];
  readonly providerID: string;
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

/** The Nodes of the cluster, as far as they are watched. */
export interface NodeSource {
  nodes(): Iterable<ObservedNode>;
}

export interface NodeCreator {
  /** @throws PortError AlreadyExists */
  createNode(node: NewNode, signal?: AbortSignal): Promise<ObservedNode>;
  /** Has a node that no kubelet reports say that it booted. */
  putBootID(node: ObservedNode, bootID: string, signal?: AbortSignal): Promise<ObservedNode>;
}

/** What a pod gets in the place of its scheduling gate. */
export interface UngatedPod {
  /** Its node selector is narrowed to nodes with this value of kubernetes.io/hostname. */
  readonly hostname?: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface PodWriter {
  /**
   * Sets status.nominatedNodeName; undefined clears it. Conflict, too, when the pod has been bound. `isLate`: other requests go
   * first where there are too many.
   */
  nominatePod(
    pod: ObservedPod,
    nodeName: string | undefined,
    signal?: AbortSignal,
    isLate?: boolean,
  ): Promise<ObservedPod>;
  /** Removes Berth's scheduling gate, the only one that the pod has. Conflict, too, when it is gone by now. */
  ungatePod(pod: ObservedPod, change: UngatedPod, signal?: AbortSignal): Promise<ObservedPod>;
  /** Adds a toleration of the taint berth.sh/held with this value, which kube-scheduler takes for news about the pod. */
  toleratePod(pod: ObservedPod, hold: string, signal?: AbortSignal): Promise<ObservedPod>;
  /**
   * Sets annotations, which is also an event that makes kube-scheduler look at the pod again. `isLate`: other requests go first
   * where there are too many.
   */
  annotatePod(
    pod: ObservedPod,
    annotations: Readonly<Record<string, string | null>>,
    signal?: AbortSignal,
    isLate?: boolean,
  ): Promise<ObservedPod>;
  /**
   * Asks the Eviction API.
   * @throws PortError Blocked, when a PodDisruptionBudget forbids it; NotFound, when the pod is gone.
   */
  evictPod(pod: ObservedPod, signal?: AbortSignal): Promise<void>;
  /** Past the hard stop: deletes with this grace period, whatever budgets say. */
  deletePod(pod: ObservedPod, gracePeriodSeconds: number, signal?: AbortSignal): Promise<void>;
}

/** The scale of a Deployment. */
export interface Scale {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly replicas: number;
}

export interface ScaleWriter {
  /** `deployment` is `namespace/name`. @throws PortError NotFound */
  readScale(deployment: string, signal?: AbortSignal): Promise<Scale>;
  /** @throws PortError Conflict, when the Deployment has changed since; NotFound. */
  setReplicas(scale: Scale, replicas: number, signal?: AbortSignal): Promise<Scale>;
}

/** What a CapacityBuffer's pods are made like. */
export interface BufferTemplateName {
  readonly kind: BufferedKind;
  readonly namespace: string;
  readonly name: string;
}

export interface BufferWriter {
  /** @throws PortError NotFound; Invalid, when there is no pod template in it, or none that can be read. */
  readBufferTemplate(template: BufferTemplateName, signal?: AbortSignal): Promise<BufferTemplate>;
  /** Replaces the whole status. */
  putBufferStatus(
    buffer: CapacityBuffer,
    status: CapacityBufferStatus,
    signal?: AbortSignal,
  ): Promise<CapacityBuffer>;
}

export interface ProvisioningRequestWriter {
  /** Replaces this part of its status. @throws PortError Conflict, when the request has changed since; NotFound. */
  putRequestStatus(
    request: ProvisioningRequest,
    status: RequestStatus,
    signal?: AbortSignal,
  ): Promise<ProvisioningRequest>;
}

/** A PolicyStatus without what the API server adds. */
export type PolicyStatusContent = Omit<PolicyStatus, 'name' | 'uid' | 'resourceVersion' | 'annotations'>;

export interface PolicyStatusWriter {
  /** Creates the document's status, or replaces the known one's. */
  putPolicyStatus(
    content: PolicyStatusContent,
    known: PolicyStatus | undefined,
    signal?: AbortSignal,
  ): Promise<PolicyStatus>;
  deletePolicyStatus(status: PolicyStatus, signal?: AbortSignal): Promise<void>;
}

export interface ObservationWriter {
  /** Creates the status that it is kept in, or replaces the known one's. */
  putObservation(
    content: ObservationContent,
    known: Observation | undefined,
    signal?: AbortSignal,
  ): Promise<Observation>;
}

export interface DecisionWriter {
  createDecision(name: string, spec: DecisionSpec, signal?: AbortSignal): Promise<Decision>;
  /** Changes the named fields of the status. */
  putDecisionStatus(
    decision: Decision,
    change: Partial<Pick<Decision, 'outcome' | 'progress'>>,
    signal?: AbortSignal,
  ): Promise<Decision>;
  deleteDecision(decision: Decision, signal?: AbortSignal): Promise<void>;
}

/** An event of events.k8s.io/v1. */
export interface KubeEvent {
  /** Unique among the events of the namespace. */
  readonly name: string;
  readonly regarding: {
    readonly apiVersion: string;
    readonly kind: string;
    /** '' for cluster-scoped objects, whose events live in namespace default. */
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
  readonly type: 'Normal' | 'Warning';
  /** At most 128 characters. */
  readonly reason: string;
  readonly action: string;
  /** At most 1,024 characters. */
  readonly note: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** How often it happened so far. */
  readonly count: number;
}

export interface EventWriter {
  createEvent(event: KubeEvent, signal?: AbortSignal): Promise<void>;
  /** Counts one more of an event that was created: its series. */
  repeatEvent(event: KubeEvent, signal?: AbortSignal): Promise<void>;
}

export interface KubeWriter
  extends
    NodeClaimWriter,
    ReservationWriter,
    NodeWriter,
    PodWriter,
    ScaleWriter,
    BufferWriter,
    ProvisioningRequestWriter,
    PolicyStatusWriter,
    DecisionWriter,
    EventWriter {}
