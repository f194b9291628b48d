/**
 * A small problem as the search sees it: pods, and sites where they may be (existing nodes, and every type, zone, capacity
 * type and label that a pool can launch), each with what kube-scheduler would read there. Shares no rule with planning.
 */
import type { PodAffinityTerm } from '../../src/domain/pods/affinity.js';
import { CAPACITY_TYPE, HOSTNAME, NODEPOOL, ZONE, type LabelLookup } from '../../src/domain/values/labels.js';
import { selects } from '../../src/domain/values/label-selector.js';
import {
  hostPortsConflict,
  podKey,
  type HostPort,
  type Pod,
  type PodSpec,
} from '../../src/domain/pods/pod.js';
import { allows } from '../../src/domain/values/requirement.js';
import { requirementsOf } from '../../src/domain/values/requirements.js';
import { UNSCHEDULABLE_TAINT, type Taint } from '../../src/domain/values/taint.js';
import type { TopologySpreadConstraint } from '../../src/domain/pods/topology-spread.js';
import type { ClusterInput, PoolOffer } from '../../src/planning/snapshot/cluster-input.js';
import { termMatchesPod } from '../support/plan-checker/checks/check-pod-affinity.js';
import { poolLandings, type Landing } from '../support/plan-checker/landing.js';
import { admittedByLabels, toleratesAll } from '../support/plan-checker/node-rules.js';
import { Volumes } from '../support/plan-checker/volumes.js';

/** A pod with its rules; bound pods come first and stay where they are. */
export interface ModelPod {
  readonly index: number;
  readonly key: string;
  readonly pod: Pod;
  readonly spec: PodSpec;
  /** The site it is bound to, or -1. */
  readonly boundTo: number;
  readonly requests: readonly number[];
  readonly spread: readonly SpreadRule[];
  readonly affinity: readonly TermRule[];
  readonly anti: readonly TermRule[];
  /** Pods that all of its affinity terms match, by index. */
  readonly companions: readonly boolean[];
  /** Equal for pods that are one question. */
  readonly sameAs: string;
}

export interface SpreadRule {
  readonly constraint: TopologySpreadConstraint;
  /** By pod: whether it is counted. */
  readonly counts: readonly boolean[];
  /** By site: whether a node there is looked at. */
  readonly eligible: readonly boolean[];
  /** Values that some pool could launch into; empty for host names. */
  readonly launchable: ReadonlySet<string>;
  /** Whether it is over host names and a host that it looks at could be launched. */
  readonly hasNewHosts: boolean;
}

export interface TermRule {
  readonly topologyKey: string;
  readonly matches: readonly boolean[];
}

/** A node that exists or one form of node that can be launched. */
export interface Site {
  readonly index: number;
  readonly labels: LabelLookup;
  /** Name of the existing node; undefined for what can be launched. */
  readonly node: string | undefined;
  /** Index into the pools, or -1. */
  readonly pool: number;
  /** USD/h; 0 for existing nodes. */
  readonly price: number;
  /** After DaemonSets. */
  readonly room: readonly number[];
  readonly ports: readonly HostPort[];
  readonly capacity: ReadonlyMap<string, number>;
  /** Sites of one group differ in size and price only, as far as rules between pods see them. */
  readonly group: number;
  readonly volumeLimits: ReadonlyMap<string, number>;
  readonly taints: readonly Taint[];
  /** Without that of a cordon, which spread does not look at. */
  readonly ownTaints: readonly Taint[];
}

export interface Model {
  readonly input: ClusterInput;
  readonly pods: readonly ModelPod[];
  readonly sites: readonly Site[];
  /** [pod][site]: labels, taints, volumes and features let the pod on it. */
  readonly admitted: readonly (readonly boolean[])[];
  readonly resources: readonly string[];
  readonly volumes: Volumes;
  /** Group → launchable sites, cheapest first. */
  readonly groups: readonly (readonly Site[])[];
  /**
   * Whether a host that could be launched counts as one without pods for spread over hosts, as for Karpenter (its topology
   * groups over host names have a least count of 0). Planning places pods otherwise only where they would be left out.
   */
  readonly countsNewHosts: boolean;
  /** Whether some limit of a pool could bind. */
  readonly hasLimits: boolean;
  /** Whether a pool that is preferred by weight has limits: how it falls to the next is not modelled. */
  readonly hasLimitedWeights: boolean;
}

