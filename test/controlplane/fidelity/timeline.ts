/** When nodes became Ready and pods were bound, by this process' clock: the API's own times know whole seconds only. */
import type { SeenPod } from '../../scenario/world.js';
import type { ControlPlane } from '../fixture/control-plane.js';
import { follow } from '../fixture/api/follow.js';
import { NODES, PODS } from '../fixture/api/kube-object.js';

export class Timeline {
  readonly #readyAt = new Map<string, number>();
  readonly #createdAt = new Map<string, number>();
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
        changed: ({ metadata, status }) => {
          const ready = status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
          if (ready === true) note(this.#readyAt, metadata.name);
        },
      }),
      follow(api, PODS, {
        signal,
        deleted,
        changed: ({ metadata, spec }) => {
          note(this.#createdAt, metadata.uid);
          if (spec.nodeName !== undefined) note(this.#boundAt, metadata.uid);
        },
      }),
    ]);
  }

  /** Seconds that 99 of 100 pods waited at most once their node was Ready and they were there. */
  readyToBoundP99(pods: readonly SeenPod[]): number {
    const waits = pods.map(({ uid, nodeName = '' }) => {
      const from = Math.max(this.#readyAt.get(nodeName) ?? 0, this.#createdAt.get(uid) ?? 0);
      return Math.max(0, (this.#boundAt.get(uid) ?? Infinity) - from) / 1000;
    });
    waits.sort((left, right) => left - right);
    return Number((waits[Math.ceil(waits.length * 0.99) - 1] ?? 0).toFixed(3));
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }
}

function note(times: Map<string, number>, key: string): void {
  if (!times.has(key)) times.set(key, performance.now());
}
