/** How many pods there are in which state, and where. */
import { demandStatus } from '../../domain/pods/demand.js';
import type { ObservedPod } from '../../domain/pods/observed-pod.js';
import type { PodLabels } from '../../runtime/metrics/pod-metrics.js';
import type { Cluster } from '../../state/cluster/cluster.js';
import { LabelledValues, type GaugeGroup, type MeasuringContext } from './measuring-context.js';
import { nodeLabels } from './node-gauges.js';

const PHASES: readonly ObservedPod['phase'][] = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

export const POD_GAUGES: GaugeGroup = {
  reset: ({ podsState, schedulerIgnoredPods }) => {
    for (const gauge of [podsState, schedulerIgnoredPods]) gauge.reset();
  },
  measure: (context) => {
    measureStates(context);
    let ignored = 0;
    for (const pod of context.cluster.pods.values()) if (isIgnored(pod)) ignored++;
    context.metrics.schedulerIgnoredPods.set(ignored);
  },
};

/** Phases without pods are there, too. */
function measureStates({ cluster, detail, metrics }: MeasuringContext): void {
  const placeOf = places(cluster);
  const states = new LabelledValues<PodLabels>();
  const seen = new Set<string>();
  for (const pod of cluster.pods.values()) {
    seen.add(pod.phase);
    states.put({ ...placeOf(pod), ...stateOf(pod), ...(detail === 'full' ? nameOf(pod) : NO_NAME) }, 1);
  }
  for (const phase of PHASES)
    if (!seen.has(phase))
      states.put({ ...NOWHERE, ...NO_NAME, scheduled: 'false', phase, ready: 'false' }, 0);
  for (const { labels, value } of states.values()) metrics.podsState.set({ ...labels }, value);
}

type Place = Pick<PodLabels, 'nodepool' | 'zone' | 'arch' | 'capacity_type' | 'instance_type' | 'managed'>;
const NOWHERE: Place = {
  nodepool: '',
  zone: '',
  arch: '',
  capacity_type: '',
  instance_type: '',
  managed: 'false',
};

/** The labels of each node are read once. */
function places(cluster: Cluster): (pod: ObservedPod) => Place {
  const known = new Map<string | undefined, Place>([[undefined, NOWHERE]]);
  return ({ nodeName }) => {
    const place = known.get(nodeName) ?? placeAt(cluster, nodeName ?? '');
    known.set(nodeName, place);
    return place;
  };
}

function placeAt(cluster: Cluster, name: string): Place {
  const node = cluster.nodes.get(name);
  if (node === undefined) return NOWHERE;
  const { nodepool, zone, arch, capacity_type, instance_type, managed } = nodeLabels(node, name);
  return { nodepool, zone, arch, capacity_type, instance_type, managed };
}

function stateOf({ nodeName, phase, ready }: ObservedPod): Pick<PodLabels, 'scheduled' | 'phase' | 'ready'> {
  return { scheduled: String(nodeName !== undefined), phase, ready: String(ready) };
}

type Name = Pick<PodLabels, 'name' | 'namespace' | 'owner' | 'node'>;
const NO_NAME: Name = { name: '', namespace: '', owner: '', node: '' };

function nameOf({ name, namespace, owner, nodeName = '' }: ObservedPod): Name {
  return { name, namespace, owner: owner === undefined ? '' : `${owner.kind}/${owner.name}`, node: nodeName };
}

/** Unschedulable, and nothing that Berth finds room for. */
function isIgnored(pod: ObservedPod): boolean {
  if (pod.nodeName !== undefined || pod.scheduled?.reason !== 'Unschedulable') return false;
  const status = demandStatus(pod);
  return status === 'demand' ? pod.spec.hasResourceClaims : status.ignored === 'ForeignScheduler';
}