export function buildModel(input: ClusterInput): Model {
  const resources = resourceNames(input);
  const volumes = new Volumes(input);
  const sites = withGroups(input, [
    ...input.nodes.map((_, index) => nodeSite(input, index, resources)),
    ...input.pools.flatMap((_, index) => poolSites(input, index, resources)),
  ]);
  const sorted = [...input.pods].sort((left, right) => Number(isBound(right)) - Number(isBound(left)));
  const bound = new Map(input.nodes.map(({ name }, index) => [name, index]));
  const pods = sorted.map((pod, index): ModelPod => {
    const { spec } = pod;
    const affinity = spec.podAffinity.required.map((term) => termRule(term, sorted, input));
    return {
      index,
      key: podKey(pod),
      pod,
      spec,
      boundTo: pod.nodeName === undefined ? -1 : (bound.get(pod.nodeName) ?? -1),
      requests: resources.map((name) => spec.requests.get(name) ?? 0),
      spread: spreadRules(pod, sorted, sites),
      affinity,
      anti: spec.podAntiAffinity.required.map((term) => termRule(term, sorted, input)),
      companions: sorted.map((_, other) => affinity.every(({ matches }) => matches[other] === true)),
      sameAs: `${pod.owner?.kind ?? ''} ${pod.owner?.name ?? podKey(pod)} ${pod.namespace}`,
    };
  });
  const alone = pods.map((pod) => sites.map((site) => isAdmitted(pod, site, volumes)));
  const model = {
    input,
    pods,
    sites,
    admitted: alone,
    resources,
    volumes,
    groups: groupsOf(sites),
    countsNewHosts: true,
    hasLimits: input.pools.some(({ pool }) => pool.limits.size > 0),
    hasLimitedWeights: hasLimitedWeights(input),
  };
  return { ...model, admitted: withWeights(model) };
}

function isBound({ nodeName }: Pod): boolean {
  return nodeName !== undefined;
}

function resourceNames({ pods, daemonSets }: ClusterInput): readonly string[] {
  const specs = [...pods.map(({ spec }) => spec), ...daemonSets.map(({ spec }) => spec)];
  const names = specs.flatMap(({ requests }) =>
    [...requests].filter(([, amount]) => amount > 0).map(([name]) => name),
  );
  return [...new Set(names)].sort();
}

/** What DaemonSets leave, where they would run; those whose pod is on the node already are among its pods. */
function afterDaemons(
  input: ClusterInput,
  site: Pick<Site, 'labels' | 'node' | 'taints'>,
): readonly PodSpec[] {
  return input.daemonSets
    .filter(({ spec, name, namespace }) => {
      const isThere = input.pods.some(
        ({ nodeName, owner, namespace: own }) =>
          nodeName !== undefined &&
          nodeName === site.node &&
          owner?.kind === 'DaemonSet' &&
          owner.name === name &&
          own === namespace,
      );
      const selectable = { labels: site.labels, name: site.node };
      return !isThere && toleratesAll(spec, site.taints) && admittedByLabels(spec, selectable);
    })
    .map(({ spec }) => spec);
}

function roomLeft(
  allocatable: ReadonlyMap<string, number>,
  daemons: readonly PodSpec[],
  resources: readonly string[],
): readonly number[] {
  return resources.map((name) =>
    daemons.reduce((left, { requests }) => left - (requests.get(name) ?? 0), allocatable.get(name) ?? 0),
  );
}

