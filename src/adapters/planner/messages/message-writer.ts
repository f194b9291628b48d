/** Puts what a thread has not received into messages. */
import { groupBy } from '../../../domain/values/lists.js';
import { isSameList } from '../../../domain/values/same.js';
import type { InstanceType } from '../../../domain/nodes/instance-type.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import type { AskedTask } from './asked-task.js';
import type { PlannerMessage, SentChanges, SentOffers, SentQuestion } from './message.js';
import type { Outbox, UnsentChange } from './outbox.js';
import { NumberedObjects } from './objects-by-number.js';
import type { PlannerQuestion } from '../task.js';

/** Objects of one message: what takes one or two milliseconds to be copied. */
export const MOST_SENT = 250;

type Types = readonly InstanceType[];

/** Lives as long as its thread. */
export class MessageWriter {
  readonly #most: number;
  readonly #shared = new NumberedObjects();
  /** Of the last question. */
  #lists: readonly Types[] = [];
  #pools: readonly NodePool[] = [];

  constructor(most = MOST_SENT) {
    this.#most = most;
  }

  /** Everything in order, as far as it may be sent; undefined whenever there is nothing more for now. */
  *messages(outbox: Outbox): Generator<PlannerMessage | undefined, never> {
    for (;;) {
      const changes = outbox.take(this.#most);
      const asked = changes.length > 0 ? undefined : outbox.due;
      if (changes.length > 0) yield this.#message(changes);
      else if (asked === undefined) yield undefined;
      else {
        const offers = this.#offers(asked);
        while (this.#shared.unsent > this.#most) yield this.#message([]);
        outbox.sent();
        yield {
          ...this.#message([]),
          question: { id: asked.id, about: sentQuestion(asked.work), offers },
        };
      }
    }
  }

  #message(changes: readonly UnsentChange[]): PlannerMessage {
    const sent = [...groupBy(changes, ({ kind }) => kind)].map(([kind, ofKind]) =>
      this.#changes(kind, ofKind),
    );
    return { shared: this.#shared.take(this.#most), changes: sent };
  }

  #changes(kind: UnsentChange['kind'], changes: readonly UnsentChange[]): SentChanges {
    const gone: string[] = [];
    const objects: object[] = [];
    const specs = new Int32Array(changes.length);
    for (const { key, before, after } of changes) {
      const spec = after !== undefined && hasSpec(kind, after) ? this.#shared.use(after.spec) : -1;
      if (before !== undefined && hasSpec(kind, before)) this.#shared.release(before.spec);
      specs[objects.length] = spec;
      if (after === undefined) gone.push(key);
      else objects.push(spec < 0 ? after : { ...after, spec: undefined });
    }
    return { kind, gone, objects, specs };
  }

  #offers({ work, types }: AskedTask): SentOffers {
    const { pools } = work.question;
    const lists = [
      ...new Set([
        ...pools.flatMap(({ instanceTypes, dedicatedTypes }) =>
          [instanceTypes, dedicatedTypes].filter((list) => list !== undefined),
        ),
        ...types.map(([, list]) => list),
      ]),
    ];
    const at = new Map(lists.map((list, index) => [list, index]));
    const sent = pools.map(({ pool, instanceTypes, dedicatedTypes, ...rest }) => ({
      pool: this.#shared.use(pool),
      types: instanceTypes && at.get(instanceTypes),
      dedicated: dedicatedTypes && at.get(dedicatedTypes),
      rest,
    }));
    for (const pool of this.#pools) this.#shared.release(pool);
    this.#pools = pools.map(({ pool }) => pool);
    return {
      pools: sent,
      lists: this.#sendLists(lists),
      typesOf: types.map(([kind, list]) => [kind, at.get(list) ?? 0]),
    };
  }

  #sendLists(lists: readonly Types[]): readonly Int32Array[] | undefined {
    const before = this.#lists;
    if (isSameList(lists, before)) return undefined;
    this.#lists = lists;
    const sent = lists.map((list) => Int32Array.from(list, (type) => this.#shared.use(type)));
    for (const list of before) for (const type of list) this.#shared.release(type);
    return sent;
  }
}

function sentQuestion({ kind, question }: PlannerQuestion): SentQuestion {
  if (kind === 'plan') {
    const { demand, setAside = [], buffers, virtual, now, options } = question;
    return { kind, demand: uidsOf(demand), setAside: uidsOf(setAside), buffers, virtual, now, options };
  }
  // Whatever else a question comes to say is sent with it.
  const { pools, typesOf, ...rest } = question;
  return { kind, rest };
}

function uidsOf(pods: readonly { readonly uid: string }[]): string {
  return pods.map(({ uid }) => uid).join('\n');
}

/** Many pods have one spec: it is sent once. */
function hasSpec(kind: UnsentChange['kind'], object: object): object is { readonly spec: object } {
  return (kind === 'Pod' || kind === 'DaemonSet') && 'spec' in object;
}
