/** How many pods there are in which state, and where. */
import { areClaimsPlanned, demandStatus, type DemandTerms } from '../../domain/pods/demand.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { PodLabels } from '../../runtime/metrics/pod-metrics.js';
import { SameLabels, type GaugeGroup, type MeasuringContext } from './measuring-context.js';
import { nodeLabels } from './node-gauges.js';
import { podState, PHASES, type PodsOnNodes } from './pods-on-nodes.js';

/** The labels that say where a pod is. */
type Place = Pick<PodLabels, 'nodepool' | 'zone' | 'arch' | 'capacity_type' | 'instance_type' | 'managed'>;
type State = Pick<PodLabels, 'scheduled' | 'phase' | 'ready'>;

const NOWHERE: Place = {
  nodepool: '',
  zone: '',
  arch: '',
  capacity_type: '',
  instance_type: '',
  managed: 'false',
};
const NO_NAME = { name: '', namespace: '', owner: '', node: '' };
/** By their index. */
const STATES: readonly State[] = PHASES.flatMap((phase) =>
  ['false', 'true'].flatMap((scheduled) => ['false', 'true'].map((ready) => ({ scheduled, phase, ready }))),
);

export class PodGauges implements GaugeGroup {
  readonly #places = new WeakMap<ObservedNode, Place>();
  readonly #samePlaces = new SameLabels<Place>();
  readonly #nodes: PodsOnNodes;

  constructor(nodes: PodsOnNodes) {
    this.#nodes = nodes;
  }

  reset({ podsState, schedulerIgnoredPods }: Metrics): void {
    for (const gauge of [podsState, schedulerIgnoredPods]) gauge.reset();
  }

  measure(context: MeasuringContext): void {
    const { cluster, metrics, detail } = context;
    if (detail === 'full') this.#measureEach(context);
    else this.#measureCounts(context);
    let ignored = 0;
    for (const pod of cluster.pods.values())
      if (pod.nodeName === undefined && isIgnored(pod, cluster.demandTerms)) ignored++;
    metrics.schedulerIgnoredPods.set(ignored);
  }

  #measureEach({ cluster, metrics }: MeasuringContext): void {
    for (const pod of cluster.pods.values()) {
      const place = this.#placeOf(cluster.nodes.get(pod.nodeName ?? ''));
      metrics.podsState.set({ ...place, ...STATES[podState(pod)], ...nameOf(pod) }, 1);
    }
  }

  /** The pods of each node were counted when they last changed. */
  #measureCounts({ cluster, metrics }: MeasuringContext): void {
    const byPlace = new Map<Place, number[]>();
    const countsAt = (place: Place): number[] => {
      const counts = byPlace.get(place) ?? STATES.map(() => 0);
      byPlace.set(place, counts);
      return counts;
    };
    const nowhere = countsAt(NOWHERE);
    for (const { node, states } of this.#nodes.all(cluster)) {
      const counts = countsAt(this.#placeOf(node));
      for (const [state, count] of states) counts[state] = (counts[state] ?? 0) + count;
    }
    for (const pod of cluster.pods.values()) {
      if (pod.nodeName !== undefined && cluster.nodes.get(pod.nodeName) !== undefined) continue;
      const state = podState(pod);
      nowhere[state] = (nowhere[state] ?? 0) + 1;
    }
    this.#setCounts(metrics, byPlace);
  }

  /** Phases without pods are there, too. */
  #setCounts({ podsState }: Metrics, byPlace: ReadonlyMap<Place, readonly number[]>): void {
    const seen = new Set<string>();
    for (const [place, counts] of byPlace)
      for (const [state, labels] of STATES.entries()) {
        const count = counts[state] ?? 0;
        if (count === 0) continue;
        seen.add(labels.phase);
        podsState.set({ ...place, ...labels, ...NO_NAME }, count);
      }
    for (const phase of PHASES)
      if (!seen.has(phase))
        podsState.set({ ...NOWHERE, scheduled: 'false', phase, ready: 'false', ...NO_NAME }, 0);
  }

  #placeOf(node: ObservedNode | undefined): Place {
    if (node === undefined) return NOWHERE;
    const known = this.#places.get(node);
    if (known !== undefined) return known;
    const { nodepool, zone, arch, capacity_type, instance_type, managed } = nodeLabels(node, '');
    const place = this.#samePlaces.of({ nodepool, zone, arch, capacity_type, instance_type, managed });
    this.#places.set(node, place);
    return place;
  }
}

function nameOf({ name, namespace, owner, nodeName = '' }: ObservedPod): typeof NO_NAME {
  return { name, namespace, owner: owner === undefined ? '' : `${owner.kind}/${owner.name}`, node: nodeName };
}

/** Unschedulable, and nothing that Berth finds room for. */
function isIgnored(pod: ObservedPod, terms: DemandTerms): boolean {
  if (pod.scheduled?.reason !== 'Unschedulable') return false;
  const status = demandStatus(pod, terms);
  if (status === 'demand') return !areClaimsPlanned(pod, terms);
  return status.ignored === 'ForeignScheduler' || status.ignored === 'LowPriority';
}
