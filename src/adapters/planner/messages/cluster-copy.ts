/** The thread's own cluster, which follows that of the process by the messages that it receives. */
import type { InstanceType } from '../../../domain/nodes/instance-type.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import type { ObservedPod } from '../../../domain/pods/observed-pod.js';
import { TextPool } from '../../../domain/values/text-pool.js';
import { observedKey, type ObservedKinds } from '../../../ports/cluster-feed.js';
import type { Offers } from '../../../ports/planner.js';
import { Cluster } from '../../../state/cluster/cluster.js';
import { kindOfClaim } from './asked-task.js';
import type { PlannerMessage, SentChanges, SentOffers, SentQuestion } from './message.js';
import { NumberedCopies } from './objects-by-number.js';
import { taskOf, type PlannerTask } from '../task.js';

/** A question that is to be answered before the next message is taken. */
export interface ReceivedQuestion {
  readonly id: number;
  /** @throws Error when it cannot be made of the cluster. */
  readonly task: () => PlannerTask;
}

export class ClusterCopy {
  readonly #cluster = new Cluster();
  readonly #shared = new NumberedCopies();
  readonly #texts = new TextPool();
  #lists: readonly (readonly InstanceType[])[] = [];

  take({ shared, changes, question }: PlannerMessage): ReceivedQuestion | undefined {
    this.#shared.learn(shared);
    for (const change of changes) this.#change(change);
    if (question === undefined) return undefined;
    const { id, about, offers } = question;
    const received = this.#offers(offers);
    return { id, task: () => this.#task(about, received) };
  }

  #change({ kind, gone, objects, specs }: SentChanges): void {
    for (const key of gone) this.#cluster.adopt(kind, key, undefined);
    objects.forEach((object, index) => {
      const spec = specs[index] ?? -1;
      const whole = spec < 0 ? object : Object.assign(object, { spec: this.#shared.get(spec) });
      const known = whole as ObservedKinds[typeof kind];
      if (kind === 'Pod') this.#shareTextsOfPod(whole as ObservedPod);
      else shareTexts(whole, this.#texts);
      this.#cluster.adopt(kind, observedKey(kind, known), known);
    });
  }

  /** Its spec is shared as a whole, and most other texts are its own. */
  #shareTextsOfPod(pod: { -readonly [K in keyof ObservedPod]: ObservedPod[K] }): void {
    pod.namespace = pod.spec.namespace;
    pod.phase = this.#texts.shared(pod.phase) as ObservedPod['phase'];
    pod.templateHash = this.#texts.shared(pod.templateHash);
    if (pod.nodeName !== undefined) pod.nodeName = this.#texts.shared(pod.nodeName);
  }

  #task(about: SentQuestion, offers: Offers): PlannerTask {
    if (about.kind === 'disrupt')
      return taskOf(this.#cluster, { kind: 'disrupt', question: { ...about.rest, ...offers } });
    const { demand, setAside, buffers, virtual, now, options } = about;
    const known = { demand: this.#pods(demand), setAside: this.#pods(setAside) };
    const question = { ...offers, ...known, buffers, virtual, now, options };
    return taskOf(this.#cluster, { kind: 'plan', question });
  }

  #pods(uids: string): readonly ObservedPod[] {
    if (uids === '') return [];
    return uids.split('\n').flatMap((uid) => this.#cluster.podByUID(uid) ?? []);
  }

  #offers({ pools, lists, typesOf }: SentOffers): Offers {
    if (lists !== undefined)
      this.#lists = lists.map((list) => Array.from(list, (id) => this.#shared.get(id) as InstanceType));
    const listOf = (index: number | undefined): readonly InstanceType[] | undefined =>
      this.#lists[index ?? -1];
    const known = new Map(typesOf.map(([kind, list]) => [kind, listOf(list)]));
    return {
      pools: pools.map(({ pool, types, dedicated, rest }) => ({
        ...rest,
        pool: this.#shared.get(pool) as NodePool,
        instanceTypes: listOf(types),
        ...(dedicated !== undefined && { dedicatedTypes: listOf(dedicated) }),
      })),
      typesOf: (claim) => known.get(kindOfClaim(claim)) ?? NO_TYPES,
    };
  }
}

const NO_TYPES: readonly InstanceType[] = [];

/** Every object came with texts of its own: equal ones become one, in the object itself and all that it holds. */
function shareTexts(value: unknown, texts: TextPool): unknown {
  if (typeof value === 'string') return texts.shared(value);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (value instanceof Map) {
    const entries = [...(value as Map<unknown, unknown>)];
    value.clear();
    for (const [key, held] of entries) value.set(shareTexts(key, texts), shareTexts(held, texts));
  } else if (value instanceof Set) {
    const members = [...(value as Set<unknown>)];
    value.clear();
    for (const member of members) value.add(shareTexts(member, texts));
  } else {
    const fields = value as Record<string, unknown>;
    for (const name of Object.keys(fields)) fields[name] = shareTexts(fields[name], texts);
  }
  return value;
}