function nodeSite(input: ClusterInput, index: number, resources: readonly string[]): Site {
  const node = input.nodes[index];
  if (node === undefined) throw new RangeError(`no node ${String(index)}`);
  const taints = node.unschedulable ? [...node.taints, UNSCHEDULABLE_TAINT] : node.taints;
  const daemons = afterDaemons(input, { labels: node.labels, node: node.name, taints });
  return {
    index,
    labels: node.labels,
    node: node.name,
    pool: input.pools.findIndex(({ pool }) => pool.name === node.labels.get(NODEPOOL)),
    price: 0,
    room: roomLeft(node.allocatable, daemons, resources),
    ports: daemons.flatMap(({ hostPorts }) => hostPorts),
    capacity: node.capacity,
    group: -1,
    volumeLimits: node.volumeLimits,
    taints,
    ownTaints: node.taints,
  };
}

/** One site for every offering, and for every value of a label that the pool leaves open. */
function poolSites(input: ClusterInput, pool: number, resources: readonly string[]): readonly Site[] {
  const offer = input.pools[pool];
  if (offer === undefined || offer.pool.replicas !== undefined) return [];
  const { taints } = offer.pool.template;
  return openLabels(offer).flatMap((chosen) =>
    poolLandings(offer, `new-${String(pool)}`, chosen).map((landing): Site => {
      const daemons = afterDaemons(input, { labels: landing.labels, node: undefined, taints });
      return {
        index: -1,
        labels: landing.labels,
        node: undefined,
        pool,
        price: landing.launch?.offering.price ?? Infinity,
        room: roomLeft(landing.allocatable, daemons, resources),
        ports: daemons.flatMap(({ hostPorts }) => hostPorts),
        capacity: landing.launch?.type.capacity ?? new Map(),
        group: 0,
        volumeLimits: landing.launch?.type.volumeLimits ?? new Map(),
        taints,
        ownTaints: taints,
      };
    }),
  );
}

/** Labels of the user's own that a pool leaves open between several values: every choice. */
function openLabels({ pool }: PoolOffer): readonly ReadonlyMap<string, string>[] {
  let choices: ReadonlyMap<string, string>[] = [new Map()];
  for (const item of requirementsOf(pool.template.requirements).values()) {
    if (item.key.includes('/') || item.complement || item.values.size < 2) continue;
    choices = choices.flatMap((choice) =>
      [...item.values].map((value) => new Map([...choice, [item.key, value]])),
    );
  }
  return choices;
}

function withGroups(input: ClusterInput, sites: readonly Site[]): readonly Site[] {
  const specs = input.pods.map(({ spec }) => spec);
  const keys = new Set([
    ...specs.flatMap(({ spread }) => spread.map(({ topologyKey }) => topologyKey)),
    ...specs.flatMap(({ podAffinity, podAntiAffinity }) =>
      [...podAffinity.required, ...podAntiAffinity.required].map(({ topologyKey }) => topologyKey),
    ),
  ]);
  const spreading = specs.filter(({ spread }) => spread.length > 0);
  const ids = new Map<string, number>();
  return sites.map((site, index) => {
    if (site.node !== undefined) return { ...site, index };
    const values = [...keys].filter((key) => key !== HOSTNAME).map((key) => site.labels.get(key) ?? '∅');
    const looked = spreading.map((spec) => admittedByLabels(spec, { labels: site.labels, name: undefined }));
    const key = JSON.stringify([site.pool, values, looked]);
    const group = ids.get(key) ?? ids.size;
    ids.set(key, group);
    return { ...site, index, group };
  });
}

function groupsOf(sites: readonly Site[]): readonly (readonly Site[])[] {
  const groups: Site[][] = [];
  for (const site of sites) if (site.group >= 0) (groups[site.group] ??= []).push(site);
  return groups.map((group) => group.sort((left, right) => left.price - right.price));
}

function isAdmitted({ spec }: ModelPod, site: Site, volumes: Volumes): boolean {
  const node = { labels: site.labels, name: site.node };
  if (!toleratesAll(spec, site.taints) || !admittedByLabels(spec, node)) return false;
  const hard = spec.spread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  const keys = [...hard, ...spec.podAffinity.required].map(({ topologyKey }) => topologyKey);
  if (keys.some((key) => key !== HOSTNAME && site.labels.get(key) === undefined)) return false;
  return volumes.problem(spec, node) === undefined;
}

