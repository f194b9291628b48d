/** How many pods there are in which state, and where. */
import { demandStatus } from '../../domain/pods/demand.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { Metrics } from '../../runtime/metrics/metrics.js';
import type { PodLabels } from '../../runtime/metrics/pod-metrics.js';
import { SameLabels, type GaugeGroup, type MeasuringContext } from './measuring-context.js';
import { nodeLabels } from './node-gauges.js';

const PHASES: readonly ObservedPod['phase'][] = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

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
/** Each state's counter stands at its index. */
const STATES: readonly State[] = PHASES.flatMap((phase) =>
  ['false', 'true'].flatMap((scheduled) => ['false', 'true'].map((ready) => ({ scheduled, phase, ready }))),
);

/** Index of a phase's first state. */
const FIRST_STATE: Readonly<Record<ObservedPod['phase'], number>> = {
  Pending: 0,
  Running: 4,
  Succeeded: 8,
  Failed: 12,
  Unknown: 16,
};

export class PodGauges implements GaugeGroup {
  readonly #places = new WeakMap<ObservedNode, Place>();
  readonly #samePlaces = new SameLabels<Place>();

  reset({ podsState, schedulerIgnoredPods }: Metrics): void {
    for (const gauge of [podsState, schedulerIgnoredPods]) gauge.reset();
  }

  measure(context: MeasuringContext): void {
    const { cluster, metrics, detail } = context;
    if (detail === 'full') this.#measureEach(context);
    else this.#measureCounts(context);
    let ignored = 0;
    for (const pod of cluster.pods.values()) if (pod.nodeName === undefined && isIgnored(pod)) ignored++;
    metrics.schedulerIgnoredPods.set(ignored);
  }

  #measureEach({ cluster, metrics }: MeasuringContext): void {
    for (const pod of cluster.pods.values()) {
      const place = this.#placeOf(cluster.nodes.get(pod.nodeName ?? ''));
      metrics.podsState.set({ ...place, ...STATES[stateOf(pod)], ...nameOf(pod) }, 1);
    }
  }

  /** Counted by node first, of which there are fewer than pods. */
  #measureCounts({ cluster, metrics }: MeasuringContext): void {
    const byNode = new Map<string, number[]>();
    for (const pod of cluster.pods.values()) {
      const name = pod.nodeName ?? '';
      let counts = byNode.get(name);
      if (counts === undefined) byNode.set(name, (counts = STATES.map(() => 0)));
      const state = stateOf(pod);
      counts[state] = (counts[state] ?? 0) + 1;
    }
    const byPlace = new Map<Place, number[]>();
    for (const [name, counts] of byNode) {
      const place = this.#placeOf(cluster.nodes.get(name));
      const sums = byPlace.get(place) ?? STATES.map(() => 0);
      byPlace.set(
        place,
        sums.map((sum, state) => sum + (counts[state] ?? 0)),
      );
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

/** Index of the pod's state. */
function stateOf({ nodeName, phase, ready }: ObservedPod): number {
  return FIRST_STATE[phase] + (nodeName === undefined ? 0 : 2) + (ready ? 1 : 0);
}

function nameOf({ name, namespace, owner, nodeName = '' }: ObservedPod): typeof NO_NAME {
  return { name, namespace, owner: owner === undefined ? '' : `${owner.kind}/${owner.name}`, node: nodeName };
}

/** Unschedulable, and nothing that Berth finds room for. */
function isIgnored(pod: ObservedPod): boolean {
  if (pod.scheduled?.reason !== 'Unschedulable') return false;
  const status = demandStatus(pod);
  return status === 'demand' ? pod.spec.hasResourceClaims : status.ignored === 'ForeignScheduler';
}
