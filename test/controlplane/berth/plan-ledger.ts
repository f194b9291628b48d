/** Remembers what a cluster forgets: where Berth planned each pod, since reservations vanish once their pods are bound. */
import type { SeenPlan } from '../../scenario/world.js';
import type { ControlPlane } from '../fixture/control-plane.js';
import { ApiError } from '../fixture/api/api-error.js';
import { eventually } from '../fixture/eventually.js';
import { follow } from '../fixture/api/follow.js';
import { NODE_CLAIMS, RESERVATIONS, type NodeClaim, type Reservation } from './kinds.js';

const CATCH_UP_MILLIS = 60_000;

/** Begins the names of targets that there are not. */
const MARK = 'mark';

export class PlanLedger {
  readonly #cluster: ControlPlane;
  readonly #targets = new Map<string, string[]>();
  readonly #nodeNames = new Map<string, string>();
  readonly #end = new AbortController();
  readonly #following: Promise<unknown>;
  /** Marks that the watch told of, by uid, and how many were made. */
  readonly #marks = new Set<string>();
  #made = 0;

  readonly #notePlan = ({ metadata, spec }: Reservation): void => {
    if (spec.target.name.startsWith(MARK)) this.#marks.add(metadata.uid);
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
    this.#cluster = cluster;
    const { signal } = this.#end;
    const deleted = (): undefined => undefined;
    this.#following = Promise.all([
      follow(cluster.api, RESERVATIONS, { signal, deleted, changed: this.#notePlan }),
      follow(cluster.api, NODE_CLAIMS, { signal, deleted, changed: this.#noteClaim }),
    ]);
  }

  /** All plans until now, by pod uid. */
  async plans(): Promise<ReadonlyMap<string, SeenPlan>> {
    await this.#catchUp();
    return new Map([...this.#targets].map(([uid, targets]) => [uid, { targets: [...targets] }]));
  }

  /** The node of a target (`NodeClaim/<name>`, `Node/<name>`), also of a claim that is gone; undefined when it never had one. */
  nodeOf(target: string): string | undefined {
    return target.startsWith('Node/') ? target.slice('Node/'.length) : this.#nodeNames.get(target);
  }

  /** A watch may lag far behind, but it tells in order: when it tells of something new, it has told of all before. */
  async #catchUp(): Promise<void> {
    const { api } = this.#cluster;
    const name = `${MARK}-${String(++this.#made)}`;
    const mark = await api.create(RESERVATIONS, {
      metadata: { name: `node.${name}` },
      spec: { target: { kind: 'Node', name }, entries: [] },
    });
    const { uid } = mark.metadata;
    await eventually('the watch of reservations catches up', () => this.#marks.has(uid), {
      timeoutMillis: CATCH_UP_MILLIS,
    });
    await api.delete(RESERVATIONS, mark.metadata).catch(ignoreGone);
    for (const claim of (await api.list(NODE_CLAIMS)).items) this.#noteClaim(claim);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#following;
  }
}

/** Berth lets go of what nobody needs. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError && error.code === 404)) throw error;
}
