/** The cluster in memory: every kind in a store of its own, and the questions that join them. */
import { asksToMove } from '../../domain/pods/deferred-resize.js';
import type { DeviceClass, ResourceClaim, ResourceClaimTemplate } from '../../domain/devices/claim.js';
import type { ResourceSlice } from '../../domain/devices/device.js';
import type { Pod } from '../../domain/pods/pod.js';
import type { DaemonSet } from '../../domain/pods/daemon-set.js';
import { DEFAULT_DEMAND_TERMS, type DemandTerms } from '../../domain/pods/demand.js';
import {
  isProposal,
  type Decision,
  type DecisionSubject,
  type ProposedDecision,
} from '../../domain/records/decision.js';
import type { PodGroup } from '../../domain/pods/gang.js';
import type { CapacityBuffer } from '../../domain/pods/capacity-buffer.js';
import type { PodTemplate } from '../../domain/pods/pod-template.js';
import type { ProvisioningRequest } from '../../domain/pods/provisioning-request.js';
import type { HorizontalPodAutoscaler } from '../../domain/pods/surge.js';
import type { Observation } from '../../domain/records/observation.js';
import type { Lease } from '../../domain/records/lease.js';
import { asksForDedicated } from '../../domain/pods/dedicated-demand.js';
import { instanceID, launchGroupOf, replacedBy, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PodDisruptionBudget } from '../../domain/pods/pod-disruption-budget.js';
import type { PolicyConfigMap, PolicyStatus } from '../../domain/policies/policy.js';
import type { Reservation } from '../../domain/records/reservation.js';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '../../domain/pods/volume.js';
import type { Service } from '../../domain/pods/default-spread.js';
import type { Workload } from '../../domain/pods/workload.js';
import {
  observedKey,
  type ClusterFeed,
  type Namespace,
  type ObservedKind,
  type ObservedKinds,
} from '../../ports/cluster-feed.js';
import { KeyIndex } from './key-index.js';
import { ownerKeyOf, requestKeyOf } from './owner-key.js';
import { ReservationIndex, type HeldEntry } from './reservation-index.js';
import { Store, type Change } from './store.js';
import { PortError } from '../../ports/port-error.js';

/** The id of the claim's instance; undefined before it has one. */
function instanceOf({ status: { providerID } }: NodeClaim): string | undefined {
  return providerID === undefined ? undefined : instanceID(providerID);
}

function subjectKey({ kind, namespace, name }: Omit<DecisionSubject, 'uid'>): string {
  return `${kind}/${namespace}/${name}`;
}

type Stores = { readonly [K in ObservedKind]: Store<ObservedKinds[K]> };

/**
 * Everything that is known of the cluster. Stores are for reading and subscribing; news comes in through the
 * ClusterFeed only. Indexes change with every put and delete, before subscribers hear of it.
 */
export class Cluster implements ClusterFeed {
  /** Which of its pods Berth finds room for. */
  readonly demandTerms: DemandTerms;
  readonly #podKeys = new Map<string, string>();
  readonly #podsOnNode = new KeyIndex();
  readonly #podsNominated = new KeyIndex();
  readonly #podsOfOwner = new KeyIndex();
  readonly #podsOfRequest = new KeyIndex();
  readonly #podsOfGang = new KeyIndex();
  readonly #podsResizing = new Set<string>();
  readonly #podsForDedicated = new Set<string>();
  readonly #attachmentsToNode = new KeyIndex();
  readonly #nodesByProviderID = new KeyIndex();
  readonly #claimsByProviderID = new KeyIndex();
  readonly #claimsOfInstance = new KeyIndex();
  readonly #claimsOfGroup = new KeyIndex();
  readonly #replacements = new KeyIndex();
  readonly #decisionsOfSubject = new KeyIndex();
  readonly #proposals = new Map<string, ProposedDecision>();
  readonly #entries = new ReservationIndex();
  readonly #sync = new SyncStatus();

