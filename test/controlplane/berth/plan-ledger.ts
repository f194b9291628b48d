/** Remembers what a cluster forgets: where Berth planned each pod, since reservations vanish once their pods are bound. */
import type { SeenPlan } from '../../scenario/world.js';
import type { ControlPlane } from '../fixture/control-plane.js';
import { follow } from '../fixture/follow.js';
import { NODE_CLAIMS, RESERVATIONS, type NodeClaim, type Reservation } from './kinds.js';

export class PlanLedger {
  readonly #targets = new Map<string, string[]>();
  readonly #nodeNames = new Map<string, string>();
  readonly #end = new AbortController();
  readonly #following: Promise<unknown>;

  readonly #notePlan = ({ spec }: Reservation): void => {
    const target = `${spec.target.kind}/${spec.target.name}`;
    for (const { podUID } of spec.entries) {
      if (podUID === undefined) continue;
      const targets = this.#targets.get(podUID) ?? [];
      if (targets.at(-1) !== target) targets.push(target);
      this.#targets.set(podUID, targets);
    }
  };

  readonly #noteClaim = ({ metadata, status }: NodeClaim): void => {
    if (status?.nodeName !== undefined) this.#nodeNames.set(`NodeClaim/${metadata.name}`, status.nodeName);
  };

  constructor(cluster: ControlPlane) {
    const { signal } = this.#end;
    const deleted = (): undefined => undefined;
    this.#following = Promise.all([
      follow(cluster.api, RESERVATIONS, { signal, deleted, changed: this.#notePlan }),
      follow(cluster.api, NODE_CLAIMS, { signal, deleted, changed: this.#noteClaim }),
    ]);
  }

  /** By pod uid. */
  get plans(): ReadonlyMap<string, SeenPlan> {
    return new Map([...this.#targets].map(([uid, targets]) => [uid, { targets: [...targets] }]));
  }

  /** The node of a target (`NodeClaim/<name>`, `Node/<name>`), also of a claim that is gone; undefined when it never had one. */
  nodeOf(target: string): string | undefined {
    return target.startsWith('Node/') ? target.slice('Node/'.length) : this.#nodeNames.get(target);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }
}
