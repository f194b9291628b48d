/**
 * The dashboard's model of the cluster, kept up to date while it has readers: what is known, and what has changed since.
 * Documents are written in portions, so that a large cluster does not keep the process from answering kube-scheduler.
 */
import type { Decision } from '../../domain/records/decision.js';
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { podKey } from '../../domain/pods/pod.js';
import {
  reservationName,
  type Reservation,
  type ReservationTarget,
} from '../../domain/records/reservation.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { stateNodeOfClaim, stateNodeOfNode, type StateNode } from '../../state/nodes/state-node.js';
import { refusals } from '../../state/nodes/pod-standing.js';
import type { Change } from '../../state/cluster/store.js';
import { Changes } from './changes.js';
import { boxDocument, decisionDocument, podDocument } from './page-documents.js';

/** Decisions in a snapshot; stories have the older ones. */
const MOST_DECISIONS = 300;

export class PageModel {
  readonly #cluster: Cluster;
  readonly #boxes = new Changes((id) => this.#box(id));
  readonly #pods = new Changes((key) => this.#pod(key));
  readonly #decisions = new Changes((name) => this.#decision(name));
  readonly #unsubscribe: readonly (() => void)[];
  readonly #refusals: Map<string, Decision>;

  /** Follows the cluster until `close`; all that there is counts as changed. */
  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#refusals = new Map(refusals(cluster));
    for (const { name } of cluster.nodes.values()) this.#boxes.mark(`Node/${name}`);
    for (const { name } of cluster.nodeClaims.values()) this.#boxes.mark(`NodeClaim/${name}`);
    for (const pod of cluster.pods.values()) this.#pods.mark(podKey(pod));
    for (const { name } of this.#latestDecisions()) this.#decisions.mark(name);
    this.#unsubscribe = [
      cluster.pods.subscribe(({ key }) => {
        this.#pods.mark(key);
      }),
      cluster.nodes.subscribe((change) => {
        this.#onNode(change);
      }),
      cluster.nodeClaims.subscribe((change) => {
        this.#onClaim(change);
      }),
      cluster.reservations.subscribe((change) => {
        this.#onReservation(change);
      }),
      cluster.decisions.subscribe((change) => {
        this.#onDecision(change);
      }),
    ];
  }

  close(): void {
    for (const end of this.#unsubscribe) end();
  }

  /** Members of a JSON object: everything that was taken so far, as it was then. */
  snapshot(): string {
    const [boxes, pods] = [this.#boxes, this.#pods].map((changes) => changes.all().join(','));
    const decisions = this.#decisions.all().slice(-MOST_DECISIONS).join(',');
    return `"boxes":[${boxes ?? ''}],"pods":[${pods ?? ''}],"decisions":[${decisions}]`;
  }

  /** Whether there is more to be taken. */
  get isBehind(): boolean {
    return this.#boxes.marked + this.#pods.marked + this.#decisions.marked > 0;
  }

  /** Members of a JSON object: what has changed since it was last taken, at most so many documents; '' when nothing has. */
  take(most: number): string {
    const lists = [
      { changes: this.#boxes, changed: 'boxes', gone: 'goneBoxes' },
      { changes: this.#pods, changed: 'pods', gone: 'gonePods' },
      { changes: this.#decisions, changed: 'decisions', gone: 'goneDecisions' },
    ];
    let left = most;
    const parts: string[] = [];
    for (const { changes, ...names } of lists) {
      const before = changes.marked;
      const { changed, gone } = changes.take(left);
      left -= before - changes.marked;
      if (changed.length > 0) parts.push(`"${names.changed}":[${changed.join(',')}]`);
      if (gone.length > 0) parts.push(`"${names.gone}":${JSON.stringify(gone)}`);
    }
    return parts.join(',');
  }

  #box(id: string): string | undefined {
    const stateNode = this.#stateNodeOf(id);
    return stateNode && JSON.stringify(boxDocument(this.#cluster, stateNode));
  }

  #stateNodeOf(id: string): StateNode | undefined {
    const [kind, name = ''] = id.split('/');
    if (kind === 'NodeClaim') return stateNodeOfClaim(this.#cluster, name);
    const stateNode = stateNodeOfNode(this.#cluster, name);
    return stateNode?.claim === undefined ? stateNode : undefined;
  }

  #pod(key: string): string | undefined {
    const pod = this.#cluster.pods.get(key);
    const document = pod && podDocument(this.#cluster, pod, (uid) => this.#refusals.get(uid));
    return document && JSON.stringify(document);
  }

  #decision(name: string): string | undefined {
    const decision = this.#cluster.decisions.get(name);
    return decision && JSON.stringify(decisionDocument(decision));
  }

  #latestDecisions(): readonly Decision[] {
    const all = [...this.#cluster.decisions.values()];
    return all.sort((left, right) => left.spec.time - right.spec.time).slice(-MOST_DECISIONS);
  }

  #onNode({ key, before, after }: Change<ObservedNode>): void {
    this.#boxes.mark(`Node/${key}`);
    for (const node of [before, after]) {
      const claim = node?.providerID && this.#cluster.claimByProviderID(node.providerID);
      if (claim) this.#boxes.mark(`NodeClaim/${claim.name}`);
    }
    for (const pod of this.#cluster.podsOn(key)) this.#pods.mark(podKey(pod));
    this.#markHeld({ kind: 'Node', name: key });
  }

  #onClaim({ key, before, after }: Change<NodeClaim>): void {
    this.#boxes.mark(`NodeClaim/${key}`);
    for (const claim of [before, after]) {
      const id = claim?.status.providerID;
      const node = id === undefined ? undefined : this.#cluster.nodeByProviderID(id);
      if (node === undefined) continue;
      this.#boxes.mark(`Node/${node.name}`);
      for (const pod of this.#cluster.podsOn(node.name)) this.#pods.mark(podKey(pod));
    }
    this.#markHeld({ kind: 'NodeClaim', name: key });
  }

  #onReservation({ before, after }: Change<Reservation>): void {
    this.#markEntries(before);
    this.#markEntries(after);
    const target = (after ?? before)?.target;
    if (target === undefined) return;
    this.#boxes.mark(`${target.kind}/${target.name}`);
    const claim = target.kind === 'Node' ? this.#cluster.claimOfNode(target.name) : undefined;
    if (claim !== undefined) this.#boxes.mark(`NodeClaim/${claim.name}`);
  }

  #onDecision({ key, before, after }: Change<Decision>): void {
    this.#decisions.mark(key);
    const decision = after ?? before;
    if (decision === undefined || !isRefusedPod(decision)) return;
    const { uid, namespace, name } = decision.spec.subject;
    const known = this.#refusals.get(uid);
    const isLatest = known === undefined || known.spec.time <= decision.spec.time;
    if (after === undefined && known?.name === key) this.#refusals.delete(uid);
    else if (after !== undefined && isLatest) this.#refusals.set(uid, after);
    this.#pods.mark(`${namespace}/${name}`);
  }

  /** Shares are of what the instance has, which has changed. */
  #markHeld(target: ReservationTarget): void {
    this.#markEntries(this.#cluster.reservations.get(reservationName(target)));
  }

  #markEntries(reservation: Reservation | undefined): void {
    for (const { podUID } of reservation?.entries ?? []) {
      const pod = podUID === undefined ? undefined : this.#cluster.podByUID(podUID);
      if (pod !== undefined) this.#pods.mark(podKey(pod));
    }
  }
}

function isRefusedPod({ spec }: Decision): boolean {
  return spec.action === 'Refuse' && spec.subject.kind === 'Pod';
}
