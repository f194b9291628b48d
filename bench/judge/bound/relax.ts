/** Makes the relaxation of a question, by the checker's reading of Kubernetes' rules and none of the planner's. */
import type { InstanceType } from '../../../src/domain/nodes/instance-type.js';
import { HOSTNAME } from '../../../src/domain/values/labels.js';
import type { Pod, PodSpec } from '../../../src/domain/pods/pod.js';
import { PODS, type ResourceList } from '../../../src/domain/values/resources.js';
import type { Taint } from '../../../src/domain/values/taint.js';
import type { ClusterInput, PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { termKey, termMatchesPod } from '../../../test/support/plan-checker/checks/check-pod-affinity.js';
import type { Landing } from '../../../test/support/plan-checker/landing.js';
import {
  admittedByLabels,
  nodeRulesKey,
  toleratesAll,
} from '../../../test/support/plan-checker/node-rules.js';
import { openLandings } from '../../../test/support/plan-checker/duals/open-landings.js';
import { at, type Relaxation } from './relaxation.js';

/** So that what fits exactly still fits after division. */
const ROUNDING = 1e-9;

/** What can be bought: a type of a pool under a capacity type, in whichever zone; or all nodes that are there, taken as one. */
interface Instance {
  readonly landings: readonly Landing[];
  readonly taints: readonly Taint[];
  /** USD/h. */
  readonly price: number;
  /** What pods can have of it, besides the DaemonSets. */
  readonly free: ResourceList;
  /** Pods that keep each other off hosts that it takes. */
  readonly hosts: number;
  /** Per limit. */
  readonly charge: readonly number[];
}

/** Equal pods. */
interface PodClass {
  readonly spec: PodSpec;
  /** 1: they are of the group of which each needs a host of its own. */
  readonly hosts: number;
  readonly pods: number;
}

interface Limit {
  /** undefined: the one that lets the nodes that are there be used once. */
  readonly pool: string | undefined;
  readonly resource: string;
  readonly most: number;
}

/** What a question asks for, instance by instance and class by class. */
export function relax(input: ClusterInput): Relaxation {
  const pending = input.pods.filter(({ nodeName }) => nodeName === undefined);
  const classes = classesOf(pending, largestGroupApart(pending, input));
  const limits: readonly Limit[] = [
    ...input.pools.flatMap(({ pool }) =>
      [...pool.limits].map(([resource, most]) => ({ pool: pool.name, resource, most })),
    ),
    ...(input.nodes.length === 0 ? [] : [{ pool: undefined, resource: '', most: 1 }]),
  ];
  const instances = [
    ...input.pools.flatMap((offer) => instancesToBuy(offer, input, limits)),
    ...(input.nodes.length === 0 ? [] : [standingNodes(input, limits)]),
  ];
  return assemble({ classes, instances, limits });
}

/** The most pods, of those that wait, that keep each other off a host: pods of one term that selects them all. */
function largestGroupApart(pending: readonly Pod[], { namespaces }: ClusterInput): ReadonlySet<Pod> {
  const groups = new Map<string, Pod[]>();
  for (const pod of pending) {
    for (const term of pod.spec.podAntiAffinity.required) {
      if (term.topologyKey !== HOSTNAME || !termMatchesPod(term, pod, namespaces)) continue;
      const group = groups.get(termKey(term));
      if (group === undefined) groups.set(termKey(term), [pod]);
      else group.push(pod);
    }
  }
  const [largest] = [...groups.values()].sort((left, right) => right.length - left.length);
  return new Set(largest);
}

function classesOf(pending: readonly Pod[], apart: ReadonlySet<Pod>): readonly PodClass[] {
  const classes = new Map<string, PodClass>();
  for (const pod of pending) {
    const { spec } = pod;
    const hosts = apart.has(pod) ? 1 : 0;
    const key = JSON.stringify([nodeRulesKey(spec), hosts, [...spec.requests].sort()]);
    classes.set(key, { spec, hosts, pods: (classes.get(key)?.pods ?? 0) + 1 });
  }
  return [...classes.values()];
}

function instancesToBuy(
  offer: PoolOffer,
  input: ClusterInput,
  limits: readonly Limit[],
): readonly Instance[] {
  if (offer.pool.replicas !== undefined) return [];
  const { taints } = offer.pool.template;
  const kinds = new Map<string, Landing[]>();
  for (const landing of openLandings(offer, input)) {
    const key = `${landing.launch?.type.name ?? ''} ${landing.launch?.offering.capacityType ?? ''}`;
    const group = kinds.get(key);
    if (group === undefined) kinds.set(key, [landing]);
    else group.push(landing);
  }
  return [...kinds.values()].map((landings) => {
    const type = landings[0]?.launch?.type;
    return {
      landings,
      taints,
      price: Math.min(...landings.map(({ launch }) => launch?.offering.price ?? Infinity)),
      free: mostOf(
        landings.map((landing) =>
          leftBeside(landing.allocatable, daemonsOn(landing, taints, input.daemonSets)),
        ),
      ),
      hosts: 1,
      charge: limits.map(({ pool, resource }) => (pool === offer.pool.name ? capacityOf(type, resource) : 0)),
    };
  });
}

/** Pool limits may count nodes too. */
function capacityOf(type: InstanceType | undefined, resource: string): number {
  return resource === 'nodes' ? 1 : (type?.capacity.get(resource) ?? 0);
}

/** All nodes as one large instance that costs nothing: pods may be divided between them. */
function standingNodes({ nodes, pods, daemonSets }: ClusterInput, limits: readonly Limit[]): Instance {
  const running = new Map<string, PodSpec[]>();
  for (const { nodeName, spec, phase } of pods) {
    if (nodeName === undefined || phase === 'Succeeded' || phase === 'Failed') continue;
    const specs = running.get(nodeName);
    if (specs === undefined) running.set(nodeName, [spec]);
    else specs.push(spec);
  }
  const usable = nodes.filter(({ unschedulable }) => !unschedulable);
  const landings = usable.map(({ labels, allocatable }): Landing => ({
    labels,
    allocatable,
    launch: undefined,
  }));
  const free = usable.map((node, index) => {
    const landing = landings[index];
    const agents = landing === undefined ? [] : daemonsOn(landing, node.taints, daemonSets);
    return leftBeside(node.allocatable, [...agents, ...(running.get(node.name) ?? [])]);
  });
  return {
    landings,
    taints: [],
    price: 0,
    free: free.reduce(addPositive, new Map<string, number>()),
    hosts: usable.length,
    charge: limits.map(({ pool }) => (pool === undefined ? 1 : 0)),
  };
}

function daemonsOn(
  { labels }: Landing,
  taints: readonly Taint[],
  daemonSets: ClusterInput['daemonSets'],
): readonly PodSpec[] {
  return daemonSets
    .map(({ spec }) => spec)
    .filter((spec) => toleratesAll(spec, taints) && admittedByLabels(spec, { labels, name: undefined }));
}

function leftBeside(allocatable: ResourceList, specs: readonly PodSpec[]): ResourceList {
  return new Map(
    [...allocatable].map(([name, amount]) => [
      name,
      specs.reduce((left, { requests }) => left - (requests.get(name) ?? 0), amount),
    ]),
  );
}

function mostOf(lists: readonly ResourceList[]): ResourceList {
  const result = new Map<string, number>();
  for (const list of lists)
    for (const [name, amount] of list) result.set(name, Math.max(result.get(name) ?? 0, amount));
  return result;
}

function addPositive(sum: ReadonlyMap<string, number>, list: ResourceList): Map<string, number> {
  const result = new Map(sum);
  for (const [name, amount] of list) result.set(name, (result.get(name) ?? 0) + Math.max(0, amount));
  return result;
}

interface Parts {
  readonly classes: readonly PodClass[];
  readonly instances: readonly Instance[];
  readonly limits: readonly Limit[];
}

/** Arrays of it all; every resource in units of what pods ask of it on average. The last resource is a host. */
function assemble({ classes, instances, limits }: Parts): Relaxation {
  const names = [...new Set([PODS, ...classes.flatMap(({ spec }) => [...spec.requests.keys()])])];
  const resources = names.length + 1;
  const count = classes.reduce((sum, { pods }) => sum + pods, 0);
  const units = names.map((name) => {
    const total = classes.reduce((sum, { spec, pods }) => sum + pods * (spec.requests.get(name) ?? 0), 0);
    return total > 0 ? total / count : 1;
  });
  const row = (list: ResourceList, host: number): readonly number[] => [
    ...names.map((name, index) => Math.max(0, list.get(name) ?? 0) / (units[index] ?? 1)),
    host,
  ];
  const requests = Float64Array.from(classes.flatMap((item) => row(item.spec.requests, item.hosts)));
  const rooms = Float64Array.from(instances.flatMap(({ free, hosts }) => row(free, hosts)));
  const capacity = classes.length === 1 ? wholePods(rooms, requests) : rooms;
  const scale = limits.map(({ most }) => (most > 0 ? most : 1));
  return {
    resources,
    classes: { count: classes.length, requests, pods: Float64Array.from(classes, ({ pods }) => pods) },
    instances: {
      count: instances.length,
      capacity,
      price: Float64Array.from(instances, ({ price }) => price),
      charge: Float64Array.from(
        instances.flatMap(({ charge }) => charge.map((amount, index) => amount / (scale[index] ?? 1))),
      ),
    },
    limits: Float64Array.from(limits, ({ most }, index) => most / (scale[index] ?? 1)),
    admits: admissions(classes, instances, (instance, index) =>
      holds({ requests, capacity, resources }, instance, index),
    ),
  };
}

/** Where all pods are equal, what an instance holds is whole pods, and room for a part of one is worth nothing. */
function wholePods(rooms: Float64Array, request: Float64Array): Float64Array {
  const result = new Float64Array(rooms.length);
  for (let first = 0; first < rooms.length; first += request.length) {
    const most = [...request].map((amount, index) =>
      amount > 0 ? at(rooms, first + index) / amount : Infinity,
    );
    const whole = Math.floor(Math.min(...most) * (1 + ROUNDING));
    request.forEach((amount, index) => (result[first + index] = whole * amount));
  }
  return result;
}

/** Amounts of classes and instances, each with `resources` of them. */
interface Amounts {
  readonly requests: Float64Array;
  readonly capacity: Float64Array;
  readonly resources: number;
}

function holds({ requests, capacity, resources }: Amounts, instance: number, index: number): boolean {
  for (let resource = 0; resource < resources; resource++) {
    const room = at(capacity, instance * resources + resource) * (1 + ROUNDING);
    if (at(requests, index * resources + resource) > room) return false;
  }
  return true;
}

/** Rules are asked once for all classes that ask the same. */
function admissions(
  classes: readonly PodClass[],
  instances: readonly Instance[],
  isRoom: (instance: number, index: number) => boolean,
): Uint8Array {
  const rules = classes.map(({ spec }) => nodeRulesKey(spec));
  const result = new Uint8Array(instances.length * classes.length);
  instances.forEach(({ landings, taints }, instance) => {
    const answers = new Map<string, boolean>();
    classes.forEach(({ spec }, index) => {
      const key = rules[index] ?? '';
      const known = answers.get(key) ?? isAdmitted(spec, landings, taints);
      answers.set(key, known);
      if (known && isRoom(instance, index)) result[instance * classes.length + index] = 1;
    });
  });
  return result;
}

function isAdmitted(spec: PodSpec, landings: readonly Landing[], taints: readonly Taint[]): boolean {
  return (
    toleratesAll(spec, taints) &&
    landings.some(({ labels }) => admittedByLabels(spec, { labels, name: undefined }))
  );
}
