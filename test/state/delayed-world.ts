/**
 * A small cluster as it is in truth, an extender that hears of it late, a kube-scheduler that assumes and binds later,
 * and a leader that reserves only what is free: for showing that reservations hold whatever comes when.
 */
import type { ObservedPod } from '../../src/domain/pods/observed-pod.js';
import { requirement } from '../../src/domain/values/requirement.js';
import type { ReservationEntry } from '../../src/domain/records/reservation.js';
import { filter } from '../../src/planning/placement/filter.js';
import { pinnedNode } from '../../src/planning/placement/pinned-node.js';
import { Cluster } from '../../src/state/cluster/cluster.js';
import { ownerKeyOf, ownerKey } from '../../src/state/cluster/owner-key.js';
import { PlacementAnswers } from '../../src/state/ledger/placement-answers.js';
import { RoomLedger } from '../../src/state/ledger/room-ledger.js';
import { observedNode } from '../support/builders/observed-node.js';
import { observedPod, type ObservedPodOverrides } from '../support/builders/observed-pod.js';
import { reservation, reservationEntry } from '../support/builders/reservation.js';
import { VirtualClock } from '../support/virtual-clock.js';

export const NODES = ['n1', 'n2', 'n3'] as const;
export type NodeName = (typeof NODES)[number];
export const CORES = 6;

export interface PlacedPod {
  readonly pod: ObservedPod;
  readonly cores: number;
  /** Assumed or bound. */
  nodeName: string | undefined;
  bound: boolean;
}

export class DelayedWorld {
  readonly cluster = new Cluster();
  readonly clock = new VirtualClock();
  readonly ledger = new RoomLedger({ cluster: this.cluster, clock: this.clock });
  readonly view = new PlacementAnswers({ cluster: this.cluster, ledger: this.ledger });
  readonly pods: PlacedPod[] = [];
  readonly #entries = new Map<string, ReservationEntry[]>(NODES.map((name) => [name, []]));
  /** Pods by the owner's entry that they took. */
  readonly #takers = new Map<string, ReservationEntry>();
  readonly #podNews: (() => void)[] = [];
  readonly #reservationNews: (() => void)[] = [];
  #version = 10;

  constructor() {
    for (const name of NODES)
      this.cluster.put(
        'Node',
        observedNode({ name, allocatable: { cpu: String(CORES), memory: '100Gi', pods: '110' } }),
      );
  }

  /** A pod that nobody has planned; the extender hears of it late. */
  arrive(cores: number, overrides: ObservedPodOverrides = {}): PlacedPod {
    const name = `p${String(this.#version++)}`;
    const pod = observedPod({ name, uid: name, requests: { cpu: String(cores) }, ...overrides });
    const placed = { pod, cores, nodeName: undefined, bound: false };
    this.pods.push(placed);
    this.#tellPod(pod);
    return placed;
  }

  /** Reserves what is free in truth; the extender hears of it at once, as it must before anybody relies on it. */
  reserve(node: NodeName, cores: number, held: Partial<ReservationEntry>): boolean {
    const entry = reservationEntry({
      ...held,
      requests: observedPod({ requests: { cpu: String(cores) } }).spec.requests,
    });
    if (this.free(node) < cores * entry.count) return false;
    this.#entries.get(node)?.push(entry);
    this.#tellReservation(node);
    this.deliverReservations(Infinity);
    return true;
  }

  /** A DaemonSet pod for the node, if it has room for it. */
  arriveDaemon(node: NodeName): void {
    if (this.free(node) < 1) return;
    const fields = new Map([['metadata.name', requirement('metadata.name', 'In', [node])]]);
    this.arrive(1, {
      owner: { kind: 'DaemonSet', name: 'agent' },
      nodeAffinity: { required: [{ labels: new Map(), fields }] },
    });
    this.deliverPods(Infinity);
  }

  /** A pod that names a DaemonSet as its owner, but is not pinned as the DaemonSet controller pins its pods. */
  arriveForged(node: NodeName, cores: number, terms: 'none' | 'one of two' | 'by label'): void {
    const fields = new Map([['metadata.name', requirement('metadata.name', 'In', [node])]]);
    const host = new Map([['kubernetes.io/os', requirement('kubernetes.io/os', 'Exists', [])]]);
    const required = {
      none: undefined,
      'one of two': [
        { labels: new Map(), fields },
        { labels: host, fields: new Map() },
      ],
      'by label': [{ labels: host, fields: new Map() }],
    }[terms];
    this.arrive(cores, { owner: { kind: 'DaemonSet', name: 'nosuch' }, nodeAffinity: { required } });
  }

