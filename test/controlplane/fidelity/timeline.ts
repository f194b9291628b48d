/**
 * When nodes became Ready and usable, and when pods were created, nominated and bound, by this process' clock: the API's own
 * times know whole seconds only. It remembers pods and places that are gone, and knows the pods that are there.
 */
import { seenPod } from '../../scenario/seen.js';
import type { SeenPod } from '../../scenario/world.js';
import type { ControlPlane } from '../fixture/control-plane.js';
import { follow } from '../fixture/api/follow.js';
import { NODES, PODS, type Node, type Pod } from '../fixture/api/kube-object.js';

/** The taint that the pods planned on its node tolerate. */
const HELD = 'berth.sh/held';
/** With the effect NoExecute all pods tolerate it for five minutes (admission: DefaultTolerationSeconds). */
const NOT_READY = 'node.kubernetes.io/not-ready';

/** Seconds that half of the pods, and 99 of 100, waited at most. */
export interface Waits {
  readonly p50: number;
  readonly p99: number;
}

export class Timeline {
  readonly #readyAt = new Map<string, number>();
  /** Ready, and without a taint that keeps the pods away that are planned there. */
  readonly #usableAt = new Map<string, number>();
  readonly #createdAt = new Map<string, number>();
  /** By uid and node. */
  readonly #nominatedAt = new Map<string, number>();
  readonly #boundAt = new Map<string, number>();
  /** Nodes that any pod was ever bound to. */
  readonly #filled = new Set<string>();
  /** By uid, without those that are terminating. */
  readonly #pods = new Map<string, SeenPod>();
  readonly #end = new AbortController();
  readonly #following: Promise<unknown>;

  constructor({ api }: ControlPlane) {
    const { signal } = this.#end;
    this.#following = Promise.all([
      follow(api, NODES, {
        signal,
        deleted: () => undefined,
        changed: (node) => {
          this.#noteNode(node);
        },
      }),
      follow(api, PODS, {
        signal,
        deleted: ({ metadata }) => this.#pods.delete(metadata.uid),
        changed: (pod) => {
          this.#notePod(pod);
        },
      }),
    ]);
  }

  /** Pods that are there and not on their way out. */
  pods(): readonly SeenPod[] {
    return [...this.#pods.values()];
  }

  /** How many nodes have become usable. */
  get usableNodes(): number {
    return this.#usableAt.size;
  }

  /** Whether any pod, DaemonSets' left out, was ever bound to the node. */
  wasFilled(nodeName: string): boolean {
    return this.#filled.has(nodeName);
  }

  /** From its creation. */
  createdToBound(pods: readonly SeenPod[]): Waits {
    return this.#waits(pods, ({ uid }) => [this.#createdAt.get(uid) ?? 0, this.#boundAt.get(uid)]);
  }

  /** From "its node is Ready" and "it is there" to "it is bound". */
  readyToBound(pods: readonly SeenPod[]): Waits {
    return this.#waits(pods, ({ uid, nodeName = '' }) => [
      Math.max(this.#readyAt.get(nodeName) ?? Infinity, this.#createdAt.get(uid) ?? 0),
      this.#boundAt.get(uid),
    ]);
  }

  /** The same from "its node takes pods": a Ready node may still have the taint of an unregistered one. */
  usableToBound(pods: readonly SeenPod[]): Waits {
    return this.#waits(pods, (pod) => [this.#startOf(pod), this.#boundAt.get(pod.uid)]);
  }

  /** The part of it in which the pod had not been nominated to its node: what Berth takes. */
  usableToNominated(pods: readonly SeenPod[]): Waits {
    return this.#waits(pods, (pod) => {
      const { uid, nodeName = '' } = pod;
      return [
        this.#startOf(pod),
        this.#nominatedAt.get(nominationKey(uid, nodeName)) ?? this.#boundAt.get(uid),
      ];
    });
  }

  #noteNode({ metadata, spec, status }: Node): void {
    const ready = status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    if (ready !== true) return;
    note(this.#readyAt, metadata.name);
    const isClosed = spec.taints?.some(
      ({ key, effect }) =>
        effect !== 'PreferNoSchedule' && key !== HELD && !(key === NOT_READY && effect === 'NoExecute'),
    );
    if (isClosed !== true) note(this.#usableAt, metadata.name);
  }

  #notePod(pod: Pod): void {
    const { metadata, spec, status } = pod;
    if (metadata.deletionTimestamp === undefined) this.#pods.set(metadata.uid, seenPod(pod));
    else this.#pods.delete(metadata.uid);
    note(this.#createdAt, metadata.uid);
    const { nominatedNodeName } = status;
    if (nominatedNodeName !== undefined)
      note(this.#nominatedAt, nominationKey(metadata.uid, nominatedNodeName));
    if (spec.nodeName === undefined) return;
    note(this.#boundAt, metadata.uid);
    if (!seenPod(pod).ofDaemonSet) this.#filled.add(spec.nodeName);
  }

  /** A pod that is seen bound before its node is seen usable has not waited. */
  #startOf({ uid, nodeName = '' }: SeenPod): number {
    return Math.max(this.#usableAt.get(nodeName) ?? Infinity, this.#createdAt.get(uid) ?? 0);
  }

  /** `span` answers from when to when a pod waited; without an end it still waits. */
  #waits(
    pods: readonly SeenPod[],
    span: (pod: SeenPod) => readonly [from: number, to: number | undefined],
  ): Waits {
    const seconds = pods.map((pod) => {
      const [from, to = Infinity] = span(pod);
      return Math.max(0, to - from) / 1000;
    });
    seconds.sort((left, right) => left - right);
    const at = (share: number): number =>
      Number((seconds[Math.ceil(seconds.length * share) - 1] ?? 0).toFixed(3));
    return { p50: at(0.5), p99: at(0.99) };
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }
}

function nominationKey(uid: string, nodeName: string): string {
  return `${uid} ${nodeName}`;
}

function note(times: Map<string, number>, key: string): void {
  if (!times.has(key)) times.set(key, performance.now());
}
