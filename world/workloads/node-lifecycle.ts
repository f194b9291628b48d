/** Nodes whose kubelet is silent become Unknown; the taints of a node say what its conditions do (node-lifecycle-controller). */
import type { Actor, ActorContext } from '../cluster/actor.js';
import { isOvertaken, refOf } from '../cluster/cluster-api.js';
import { withCondition, type NewCondition } from '../cluster/conditions.js';
import type { Condition, KubeObject, Node, Pod, Taint } from '../cluster/objects.js';
import { Reconciler } from '../cluster/reconciler.js';
import { timestamp } from '../cluster/timestamps.js';

const NAME = 'node-lifecycle-controller';
/** kube-controller-manager's --node-monitor-period and --node-monitor-grace-period. */
const PERIOD_MILLIS = 5_000;
const GRACE_MILLIS = 50_000;
const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

export class NodeLifecycle implements Actor {
  readonly #context: ActorContext;
  readonly #reconciler: Reconciler;
  #stops: (() => void)[] = [];
  /** When the kubelet's last sign of life was seen, by node and what it said. */
  readonly #seen = new Map<string, { readonly sign: string; readonly at: number }>();
  #cancel: (() => void) | undefined;

  constructor(context: ActorContext) {
    this.#context = context;
    const { clock, trace } = context;
    this.#reconciler = new Reconciler({
      name: NAME,
      clock,
      trace,
      reconcile: (name) => this.#syncTaints(name),
    });
  }

  start(): void {
    this.#stops = [
      this.#context.api.watch('nodes', ({ type, object }) => {
        if (type === 'DELETED') this.#seen.delete(object.metadata.name);
        else this.#reconciler.add(object.metadata.name);
      }),
    ];
    this.#monitor();
  }

  stop(): void {
    this.#cancel?.();
    for (const stop of this.#stops) stop();
    this.#reconciler.stop();
  }

  #monitor(): void {
    this.#cancel = this.#context.clock.timer(PERIOD_MILLIS, () => {
      void this.#lookAtAll().finally(() => {
        if (this.#stops.length > 0) this.#monitor();
      });
    });
  }

  async #lookAtAll(): Promise<void> {
    const now = this.#context.clock.now();
    for (const node of this.#context.api.list('nodes') as readonly Node[]) {
      const { name } = node.metadata;
      const sign = this.#signOfLife(node);
      const seen = this.#seen.get(name);
      if (seen?.sign !== sign) this.#seen.set(name, { sign, at: now });
      else if (now - seen.at > GRACE_MILLIS) await this.#markUnknown(node);
    }
  }

  /** The Lease is renewed often, the status seldom: either will do. */
  #signOfLife({ metadata, status }: Node): string {
    const lease = this.#context.api.get('leases.coordination.k8s.io', {
      namespace: 'kube-node-lease',
      name: metadata.name,
    });
    const spec = lease?.['spec'] as { readonly renewTime?: string } | undefined;
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    return `${spec?.renewTime ?? ''} ${ready?.lastHeartbeatTime ?? ''}`;
  }

  async #markUnknown(node: Node): Promise<void> {
    const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
    if (ready?.status === 'Unknown') return;
    const { api, clock, trace, view } = this.#context;
    trace.add(NAME, `node/${node.metadata.name}`, 'Ready is Unknown');
    const condition = {
      type: 'Ready',
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    };
    await this.#tolerateLoss(
      api.change('nodes', refOf(node), withStatusCondition(condition, clock.now()), STATUS),
    );
    for (const pod of view.onNode(node.metadata.name)) await this.#markPod(pod);
  }

  async #markPod(pod: Pod): Promise<void> {
    const condition = { type: 'Ready', status: 'False', reason: 'NodeNotReady' };
    const { api, clock } = this.#context;
    await this.#tolerateLoss(
      api.change('pods', refOf(pod), withStatusCondition(condition, clock.now()), STATUS),
    );
  }

  async #tolerateLoss(write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }

  async #syncTaints(name: string): Promise<undefined> {
    const { api, clock } = this.#context;
    if (api.get('nodes', { name }) === undefined) return;
    const since = timestamp(clock.now());
    await api.change('nodes', { name }, (object) => {
      const node = object as Node;
      const before = node.spec?.taints ?? [];
      const taints = withTaints(before, wantedTaints(node), since);
      return taints === before ? node : { ...node, spec: { ...node.spec, taints } };
    });
  }
}

const STATUS = { subresource: 'status' } as const;

function withStatusCondition(condition: NewCondition, now: number) {
  return (object: KubeObject): KubeObject => {
    const status = (object['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
    const conditions = withCondition(status.conditions, condition, now);
    return conditions === status.conditions ? object : { ...object, status: { ...status, conditions } };
  };
}

/** Those that this controller decides about, as they should be. */
function wantedTaints({ spec, status }: Node): readonly Taint[] {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'False';
  const key = ready === 'Unknown' ? UNREACHABLE : NOT_READY;
  const taints = ready === 'True' ? [] : ['NoSchedule', 'NoExecute'].map((effect) => ({ key, effect }));
  return spec?.unschedulable === true ? [...taints, { key: UNSCHEDULABLE, effect: 'NoSchedule' }] : taints;
}

/** The same array when nothing would change. */
function withTaints(before: readonly Taint[], wanted: readonly Taint[], timeAdded: string): readonly Taint[] {
  const isOwn = ({ key }: Taint): boolean => [NOT_READY, UNREACHABLE, UNSCHEDULABLE].includes(key);
  const isIn = (taints: readonly Taint[], taint: Taint): boolean =>
    taints.some(({ key, effect }) => key === taint.key && effect === taint.effect);
  const kept = before.filter((taint) => !isOwn(taint) || isIn(wanted, taint));
  const added = wanted.filter((taint) => !isIn(before, taint)).map((taint) => ({ ...taint, timeAdded }));
  return kept.length === before.length && added.length === 0 ? before : [...kept, ...added];
}
