/**
 * A KubeWriter over objects in memory, as an API server would answer it: versions that conflict, finalizers that hold,
 * and faults that a test plants.
 */
import type {
  BufferTemplate,
  CapacityBuffer,
  CapacityBufferStatus,
} from '../../../src/domain/pods/capacity-buffer.js';
import type { Decision, DecisionSpec } from '../../../src/domain/records/decision.js';
import type { Labels } from '../../../src/domain/values/labels.js';
import {
  NEW_CLAIM_STATUS,
  TERMINATION_FINALIZER,
  type NodeClaim,
  type NodeClaimStatus,
} from '../../../src/domain/nodes/node-claim.js';
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { podKey } from '../../../src/domain/pods/pod.js';
import type { ProvisioningRequest, RequestStatus } from '../../../src/domain/pods/provisioning-request.js';
import { policyStatusName, type PolicyStatus } from '../../../src/domain/policies/policy.js';
import {
  reservationName,
  type Reservation,
  type ReservationEntry,
  type ReservationTarget,
} from '../../../src/domain/records/reservation.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { ObservedKinds } from '../../../src/ports/cluster-feed.js';
import type {
  BufferTemplateName,
  KubeEvent,
  KubeWriter,
  ListChange,
  NewNodeClaim,
  NodePatch,
  PolicyStatusContent,
  Scale,
  UngatedPod,
} from '../../../src/ports/kube-writer.js';
import { PortError, type PortErrorCode } from '../../../src/ports/port-error.js';
import { InMemoryObjects } from './in-memory-objects.js';

export type WriteMethod = keyof KubeWriter;

/** One request that was carried out. */
export interface Write {
  readonly method: WriteMethod;
  /** Of the object; `namespace/name` of pods. */
  readonly name: string;
}

export interface Fault {
  readonly method: WriteMethod;
  readonly code: PortErrorCode;
  /** Only for objects of this name. */
  readonly name?: string | undefined;
  /** How often; once when not given. */
  readonly times?: number | undefined;
  /** Carried out all the same: only the answer was lost. */
  readonly applied?: boolean | undefined;
}

export interface InMemoryKubeOptions {
  readonly clock: Clock;
  /** How long every write takes; it is carried out when the time is over. */
  readonly delayMillis?: number | undefined;
  /** Evicted and deleted pods stay, terminating, until the test removes them. */
  readonly podsLinger?: boolean | undefined;
}

export class InMemoryKube implements KubeWriter {
  /** What the API server has: tests put and remove here what users, kubelets and kube-scheduler do. */
  readonly objects = new InMemoryObjects();
  /** What was carried out, in order. */
  readonly writes: Write[] = [];
  readonly events: KubeEvent[] = [];
  /** `namespace/name` of pods that a PodDisruptionBudget protects. */
  readonly protectedPods = new Set<string>();
  /** `namespace/name` of a Deployment → its scale. */
  readonly scales = new Map<string, Scale>();
  /** `Kind/namespace/name` → what CapacityBuffers for it are made like. */
  readonly bufferTemplates = new Map<string, BufferTemplate>();
  /** What the Deployment's controller does then. */
  onScaled: (scale: Scale) => void = () => undefined;
  readonly #options: InMemoryKubeOptions;
  readonly #faults: { fault: Fault; left: number }[] = [];
  #uids = 0;

  constructor(options: InMemoryKubeOptions) {
    this.#options = options;
  }