function termRule(term: PodAffinityTerm, pods: readonly Pod[], input: ClusterInput): TermRule {
  return {
    topologyKey: term.topologyKey,
    matches: pods.map((pod) => termMatchesPod(term, pod, input.namespaces)),
  };
}

function spreadRules({ spec }: Pod, pods: readonly Pod[], sites: readonly Site[]): readonly SpreadRule[] {
  const hard = spec.spread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
  const keys = hard.map(({ topologyKey }) => topologyKey);
  return hard.map((constraint) => {
    const eligible = sites.map(
      (site) =>
        keys.every((key) => key === HOSTNAME || site.labels.get(key) !== undefined) &&
        (constraint.nodeAffinityPolicy === 'Ignore' ||
          admittedByLabels(spec, { labels: site.labels, name: site.node })) &&
        (constraint.nodeTaintsPolicy === 'Ignore' || toleratesAll(spec, site.ownTaints)),
    );
    const open = sites.filter(({ node, index }) => node === undefined && eligible[index] === true);
    const values = open.flatMap(({ labels }) => labels.get(constraint.topologyKey) ?? []);
    return {
      constraint,
      counts: pods.map(
        (other) =>
          other.namespace === spec.namespace &&
          !other.terminating &&
          selects(constraint.selector, other.spec.labels),
      ),
      eligible,
      launchable: new Set(constraint.topologyKey === HOSTNAME ? [] : values),
      hasNewHosts: constraint.topologyKey === HOSTNAME && open.length > 0,
    };
  });
}

function hasLimitedWeights({ pools }: ClusterInput): boolean {
  return pools.some(
    ({ pool }) => pool.limits.size > 0 && pools.some((other) => other.pool.weight < pool.weight),
  );
}

/** A pod may use a pool only where none of higher weight, without limits, could hold the pod alone. */
function withWeights(model: Omit<Model, 'groups'>): readonly (readonly boolean[])[] {
  const { input, pods, sites, admitted } = model;
  return pods.map((pod) => {
    const row = admitted[pod.index] ?? [];
    const held = input.pools.map((_, pool) => couldHold(model, pod, pool, row));
    const weights = input.pools
      .filter(({ pool }, index) => held[index] === true && pool.limits.size === 0)
      .map(({ pool }) => pool.weight);
    const least = Math.max(0, ...weights);
    return sites.map(
      (site) =>
        row[site.index] === true &&
        (site.node !== undefined || (input.pools[site.pool]?.pool.weight ?? 0) >= least),
    );
  });
}

function couldHold(
  { input, sites }: Omit<Model, 'groups'>,
  pod: ModelPod,
  pool: number,
  row: readonly boolean[],
): boolean {
  const offer = input.pools[pool];
  const holding = sites.filter(
    (site) =>
      site.node === undefined && site.pool === pool && row[site.index] === true && holdsAlone(pod, site),
  );
  return offer !== undefined && holding.length > 0 && hasMinValues(offer, holding);
}

function holdsAlone({ requests, spec }: ModelPod, { room, ports }: Site): boolean {
  return (
    requests.every((amount, at) => amount <= (room[at] ?? 0)) &&
    !spec.hostPorts.some((port) => ports.some((taken) => hostPortsConflict(port, taken)))
  );
}

/** Whether the sites keep as many values open as the pool's minValues ask for. */
export function hasMinValues({ pool }: PoolOffer, sites: readonly Pick<Landing, 'labels'>[]): boolean {
  return pool.template.requirements.every((item) => {
    if (item.minValues <= 1) return true;
    const values = new Set(sites.map(({ labels }) => labels.get(item.key)));
    return [...values].filter((value) => value !== undefined && allows(item, value)).length >= item.minValues;
  });
}

/** Labels that tell where a node is rather than what it is: a claim keeps to one of each in the search. */
export const PLACE_KEYS: readonly string[] = [ZONE, CAPACITY_TYPE];
