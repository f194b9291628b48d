/** PodDisruptionBudgets: how many pods may go (disruption controller), and whether this one may (the Eviction API). */
import type { Actor, ActorContext } from '../cluster/actor.js';
import type { EvictionRefusal } from '../cluster/cluster-api.js';
import { keyOf } from '../cluster/cluster-api.js';
import { withCondition } from '../cluster/conditions.js';
import type { Condition, Pod, PodDisruptionBudget, Workload } from '../cluster/objects.js';
import { Reconciler } from '../cluster/reconciler.js';
import { selects } from '../kubernetes/objects/label-selector.js';
import { controllerOf, isReady, parseKey, updateStatus } from './controller.js';
import { scaled } from './int-or-percent.js';

const RESOURCE = 'poddisruptionbudgets.policy';
const NAME = 'disruption-controller';
/** Kind of a pod's controller → where it is found. */
const SCALES: ReadonlyMap<string, string> = new Map([
  ['ReplicaSet', 'replicasets.apps'],
  ['StatefulSet', 'statefulsets.apps'],
  ['ReplicationController', 'replicationcontrollers'],
]);

interface Health {
  readonly expectedPods: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly disruptionsAllowed: number;
}

export class DisruptionBudgets implements Actor {
  readonly #context: ActorContext;
  readonly #reconciler: Reconciler;
  readonly #stops: (() => void)[] = [];

  constructor(context: ActorContext) {
    this.#context = context;
    const { clock, trace, api } = context;
    this.#reconciler = new Reconciler({
      name: NAME,
      clock,
      trace,
      reconcile: async (key) => {
        const budget = api.get(RESOURCE, parseKey(key)) as PodDisruptionBudget | undefined;
        if (budget !== undefined) await this.#writeStatus(budget);
        return undefined;
      },
    });
  }

  start(): void {
    const { api } = this.#context;
    api.guardEvictions((pod) => this.#refusal(pod as Pod));
    this.#stops.push(
      api.watch(RESOURCE, ({ object }) => {
        this.#reconciler.add(keyOf(object));
      }),
      api.watch('pods', ({ object, before }) => {
        for (const pod of [object, before])
          for (const budget of this.#budgetsOf(pod as Pod | undefined)) this.#reconciler.add(keyOf(budget));
      }),
    );
  }

  stop(): void {
    for (const stop of this.#stops) stop();
    this.#reconciler.stop();
  }

  #budgetsOf(pod: Pod | undefined): readonly PodDisruptionBudget[] {
    if (pod === undefined) return [];
    return (this.#context.api.list(RESOURCE) as readonly PodDisruptionBudget[]).filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace && selects(spec.selector, pod.metadata.labels),
    );
  }

  /** undefined: the pod may go. */
  #refusal(pod: Pod): EvictionRefusal | undefined {
    const [budget, ...more] = this.#budgetsOf(pod);
    if (budget === undefined) return undefined;
    if (more.length > 0)
      return {
        message:
          'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        isMisconfigured: true,
      };
    const health = this.#health(budget);
    const { currentHealthy, desiredHealthy, disruptionsAllowed } = health;
    if (disruptionsAllowed > 0) return undefined;
    if (!isReady(pod)) {
      if (budget.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow') return undefined;
      if (currentHealthy >= desiredHealthy && desiredHealthy > 0) return undefined;
    }
    return {
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      cause: `The disruption budget ${budget.metadata.name} needs ${String(desiredHealthy)} healthy pods and has ${String(currentHealthy)} currently`,
    };
  }

  /** From the pods as they are: one that is being deleted is not healthy any more. */
  #health({ metadata, spec }: PodDisruptionBudget): Health {
    const pods = this.#context.view
      .inNamespace(metadata.namespace ?? '')
      .filter(
        ({ status, metadata: { labels } }) =>
          status?.phase !== 'Succeeded' && status?.phase !== 'Failed' && selects(spec.selector, labels),
      );
    const isHealthy = (pod: Pod): boolean => isReady(pod) && pod.metadata.deletionTimestamp === undefined;
    const currentHealthy = pods.filter(isHealthy).length;
    const { expectedPods, desiredHealthy } = this.#expectations(spec, pods);
    const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(currentHealthy - desiredHealthy, 0);
    return { expectedPods, currentHealthy, desiredHealthy, disruptionsAllowed };
  }

  #expectations(
    { minAvailable, maxUnavailable }: PodDisruptionBudget['spec'],
    pods: readonly Pod[],
  ): Pick<Health, 'expectedPods' | 'desiredHealthy'> {
    if (maxUnavailable !== undefined) {
      const expectedPods = this.#expectedScale(pods);
      const desiredHealthy = Math.max(expectedPods - scaled(maxUnavailable, expectedPods, 'up'), 0);
      return { expectedPods, desiredHealthy };
    }
    if (minAvailable === undefined) return { expectedPods: pods.length, desiredHealthy: 1 };
    const isPercent = typeof minAvailable === 'string' && minAvailable.endsWith('%');
    const expectedPods = isPercent ? this.#expectedScale(pods) : pods.length;
    return { expectedPods, desiredHealthy: scaled(minAvailable, expectedPods, 'up') };
  }

  /** What the pods' controllers want; a pod without one counts as itself. */
  #expectedScale(pods: readonly Pod[]): number {
    const scales = new Map<string, number>();
    for (const pod of pods) {
      const owner = controllerOf(pod);
      const { namespace = '' } = pod.metadata;
      const resource = SCALES.get(owner?.kind ?? '');
      const found = owner && resource && this.#context.api.get(resource, { namespace, name: owner.name });
      scales.set(owner?.uid ?? pod.metadata.uid, found ? ((found as Workload).spec.replicas ?? 1) : 1);
    }
    return [...scales.values()].reduce((sum, scale) => sum + scale, 0);
  }

  async #writeStatus(budget: PodDisruptionBudget): Promise<void> {
    const health = this.#health(budget);
    const isAllowed = health.disruptionsAllowed > 0;
    const conditions = withCondition(
      budget.status?.['conditions'] as readonly Condition[] | undefined,
      {
        type: 'DisruptionAllowed',
        status: isAllowed ? 'True' : 'False',
        reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
      },
      this.#context.clock.now(),
    );
    const { generation } = budget.metadata;
    const status = { ...health, observedGeneration: generation, conditions };
    await updateStatus(this.#context, RESOURCE, budget, status);
  }
}
