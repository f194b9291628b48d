/**
 * When nodes became Ready and usable, and when pods were nominated and bound, by this process' clock: the API's own times know
 * whole seconds only.
 */
import type { SeenPod } from '../../scenario/world.js';
import type { ControlPlane } from '../fixture/control-plane.js';
import { follow } from '../fixture/api/follow.js';
import { NODES, PODS } from '../fixture/api/kube-object.js';

/** Seconds that half of the pods, and 99 of 100, waited at most. */
export interface Waits {
  readonly p50: number;
  readonly p99: number;
}

export class Timeline {
  readonly #readyAt = new Map<string, number>();
  /** Ready, and without a taint that keeps pods away. */
  readonly #usableAt = new Map<string, number>();
  readonly #createdAt = new Map<string, number>();
  /** By uid and node. */
  readonly #nominatedAt = new Map<string, number>();
  readonly #boundAt = new Map<string, number>();
  readonly #end = new AbortController();
  readonly #following: Promise<unknown>;

  constructor({ api }: ControlPlane) {
    const { signal } = this.#end;
    const deleted = (): undefined => undefined;
    this.#following = Promise.all([
      follow(api, NODES, {
        signal,
        deleted,
        changed: ({ metadata, spec, status }) => {
          const ready = status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
          if (ready !== true) return;
          note(this.#readyAt, metadata.name);
          const isClosed = spec.taints?.some(({ effect }) => effect !== 'PreferNoSchedule') ?? false;
          if (!isClosed) note(this.#usableAt, metadata.name);
        },
      }),
      follow(api, PODS, {
        signal,
        deleted,
        changed: ({ metadata, spec, status }) => {
          note(this.#createdAt, metadata.uid);
          const { nominatedNodeName } = status;
          if (nominatedNodeName !== undefined)
            note(this.#nominatedAt, nominationKey(metadata.uid, nominatedNodeName));
          if (spec.nodeName !== undefined) note(this.#boundAt, metadata.uid);
        },
      }),
    ]);
  }

  /** From "its node is Ready" and "it is there" to "it is bound". */
  readyToBound(pods: readonly SeenPod[]): Waits {
    return this.#waits(pods, ({ uid, nodeName = '' }) => [
      Math.max(this.#readyAt.get(nodeName) ?? 0, this.#createdAt.get(uid) ?? 0),
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

  #startOf({ uid, nodeName = '' }: SeenPod): number {
    return Math.max(this.#usableAt.get(nodeName) ?? 0, this.#createdAt.get(uid) ?? 0);
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