  /** Nodes whose physical room suffices: all that kube-scheduler checks. */
  feasible(placed: PlacedPod): NodeName[] {
    const pinned = pinnedNode(placed.pod);
    return NODES.filter(
      (name) => (pinned === undefined || pinned === name) && CORES - this.taken(name) >= placed.cores,
    );
  }

  /** One scheduling cycle, up to assuming the pod on one of the nodes answered. */
  schedule(placed: PlacedPod, choose: (names: readonly string[]) => string | undefined): readonly string[] {
    const names = this.feasible(placed);
    if (names.length === 0) return [];
    this.ledger.expire();
    this.ledger.release(placed.pod.uid);
    const answer = filter(this.view, placed.pod, names);
    this.ledger.answered(placed.pod, answer.nodeNames.length, answer.charge);
    placed.nodeName = choose(answer.nodeNames);
    const entry = this.#entries
      .get(placed.nodeName ?? '')
      ?.find((one) => isOfOwner(one, placed.pod) && one.count > this.#takersOf(one));
    if (entry !== undefined) this.#takers.set(placed.pod.uid, entry);
    return answer.nodeNames;
  }

  /** The bind succeeds, and the leader takes the entry away; the extender hears of both late, in any order. */
  bind(placed: PlacedPod): void {
    const { nodeName } = placed;
    if (nodeName === undefined || placed.bound) return;
    placed.bound = true;
    this.#tellPod({ ...placed.pod, nodeName, phase: 'Running' });
    this.#strip(nodeName, placed.pod.uid);
  }

  /** The bind fails: kube-scheduler forgets what it assumed. */
  failToBind(placed: PlacedPod): void {
    if (placed.bound) return;
    placed.nodeName = undefined;
    this.#takers.delete(placed.pod.uid);
  }

  remove(placed: PlacedPod): void {
    this.pods.splice(this.pods.indexOf(placed), 1);
    this.#podNews.push(() => {
      this.cluster.delete('Pod', `default/${placed.pod.name}`);
    });
    for (const name of NODES) if (!placed.bound) this.#strip(name, placed.pod.uid);
    this.#takers.delete(placed.pod.uid);
  }

  deliverPods(count: number): void {
    for (const news of this.#podNews.splice(0, count)) news();
  }

  deliverReservations(count: number): void {
    for (const news of this.#reservationNews.splice(0, count)) news();
  }

  /** Cores of pods assumed or bound there. */
  taken(node: string): number {
    return this.pods.filter(({ nodeName }) => nodeName === node).reduce((sum, { cores }) => sum + cores, 0);
  }

  /** Cores held there for pods that are not there yet, DaemonSet pods among them. */
  held(node: string): number {
    const daemons = this.pods.filter(
      ({ pod, nodeName }) => nodeName === undefined && pinnedNode(pod) === node,
    );
    const reserved = (this.#entries.get(node) ?? []).map((entry) => {
      const cores = (entry.requests.get('cpu') ?? 0) / 1000;
      if (entry.podUID === undefined) return (entry.count - this.#takersOf(entry)) * cores;
      const pod = this.pods.find(({ pod: { uid } }) => uid === entry.podUID);
      return pod?.nodeName === undefined ? cores : 0;
    });
    return reserved.reduce((sum, cores) => sum + cores, daemons.length);
  }

  free(node: string): number {
    return CORES - this.taken(node) - this.held(node);
  }

  #takersOf(entry: ReservationEntry): number {
    return [...this.#takers.values()].filter((other) => other === entry).length;
  }

  #strip(node: string, uid: string): void {
    const entries = this.#entries.get(node) ?? [];
    const taken = this.#takers.get(uid);
    const left = entries.flatMap((entry) => {
      if (entry.podUID === uid) return [];
      if (entry !== taken) return [entry];
      const less = { ...entry, count: entry.count - 1 };
      for (const [other, its] of this.#takers) if (its === entry) this.#takers.set(other, less);
      return [less];
    });
    this.#takers.delete(uid);
    this.#entries.set(node, left);
    this.#tellReservation(node);
  }

  #tellPod(pod: ObservedPod): void {
    const resourceVersion = String(this.#version++);
    this.#podNews.push(() => {
      this.cluster.put('Pod', { ...pod, resourceVersion });
    });
  }

  #tellReservation(node: string): void {
    const resourceVersion = String(this.#version++);
    const entries = [...(this.#entries.get(node) ?? [])];
    const target = { kind: 'Node', name: node } as const;
    this.#reservationNews.push(() => {
      this.cluster.put('Reservation', reservation({ target, entries, resourceVersion }));
    });
  }
}

function isOfOwner({ owner }: ReservationEntry, pod: ObservedPod): boolean {
  return owner !== undefined && ownerKey(owner) === ownerKeyOf(pod);
}
