/** Whether pending pods fit on the nodes that exist, as the cluster stands, and which rule of kube-scheduler keeps them off. */
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../src/planning/plan-options.js';
import type { Snapshot } from '../../src/planning/snapshot/snapshot.js';
import { Filters, preFilter, type NodeRefusal } from './node-filters.js';
import { Packing } from '../../src/planning/rules/packing.js';
import type { PodClass } from '../../src/planning/model/classes/pod-class.js';
import { compileProblem } from '../../src/planning/model/problem.js';

/** The answer for one node: undefined where the pod fits. */
export type NodeVerdict = NodeRefusal | undefined;

/**
 * Asks planning itself, by the same rules with which it places pods on existing nodes, what kube-scheduler asks its
 * filters: each pending pod alone, beside the pods that are bound. Nothing can be launched, and DaemonSet pods that are
 * still to come hold no room, since kube-scheduler keeps none for them.
 */
export class Feasibility {
  readonly #packing: Packing;
  readonly #classOf = new Map<number, PodClass>();

  constructor(snapshot: Snapshot, options: PlanOptions = DEFAULT_PLAN_OPTIONS) {
    const asItStands: Snapshot = {
      ...snapshot,
      pools: [],
      daemonSets: [],
      daemonRequests: new Float64Array(),
    };
    this.#packing = new Packing(compileProblem(asItStands, { ...options, preferencePolicy: 'Ignore' }));
    for (const pods of this.#packing.problem.classes)
      for (const pod of pods.pods) this.#classOf.set(pod, pods);
  }

  /**
   * One verdict per node of the snapshot for a pending pod, by its row in `Snapshot.pods`.
   * @throws RangeError for a pod that is bound or not there.
   */
  verdicts(pod: number): readonly NodeVerdict[] {
    const pods = this.#classOf.get(pod);
    if (pods === undefined) throw new RangeError(`pod ${String(pod)} of the snapshot is not pending`);
    const packing = this.#packing;
    const { specs, pods: rows, nodes } = packing.problem.snapshot;
    const spec = specs[rows.spec[pod] ?? -1];
    const ask = pods.asks.at(-1);
    if (spec === undefined) return [];
    const early = preFilter(spec, packing.problem.snapshot.volumes);
    const filters = ask && new Filters({ packing, pods, spec, ask });
    return nodes.map(({ name }, node): NodeVerdict => {
      const target = packing.targets[node];
      if (ask === undefined || target === undefined) return early(name);
      if (packing.mayPut(pods, ask, target)) return undefined;
      return early(name) ?? filters?.first(target);
    });
  }
}
