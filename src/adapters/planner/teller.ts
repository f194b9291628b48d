/** Puts what one thread has not been told into messages. */
import type { InstanceType } from '../../domain/instance-type.js';
import type { NodePool } from '../../domain/node-pool.js';
import type { AskedTask } from './asked-task.js';
import type { PlannerMessage, ToldChange, ToldOffers, ToldQuestion } from './message.js';
import type { Outbox, UntoldChange } from './outbox.js';
import { SharedObjects } from './shared-objects.js';
import type { PlannerQuestion } from './task.js';

/** Objects told at once: what takes one or two milliseconds to be copied. */
export const MOST_TOLD = 250;

type Types = readonly InstanceType[];

/** Lives as long as its thread. */
export class Teller {
  readonly #most: number;
  readonly #shared = new SharedObjects();
  /** Of the last question. */
  #lists: readonly Types[] = [];
  #pools: readonly NodePool[] = [];

  constructor(most = MOST_TOLD) {
    this.#most = most;
  }

  /** Everything in order, as far as it may be told; undefined whenever there is nothing more for now. */
  *tell(outbox: Outbox): Generator<PlannerMessage | undefined, never> {
    for (;;) {
      const changes = outbox.take(this.#most);
      const asked = changes.length > 0 ? undefined : outbox.due;
      if (changes.length > 0) yield this.#message(changes);
      else if (asked === undefined) yield undefined;
      else {
        const offers = this.#offers(asked);
        while (this.#shared.untold > this.#most) yield this.#message([]);
        outbox.told();
        yield {
          ...this.#message([]),
          question: { id: asked.id, about: toldQuestion(asked.work), offers },
        };
      }
    }
  }

  #message(changes: readonly UntoldChange[]): PlannerMessage {
    const told = changes.map((change) => this.#change(change));
    return { shared: this.#shared.take(this.#most), changes: told };
  }

  #change({ kind, key, before, after }: UntoldChange): ToldChange {
    const spec = after !== undefined && hasSpec(kind, after) ? this.#shared.use(after.spec) : -1;
    if (before !== undefined && hasSpec(kind, before)) this.#shared.release(before.spec);
    return { kind, key, object: spec < 0 ? after : { ...after, spec: undefined }, spec };
  }

  #offers({ work, types }: AskedTask): ToldOffers {
    const { pools } = work.question;
    const lists = [
      ...new Set([
        ...pools.flatMap(({ instanceTypes }) => (instanceTypes === undefined ? [] : [instanceTypes])),
        ...types.map(([, , list]) => list),
      ]),
    ];
    const at = new Map(lists.map((list, index) => [list, index]));
    const told = pools.map(({ pool, instanceTypes, ...rest }) => ({
      pool: this.#shared.use(pool),
      types: instanceTypes && at.get(instanceTypes),
      rest,
    }));
    for (const pool of this.#pools) this.#shared.release(pool);
    this.#pools = pools.map(({ pool }) => pool);
    return {
      pools: told,
      lists: this.#tellLists(lists),
      typesOf: types.map(([nodeClass, nodePool, list]) => [nodeClass, nodePool, at.get(list) ?? 0]),
    };
  }

  #tellLists(lists: readonly Types[]): readonly Int32Array[] | undefined {
    const before = this.#lists;
    if (lists.length === before.length && lists.every((list, index) => list === before[index]))
      return undefined;
    this.#lists = lists;
    const told = lists.map((list) => Int32Array.from(list, (type) => this.#shared.use(type)));
    for (const list of before) for (const type of list) this.#shared.release(type);
    return told;
  }
}

function toldQuestion({ kind, question }: PlannerQuestion): ToldQuestion {
  if (kind === 'plan') {
    const { demand, setAside = [], options } = question;
    return { kind, demand: uidsOf(demand), setAside: uidsOf(setAside), options };
  }
  const { pools: _pools, typesOf: _typesOf, ...rest } = question;
  return { kind, rest };
}

function uidsOf(pods: readonly { readonly uid: string }[]): string {
  return pods.map(({ uid }) => uid).join('\n');
}

/** Many pods have one spec: it is told once. */
function hasSpec(kind: UntoldChange['kind'], object: object): object is { readonly spec: object } {
  return (kind === 'Pod' || kind === 'DaemonSet') && 'spec' in object;
}
