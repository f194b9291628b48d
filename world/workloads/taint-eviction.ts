/** Pods leave nodes whose NoExecute taints they do not tolerate, at once or after tolerationSeconds (taint-eviction-controller). */
import type { Actor, ActorContext } from '../cluster/actor.js';
import { keyOf } from '../cluster/cluster-api.js';
import type { Node, Pod, Taint } from '../cluster/objects.js';
import { Reconciler } from '../cluster/reconciler.js';
import { isFor } from '../cluster/tolerations.js';
import { parseKey, remove } from './controller.js';

const NAME = 'taint-eviction-controller';

export class TaintEviction implements Actor {
  readonly #context: ActorContext;
  readonly #reconciler: Reconciler;
  /** Pod uid → since when it tolerates a taint. */
  readonly #since = new Map<string, number>();
  #stops: (() => void)[] = [];

  constructor(context: ActorContext) {
    this.#context = context;
    const { clock, trace } = context;
    this.#reconciler = new Reconciler({ name: NAME, clock, trace, reconcile: (key) => this.#look(key) });
  }

  start(): void {
    const { api, view } = this.#context;
    this.#stops = [
      api.watch('nodes', ({ object, before }) => {
        const had = executing(before).length > 0;
        if (!had && executing(object).length === 0) return;
        for (const pod of view.onNode(object.metadata.name)) this.#reconciler.add(keyOf(pod));
      }),
      api.watch('pods', ({ type, object, before }) => {
        const pod = object as Pod;
        if (type === 'DELETED') this.#since.delete(pod.metadata.uid);
        else if (pod.spec.nodeName !== (before as Pod | undefined)?.spec.nodeName)
          this.#reconciler.add(keyOf(pod));
      }),
    ];
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#reconciler.stop();
  }

  async #look(key: string): Promise<number | undefined> {
    const { api, clock, trace } = this.#context;
    const pod = api.get('pods', parseKey(key)) as Pod | undefined;
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return undefined;
    const node = api.get('nodes', { name: pod.spec.nodeName ?? '' }) as Node | undefined;
    const patience = patienceMillis(pod, executing(node));
    const { uid } = pod.metadata;
    if (patience === Infinity) {
      this.#since.delete(uid);
      return undefined;
    }
    const since = this.#since.get(uid) ?? clock.now();
    this.#since.set(uid, since);
    const left = since + patience - clock.now();
    if (left > 0) return left;
    trace.add(NAME, `pod/${key}`, `deleted from ${pod.spec.nodeName ?? ''}`);
    await remove(this.#context, 'pods', pod);
    return undefined;
  }
}

function executing(node: Node | undefined): readonly Taint[] {
  return (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}

/** How long the pod stays: the least of what its tolerations say, 0 when a taint has none. */
function patienceMillis({ spec }: Pod, taints: readonly Taint[]): number {
  const patience = taints.map((taint) => {
    const tolerations = (spec.tolerations ?? []).filter((each) => isFor(each, taint));
    if (tolerations.length === 0) return 0;
    return Math.min(...tolerations.map(({ tolerationSeconds }) => (tolerationSeconds ?? Infinity) * 1000));
  });
  return Math.max(Math.min(...patience, Infinity), 0);
}