  readonly pods = new Store<ObservedPod>((change) => {
    this.#indexPod(change);
    this.#indexDedicated(change);
    const { key, before, after } = change;
    this.#podsOfGang.move(key, before?.gang?.key, after?.gang?.key);
    this.#podsNominated.move(key, before?.nominatedNodeName, after?.nominatedNodeName);
    if (after !== undefined && asksToMove(after)) this.#podsResizing.add(key);
    else if (before?.resizeDeferred === true) this.#podsResizing.delete(key);
  });
  readonly nodes = new Store<ObservedNode>(({ key, before, after }) => {
    this.#nodesByProviderID.move(key, before?.providerID, after?.providerID);
  });
  readonly namespaces = new Store<Namespace>();
  readonly daemonSets = new Store<DaemonSet>();
  readonly workloads = new Store<Workload>();
  readonly services = new Store<Service>();
  readonly podGroups = new Store<PodGroup>();
  readonly podTemplates = new Store<PodTemplate>();
  readonly provisioningRequests = new Store<ProvisioningRequest>();
  readonly podDisruptionBudgets = new Store<PodDisruptionBudget>();
  readonly persistentVolumes = new Store<PersistentVolume>();
  readonly persistentVolumeClaims = new Store<PersistentVolumeClaim>();
  readonly storageClasses = new Store<StorageClass>();
  readonly resourceClaims = new Store<ResourceClaim>();
  readonly resourceClaimTemplates = new Store<ResourceClaimTemplate>();
  readonly deviceClasses = new Store<DeviceClass>();
  readonly resourceSlices = new Store<ResourceSlice>();
  readonly horizontalPodAutoscalers = new Store<HorizontalPodAutoscaler>();
  readonly capacityBuffers = new Store<CapacityBuffer>();
  readonly volumeAttachments = new Store<VolumeAttachment>(({ key, before, after }) => {
    this.#attachmentsToNode.move(key, before?.nodeName, after?.nodeName);
  });
  readonly nodeClaims = new Store<NodeClaim>(({ key, before, after }) => {
    this.#claimsByProviderID.move(key, before?.status.providerID, after?.status.providerID);
    this.#claimsOfInstance.move(key, before && instanceOf(before), after && instanceOf(after));
    this.#claimsOfGroup.move(key, before && launchGroupOf(before), after && launchGroupOf(after));
    for (const name of before === undefined ? [] : replacedBy(before)) this.#replacements.remove(key, name);
    for (const name of after === undefined ? [] : replacedBy(after)) this.#replacements.add(key, name);
  });
  readonly reservations = new Store<Reservation>((change) => {
    this.#entries.change(change);
  });
  readonly policyConfigMaps = new Store<PolicyConfigMap>();
  readonly policyStatuses = new Store<PolicyStatus>();
  /** One at most: what `--mode observe` found. */
  readonly observations = new Store<Observation>();
  readonly decisions = new Store<Decision>(({ key, before, after }) => {
    this.#decisionsOfSubject.move(
      key,
      before && subjectKey(before.spec.subject),
      after && subjectKey(after.spec.subject),
    );
    if (after !== undefined && isProposal(after)) this.#proposals.set(key, after);
    else this.#proposals.delete(key);
  });
  readonly leases = new Store<Lease>();

  readonly #stores: Stores = {
    Pod: this.pods,
    Node: this.nodes,
    Namespace: this.namespaces,
    DaemonSet: this.daemonSets,
    Workload: this.workloads,
    Service: this.services,
    PodGroup: this.podGroups,
    PodTemplate: this.podTemplates,
    ProvisioningRequest: this.provisioningRequests,
    PodDisruptionBudget: this.podDisruptionBudgets,
    PersistentVolume: this.persistentVolumes,
    PersistentVolumeClaim: this.persistentVolumeClaims,
    StorageClass: this.storageClasses,
    VolumeAttachment: this.volumeAttachments,
    ResourceClaim: this.resourceClaims,
    ResourceClaimTemplate: this.resourceClaimTemplates,
    DeviceClass: this.deviceClasses,
    ResourceSlice: this.resourceSlices,
    HorizontalPodAutoscaler: this.horizontalPodAutoscalers,
    CapacityBuffer: this.capacityBuffers,
    NodeClaim: this.nodeClaims,
    Reservation: this.reservations,
    PolicyConfigMap: this.policyConfigMaps,
    PolicyStatus: this.policyStatuses,
    Observation: this.observations,
    Decision: this.decisions,
    Lease: this.leases,
  };

  constructor(demandTerms: DemandTerms = DEFAULT_DEMAND_TERMS) {
    this.demandTerms = demandTerms;
  }

  put<K extends ObservedKind>(kind: K, object: ObservedKinds[K], key = observedKey(kind, object)): void {
    this.#stores[kind].put(key, object);
  }

  delete(kind: ObservedKind, key: string, uid?: string): void {
    this.#stores[kind].delete(key, uid);
  }

  /** Takes over what another cluster holds under the key; undefined: nothing any more. */
  adopt<K extends ObservedKind>(kind: K, key: string, object: ObservedKinds[K] | undefined): void {
    this.#stores[kind].adopt(key, object);
  }

  /** The store of a kind. */
  store<K extends ObservedKind>(kind: K): Pick<Store<ObservedKinds[K]>, 'values' | 'subscribe'> {
    return this.#stores[kind];
  }

  synced(kind: ObservedKind): void {
    this.#sync.add(kind);
  }

  /** Whether the first list of each of these kinds is in. */
  isSynced(...kinds: readonly ObservedKind[]): boolean {
    return this.#sync.has(kinds);
  }

  /** @throws PortError Cancelled, when the signal is aborted before. */
  whenSynced(kinds: readonly ObservedKind[], signal: AbortSignal): Promise<void> {
    return this.#sync.when(kinds, signal);
  }

  podByUID(uid: string): ObservedPod | undefined {
    const key = this.#podKeys.get(uid);
    return key === undefined ? undefined : this.pods.get(key);
  }

  /** Pods bound to the node, finished ones too. */
  podsOn(nodeName: string): readonly ObservedPod[] {
    return this.#podsAt(this.#podsOnNode.all(nodeName));
  }

  /** Pods that name the node in status.nominatedNodeName. */
  podsNominatedTo(nodeName: string): readonly ObservedPod[] {
    return this.#podsAt(this.#podsNominated.all(nodeName));
  }

  /**
   * Pods of this owner and template (`ownerKeyOf` a pod), or that name this ProvisioningRequest (`requestKeyOf` a pod), bound
   * and finished ones too.
   */
  podsOf(owner: string): readonly ObservedPod[] {
    const ofRequest = this.#podsOfRequest.all(owner);
    return this.#podsAt(ofRequest.size > 0 ? ofRequest : this.#podsOfOwner.all(owner));
  }

  /**
   * By whose entries the pod may have room beside its own: those of its ProvisioningRequest, as long as there are some, else
   * those of its owner and template.
   */
  roomKeyOf(
    pod: Pick<ObservedPod, 'namespace' | 'owner' | 'templateHash' | 'annotations'>,
  ): string | undefined {
    const request = requestKeyOf(pod);
    return request !== undefined && this.entriesOfOwner(request).length > 0 ? request : ownerKeyOf(pod);
  }

  /** What made the pod; undefined for bare pods, and for owners of other kinds. */
  workloadOf({ namespace, owner }: Pick<Pod, 'namespace' | 'owner'>): Workload | undefined {
    return owner && this.workloads.get(`${owner.kind}/${namespace}/${owner.name}`);
  }

  /** Pods that say that they are of this gang, bound and finished ones too. */
  podsOfGang(key: string): readonly ObservedPod[] {
    return this.#podsAt(this.#podsOfGang.all(key));
  }

  /** Pods whose in-place resize is Deferred, and that ask to move for it (`asksToMove`). */
  podsAskingToMove(): readonly ObservedPod[] {
    return this.#podsAt(this.#podsResizing);
  }

  /** Whether some pod selects or prefers dedicated instances. */
  get hasPodsForDedicated(): boolean {
    return this.#podsForDedicated.size > 0;
  }

  /** `namespace/name` of the Deployments whose replicas HorizontalPodAutoscalers set. */
  autoscaledDeployments(): ReadonlySet<string> {
    return new Set([...this.horizontalPodAutoscalers.values()].flatMap(({ deployment }) => deployment ?? []));
  }

  /** Names of the PersistentVolumes that are attached to the node; inline volumes have none. */
  volumesAttachedTo(nodeName: string): readonly string[] {
    return [...this.#attachmentsToNode.all(nodeName)].flatMap(
      (key) => this.volumeAttachments.get(key)?.volumeName ?? [],
    );
  }

  nodeByProviderID(providerID: string): ObservedNode | undefined {
    const name = this.#nodesByProviderID.first(providerID);
    return name === undefined ? undefined : this.nodes.get(name);
  }

  /** The claim whose instance the node runs on; matched by providerID, never by name. */
  claimOfNode(nodeName: string): NodeClaim | undefined {
    const providerID = this.nodes.get(nodeName)?.providerID;
    return providerID === undefined ? undefined : this.claimByProviderID(providerID);
  }

  claimByProviderID(providerID: string): NodeClaim | undefined {
    const name = this.#claimsByProviderID.first(providerID);
    return name === undefined ? undefined : this.nodeClaims.get(name);
  }

  /** Claims that are launched together (`launchGroupOf` a claim), in no particular order. */
  claimsOfGroup(group: string): readonly NodeClaim[] {
    return this.#claimsNamed(this.#claimsOfGroup.all(group));
  }

  /** Claims of the instance with this id (i-…), whichever zone their providerID names; none, or one. */
  claimsOfInstance(id: string): readonly NodeClaim[] {
    return this.#claimsNamed(this.#claimsOfInstance.all(id));
  }

  #claimsNamed(names: Iterable<string>): readonly NodeClaim[] {
    const claims: NodeClaim[] = [];
    for (const name of names) {
      const claim = this.nodeClaims.get(name);
      if (claim !== undefined) claims.push(claim);
    }
    return claims;
  }

  /** Whether another claim is there to replace the claim. */
  isReplaced(claimName: string): boolean {
    return this.#replacements.all(claimName).size > 0;
  }

  /** The node of the claim's instance, once it has registered. */
  nodeOfClaim(claimName: string): ObservedNode | undefined {
    const providerID = this.nodeClaims.get(claimName)?.status.providerID;
    return providerID === undefined ? undefined : this.nodeByProviderID(providerID);
  }

  /**
   * The room that is held for a pod: by its own entry, else by one for its owner and template; the first by the
   * reservation's name, should there be several. Entries that have expired are answered too.
   */
  reservationOf(podUID: string): HeldEntry | undefined {
    const own = this.#entries.ofPod(podUID)[0];
    if (own !== undefined) return own;
    const pod = this.podByUID(podUID);
    const owner = pod === undefined ? undefined : this.roomKeyOf(pod);
    return owner === undefined ? undefined : this.#entries.ofOwner(owner)[0];
  }

  /** Entries for the pod itself, in the order of their reservations' names. */
  entriesOfPod(podUID: string): readonly HeldEntry[] {
    return this.#entries.ofPod(podUID);
  }

  /** Uids of the pods that wait, by their entries, until this one is bound. */
  podsAfter(podUID: string): Iterable<string> {
    return this.#entries.after(podUID);
  }

  /** Entries for pods of this owner and template (`ownerKeyOf` a pod), in the order of their reservations' names. */
  entriesOfOwner(owner: string): readonly HeldEntry[] {
    return this.#entries.ofOwner(owner);
  }

  /** Decisions about the object of this kind and name, whichever it was, in no order. */
  decisionsOf(subject: Omit<DecisionSubject, 'uid'>): readonly Decision[] {
    const keys = [...this.#decisionsOfSubject.all(subjectKey(subject))];
    return keys.flatMap((key) => this.decisions.get(key) ?? []);
  }

  /** Decisions that propose something, finished ones too, in no order. */
  proposals(): Iterable<ProposedDecision> {
    return this.#proposals.values();
  }

  #podsAt(keys: Iterable<string>): readonly ObservedPod[] {
    const pods: ObservedPod[] = [];
    for (const key of keys) {
      const pod = this.pods.get(key);
      if (pod !== undefined) pods.push(pod);
    }
    return pods;
  }

  #indexDedicated({ key, after }: Change<ObservedPod>): void {
    if (after !== undefined && asksForDedicated(after.spec)) this.#podsForDedicated.add(key);
    else this.#podsForDedicated.delete(key);
  }

  #indexPod({ key, before, after }: Change<ObservedPod>): void {
    if (before !== undefined && before.uid !== after?.uid) this.#podKeys.delete(before.uid);
    if (after !== undefined) this.#podKeys.set(after.uid, key);
    this.#podsOnNode.move(key, before?.nodeName, after?.nodeName);
    this.#podsOfOwner.move(key, before && ownerKeyOf(before), after && ownerKeyOf(after));
    this.#podsOfRequest.move(key, before && requestKeyOf(before), after && requestKeyOf(after));
  }
}

/** Which kinds have been listed once; callers can wait for it. */
class SyncStatus {
  readonly #synced = new Set<ObservedKind>();
  readonly #waiting = new Set<() => void>();

  add(kind: ObservedKind): void {
    this.#synced.add(kind);
    for (const look of [...this.#waiting]) look();
  }

  has(kinds: readonly ObservedKind[]): boolean {
    return kinds.every((kind) => this.#synced.has(kind));
  }

  /** @throws PortError Cancelled, when the signal is aborted before. */
  when(kinds: readonly ObservedKind[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(look);
        signal.removeEventListener('abort', cancel);
      };
      const look = (): void => {
        if (!this.has(kinds)) return;
        leave();
        resolve();
      };
      const cancel = (): void => {
        leave();
        const missing = kinds.filter((kind) => !this.#synced.has(kind)).join(', ');
        reject(
          new PortError('Cancelled', {
            operation: 'wait for caches to sync',
            message: `not synced: ${missing}`,
          }),
        );
      };
      this.#waiting.add(look);
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
      else look();
    });
  }
}