  /** The next calls of the method fail. */
  fail(fault: Fault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  /** No planted fault is left. */
  mend(): void {
    this.#faults.length = 0;
  }

  readNodeClaim(name: string, signal?: AbortSignal): Promise<NodeClaim | undefined> {
    return this.#write('readNodeClaim', name, signal, () => this.objects.get('NodeClaim', name));
  }

  createNodeClaim(claim: NewNodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    return this.#write('createNodeClaim', claim.name, signal, (operation) => {
      this.objects.requireFree('NodeClaim', claim.name, operation);
      return this.objects.put('NodeClaim', {
        ...claim,
        ...this.#identity(),
        createdAt: this.#options.clock.now(),
        deletionTimestamp: undefined,
        finalizers: [TERMINATION_FINALIZER],
        status: NEW_CLAIM_STATUS,
      });
    });
  }

  annotateNodeClaim(
    claim: NodeClaim,
    annotations: Readonly<Record<string, string | null>>,
    signal?: AbortSignal,
  ): Promise<NodeClaim> {
    return this.#write('annotateNodeClaim', claim.name, signal, (operation) => {
      const stored = this.objects.sameOne('NodeClaim', claim, operation);
      return this.objects.put('NodeClaim', {
        ...stored,
        annotations: patchedLabels(stored.annotations, annotations),
      });
    });
  }

  labelNodeClaim(
    claim: NodeClaim,
    labels: Readonly<Record<string, string | null>>,
    signal?: AbortSignal,
  ): Promise<NodeClaim> {
    return this.#write('labelNodeClaim', claim.name, signal, (operation) => {
      const stored = this.objects.sameOne('NodeClaim', claim, operation);
      return this.objects.put('NodeClaim', { ...stored, labels: patchedLabels(stored.labels, labels) });
    });
  }

  putNodeClaimStatus(claim: NodeClaim, status: NodeClaimStatus, signal?: AbortSignal): Promise<NodeClaim> {
    return this.#write('putNodeClaimStatus', claim.name, signal, (operation) =>
      this.objects.put('NodeClaim', { ...this.objects.current('NodeClaim', claim, operation), status }),
    );
  }

  deleteNodeClaim(claim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim | undefined> {
    return this.#write('deleteNodeClaim', claim.name, signal, (operation) =>
      this.#end('NodeClaim', claim, operation),
    );
  }

  holdNodeClaim(claim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    return this.#write('holdNodeClaim', claim.name, signal, (operation) => {
      const stored = this.objects.sameOne('NodeClaim', claim, operation);
      const add = [TERMINATION_FINALIZER];
      const finalizers = changed(stored.finalizers, claim.finalizers, { add }, operation);
      return this.objects.put('NodeClaim', { ...stored, finalizers });
    });
  }

  releaseNodeClaim(claim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    return this.#write('releaseNodeClaim', claim.name, signal, (operation) => {
      const stored = this.objects.sameOne('NodeClaim', claim, operation);
      const remove = [TERMINATION_FINALIZER];
      const finalizers = changed(stored.finalizers, claim.finalizers, { remove }, operation);
      return this.#putUnlessOver('NodeClaim', { ...stored, finalizers });
    });
  }

  putReservation(
    target: ReservationTarget,
    entries: readonly ReservationEntry[],
    known: Reservation | undefined,
    signal?: AbortSignal,
  ): Promise<Reservation> {
    const name = reservationName(target);
    return this.#write('putReservation', name, signal, (operation) => {
      if (known !== undefined)
        return this.objects.put('Reservation', {
          ...this.objects.current('Reservation', known, operation),
          entries,
        });
      this.objects.requireFree('Reservation', name, operation);
      return this.objects.put('Reservation', { name, ...this.#identity(), target, entries });
    });
  }

  deleteReservation(reservation: Reservation, signal?: AbortSignal): Promise<void> {
    return this.#write('deleteReservation', reservation.name, signal, (operation) => {
      this.objects.current('Reservation', reservation, operation);
      this.objects.remove('Reservation', reservation.name);
    });
  }

  patchNode(node: ObservedNode, patch: NodePatch, signal?: AbortSignal): Promise<ObservedNode> {
    return this.#write('patchNode', node.name, signal, (operation) => {
      const stored = this.objects.sameOne('Node', node, operation);
      return this.#putUnlessOver('Node', {
        ...stored,
        labels: patchedLabels(stored.labels, patch.labels),
        annotations: patchedLabels(stored.annotations, patch.annotations),
        taints: changed(stored.taints, node.taints, patch.taints, operation),
        finalizers: changed(stored.finalizers, node.finalizers, patch.finalizers, operation),
      });
    });
  }

  deleteNode(node: ObservedNode, signal?: AbortSignal): Promise<ObservedNode | undefined> {
    return this.#write('deleteNode', node.name, signal, (operation) => this.#end('Node', node, operation));
  }

  nominatePod(pod: ObservedPod, nodeName: string | undefined, signal?: AbortSignal): Promise<ObservedPod> {
    return this.#write('nominatePod', podKey(pod), signal, (operation) => {
      const stored = this.objects.sameOne('Pod', pod, operation);
      if (stored.nodeName !== pod.nodeName || stored.nominatedNodeName !== pod.nominatedNodeName)
        throw new PortError('Conflict', { operation, message: 'the pod is bound or nominated by now' });
      return this.objects.put('Pod', { ...stored, nominatedNodeName: nodeName });
    });
  }

  ungatePod(pod: ObservedPod, change: UngatedPod, signal?: AbortSignal): Promise<ObservedPod> {
    return this.#write('ungatePod', podKey(pod), signal, (operation) => {
      const stored = this.objects.sameOne('Pod', pod, operation);
      if (!stored.awaitsPlace) throw new PortError('Conflict', { operation, message: 'it has no gate' });
      return this.objects.put('Pod', {
        ...stored,
        awaitsPlace: false,
        pinnedTo: change.hostname,
        annotations: patchedLabels(stored.annotations, change.annotations),
      });
    });
  }

  toleratePod(pod: ObservedPod, hold: string, signal?: AbortSignal): Promise<ObservedPod> {
    return this.#write('toleratePod', podKey(pod), signal, (operation) => {
      const stored = this.objects.sameOne('Pod', pod, operation);
      return this.objects.put('Pod', { ...stored, toleratedHolds: [...stored.toleratedHolds, hold] });
    });
  }

  annotatePod(
    pod: ObservedPod,
    annotations: Readonly<Record<string, string | null>>,
    signal?: AbortSignal,
  ): Promise<ObservedPod> {
    return this.#write('annotatePod', podKey(pod), signal, (operation) => {
      const stored = this.objects.sameOne('Pod', pod, operation);
      return this.objects.put('Pod', {
        ...stored,
        annotations: patchedLabels(stored.annotations, annotations),
        isAnnotated: true,
      });
    });
  }

  evictPod(pod: ObservedPod, signal?: AbortSignal): Promise<void> {
    return this.#write('evictPod', podKey(pod), signal, (operation) => {
      if (this.protectedPods.has(podKey(pod)))
        throw new PortError('Blocked', { operation, message: 'a PodDisruptionBudget forbids it' });
      this.#endPod(pod, pod.terminationGracePeriodSeconds, operation);
    });
  }

  deletePod(pod: ObservedPod, gracePeriodSeconds: number, signal?: AbortSignal): Promise<void> {
    return this.#write('deletePod', podKey(pod), signal, (operation) => {
      this.#endPod(pod, gracePeriodSeconds, operation);
    });
  }

  readScale(deployment: string, signal?: AbortSignal): Promise<Scale> {
    return this.#write('readScale', deployment, signal, (operation) => this.#scale(deployment, operation));
  }

  setReplicas(scale: Scale, replicas: number, signal?: AbortSignal): Promise<Scale> {
    const key = podKey(scale);
    return this.#write('setReplicas', key, signal, (operation) => {
      const { resourceVersion } = this.#scale(key, operation);
      if (resourceVersion !== scale.resourceVersion)
        throw new PortError('Conflict', { operation, message: 'the object has been modified' });
      const changed = { ...scale, replicas, resourceVersion: String(Number(resourceVersion) + 1) };
      this.scales.set(key, changed);
      this.onScaled(changed);
      return changed;
    });
  }

  #scale(deployment: string, operation: string): Scale {
    const scale = this.scales.get(deployment);
    if (scale === undefined) throw new PortError('NotFound', { operation, message: 'no such Deployment' });
    return scale;
  }

  readBufferTemplate(
    { kind, namespace, name }: BufferTemplateName,
    signal?: AbortSignal,
  ): Promise<BufferTemplate> {
    const key = `${kind}/${namespace}/${name}`;
    return this.#write('readBufferTemplate', key, signal, (operation) => {
      const template = this.bufferTemplates.get(key);
      if (template === undefined) throw new PortError('NotFound', { operation, message: `no ${key}` });
      return template;
    });
  }

  putBufferStatus(
    buffer: CapacityBuffer,
    status: CapacityBufferStatus,
    signal?: AbortSignal,
  ): Promise<CapacityBuffer> {
    return this.#write('putBufferStatus', podKey(buffer), signal, (operation) =>
      this.objects.put('CapacityBuffer', {
        ...this.objects.current('CapacityBuffer', buffer, operation),
        status,
      }),
    );
  }

  putRequestStatus(
    request: ProvisioningRequest,
    status: RequestStatus,
    signal?: AbortSignal,
  ): Promise<ProvisioningRequest> {
    return this.#write('putRequestStatus', podKey(request), signal, (operation) =>
      this.objects.put('ProvisioningRequest', {
        ...this.objects.current('ProvisioningRequest', request, operation),
        ...status,
      }),
    );
  }

  putPolicyStatus(
    content: PolicyStatusContent,
    known: PolicyStatus | undefined,
    signal?: AbortSignal,
  ): Promise<PolicyStatus> {
    const name = policyStatusName(content.kind, content.policy);
    return this.#write('putPolicyStatus', name, signal, (operation) => {
      if (known !== undefined)
        return this.objects.put('PolicyStatus', {
          ...this.objects.current('PolicyStatus', known, operation),
          ...content,
        });
      this.objects.requireFree('PolicyStatus', name, operation);
      return this.objects.put('PolicyStatus', {
        name,
        ...this.#identity(),
        annotations: new Map(),
        ...content,
      });
    });
  }

  deletePolicyStatus(status: PolicyStatus, signal?: AbortSignal): Promise<void> {
    return this.#write('deletePolicyStatus', status.name, signal, (operation) => {
      this.#stored('PolicyStatus', status.name, operation);
      this.objects.remove('PolicyStatus', status.name);
    });
  }

  createDecision(name: string, spec: DecisionSpec, signal?: AbortSignal): Promise<Decision> {
    return this.#write('createDecision', name, signal, (operation) => {
      this.objects.requireFree('Decision', name, operation);
      return this.objects.put('Decision', { name, ...this.#identity(), spec, outcome: '' });
    });
  }

  putDecisionStatus(
    decision: Decision,
    change: Partial<Pick<Decision, 'outcome' | 'progress'>>,
    signal?: AbortSignal,
  ): Promise<Decision> {
    return this.#write('putDecisionStatus', decision.name, signal, (operation) =>
      this.objects.put('Decision', { ...this.objects.current('Decision', decision, operation), ...change }),
    );
  }

  deleteDecision(decision: Decision, signal?: AbortSignal): Promise<void> {
    return this.#write('deleteDecision', decision.name, signal, (operation) => {
      this.#stored('Decision', decision.name, operation);
      this.objects.remove('Decision', decision.name);
    });
  }

  createEvent(event: KubeEvent, signal?: AbortSignal): Promise<void> {
    return this.#write('createEvent', event.name, signal, () => {
      this.events.push(event);
    });
  }

  repeatEvent(event: KubeEvent, signal?: AbortSignal): Promise<void> {
    return this.#write('repeatEvent', event.name, signal, () => {
      this.events.push(event);
    });
  }

  async #write<T>(
    method: WriteMethod,
    name: string,
    signal: AbortSignal | undefined,
    apply: (operation: string) => T,
  ): Promise<T> {
    const operation = `${method} ${name}`;
    const { clock, delayMillis = 0 } = this.#options;
    if (delayMillis > 0) await clock.sleep(delayMillis, signal);
    else await Promise.resolve();
    if (signal?.aborted === true) throw new PortError('Cancelled', { operation, message: 'aborted' });
    const fault = this.#nextFault(method, name);
    if (fault !== undefined && fault.applied !== true)
      throw new PortError(fault.code, { operation, message: 'planted by the test' });
    const answer = apply(operation);
    this.writes.push({ method, name });
    if (fault !== undefined) throw new PortError(fault.code, { operation, message: 'the answer was lost' });
    return answer;
  }

  #nextFault(method: WriteMethod, name: string): Fault | undefined {
    const found = this.#faults.find(
      ({ fault, left }) => left > 0 && fault.method === method && (fault.name ?? name) === name,
    );
    if (found !== undefined) found.left--;
    return found?.fault;
  }

  #identity(): { readonly uid: string; readonly resourceVersion: string } {
    this.#uids++;
    return { uid: `uid-${String(this.#uids)}`, resourceVersion: '' };
  }

  /** What its finalizers keep is answered. */
  #end<K extends 'NodeClaim' | 'Node'>(
    kind: K,
    object: ObservedKinds[K],
    operation: string,
  ): ObservedKinds[K] | undefined {
    const stored = this.objects.get(kind, object.name);
    if (stored?.uid !== object.uid)
      throw new PortError('NotFound', { operation, message: `${kind} ${object.name} is not there` });
    if (stored.finalizers.length === 0) {
      this.objects.remove(kind, stored.name);
      return undefined;
    }
    if (stored.deletionTimestamp !== undefined) return stored;
    return this.objects.put(kind, { ...stored, deletionTimestamp: this.#options.clock.now() });
  }

  #putUnlessOver<K extends 'NodeClaim' | 'Node'>(kind: K, object: ObservedKinds[K]): ObservedKinds[K] {
    if (object.deletionTimestamp === undefined || object.finalizers.length > 0)
      return this.objects.put(kind, object);
    this.objects.remove(kind, object.name);
    return object;
  }

  /** Deletions do not look at the version. */
  #stored<K extends 'PolicyStatus' | 'Decision'>(
    kind: K,
    name: string,
    operation: string,
  ): NonNullable<ReturnType<typeof this.objects.get<K>>> {
    const stored = this.objects.get(kind, name);
    if (stored !== undefined) return stored;
    throw new PortError('NotFound', { operation, message: `${kind} ${name} is not there` });
  }

  #endPod(pod: ObservedPod, gracePeriodSeconds: number, operation: string): void {
    const stored = this.objects.get('Pod', podKey(pod));
    if (stored?.uid !== pod.uid)
      throw new PortError('NotFound', { operation, message: `Pod ${podKey(pod)} is not there` });
    if (this.#options.podsLinger !== true || gracePeriodSeconds === 0) {
      this.objects.remove('Pod', podKey(pod));
      return;
    }
    const deletionTimestamp = this.#options.clock.now() + gracePeriodSeconds * 1000;
    this.objects.put('Pod', { ...stored, terminating: true, deletionTimestamp });
  }
}

/** As a JSON patch with tests: what it does not touch may have changed, and what it does must be as it was seen. */
function changed<T>(
  stored: readonly T[],
  seen: readonly T[],
  { add = [], remove = [] }: ListChange<T> = {},
  operation: string,
): readonly T[] {
  const unwanted = new Set(remove.map(identity));
  const isKept = (item: T): boolean => !unwanted.has(identity(item));
  const isAsSeen = seen.every((item, index) => isKept(item) || identity(stored[index]) === identity(item));
  if (!isAsSeen || (add.length > 0 && seen.length === 0 && stored.length > 0))
    throw new PortError('Conflict', { operation, message: 'the object has been modified' });
  return [...stored.filter(isKept), ...add];
}

/** Taints are told apart by key and effect, finalizers by themselves. */
function identity(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const { key, effect } = item as Readonly<Record<string, string>>;
  return `${String(key)}:${String(effect)}`;
}

function patchedLabels(labels: Labels, patch: Readonly<Record<string, string | null>> = {}): Labels {
  const result = new Map(labels);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, value);
  }
  return result;
}
