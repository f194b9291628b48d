/** Pods with the topology spread that kube-scheduler gives them by default, for planning alone. */
import {
  deducedSelector,
  type DefaultSpread,
  type PodSelectors,
  type Service,
} from '../../domain/pods/default-spread.js';
import type { Pod, PodSpec } from '../../domain/pods/pod.js';
import { selectorKey, type LabelSelector } from '../../domain/values/label-selector.js';
import type { Cluster } from '../cluster/cluster.js';

/** What was made of a spec or pod before: the same for the same, so that planning recognises what it has compiled. */
const SPECS = new WeakMap<PodSpec, Map<string, PodSpec>>();
const PODS = new WeakMap<Pod, Pod>();

/** Pods that have constraints of their own, and those that nothing selects, are as before. */
export function withDefaultSpread(
  cluster: Cluster,
  pods: readonly Pod[],
  spread: DefaultSpread,
): readonly Pod[] {
  if (spread.length === 0) return pods;
  const text = JSON.stringify(spread);
  const selectors = selectorsOf(cluster);
  // Replicas have one spec and one owner.
  const known = new Map<PodSpec, Map<string, PodSpec>>();
  return pods.map((pod) => {
    if (pod.spec.spread.length > 0) return pod;
    const owner = pod.owner === undefined ? '' : `${pod.owner.kind}/${pod.owner.name}`;
    const ofOwners = entryOf(known, pod.spec, () => new Map<string, PodSpec>());
    const spec = entryOf(ofOwners, owner, () => {
      const selector = deducedSelector(pod, selectors);
      return selector === undefined ? pod.spec : spreadSpec(pod.spec, { spread, text, selector });
    });
    if (spec === pod.spec) return pod;
    const before = PODS.get(pod);
    if (before?.spec === spec) return before;
    const made = { ...pod, spec };
    PODS.set(pod, made);
    return made;
  });
}

interface Given {
  readonly spread: DefaultSpread;
  /** The spread as text. */
  readonly text: string;
  readonly selector: LabelSelector;
}

function spreadSpec(spec: PodSpec, { spread, text, selector }: Given): PodSpec {
  const made = SPECS.get(spec) ?? new Map<string, PodSpec>();
  SPECS.set(spec, made);
  return entryOf(made, `${text} ${selectorKey(selector)}`, () => ({
    ...spec,
    spread: spread.map((constraint) => ({ ...constraint, selector })),
  }));
}

function selectorsOf(cluster: Cluster): PodSelectors {
  const services = new Map<string, Service[]>();
  for (const service of cluster.services.values())
    entryOf(services, service.namespace, () => []).push(service);
  return {
    services: (namespace) => services.get(namespace) ?? [],
    workload: (pod) => cluster.workloadOf(pod)?.selector,
  };
}

function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
