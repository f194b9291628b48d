/** Whether pending pods fit on the nodes that exist, as the cluster stands, and which rule of kube-scheduler keeps them off. */
import { type HostPort, type PodSpec, takenPort } from '../../src/domain/pods/pod.js';
import { firstUntolerated, formatTaint } from '../../src/domain/values/taint.js';
import type { Ask } from '../../src/planning/model/classes/ask.js';
import type { PodClass } from '../../src/planning/model/classes/pod-class.js';
import {
  cordonRepels,
  matchesSome,
  nodeConstraint,
  type NodeConstraint,
  type NodeView,
  REPELLING,
  selectsNode,
} from '../../src/planning/model/constraints/node-constraint.js';
import { compileProblem } from '../../src/planning/model/problem.js';
import { DEFAULT_PLAN_OPTIONS, type PlanOptions } from '../../src/planning/plan-options.js';
import type { Reason } from '../../src/planning/reason.js';
import { Packing } from '../../src/planning/rules/packing.js';
import type { Target } from '../../src/planning/rules/targets.js';
import type { Snapshot } from '../../src/planning/snapshot/snapshot.js';
import { isPlanningsOwn } from '../../src/planning/snapshot/volume-slots.js';
import {
  volumeDemand,
  type VolumeDemand,
  type VolumeIndex,
} from '../../src/planning/snapshot/volume-index.js';

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

/** Plugins of kube-scheduler that filter nodes, spelled as it spells them. */
export type SchedulerPlugin =
  | 'DynamicResources'
  | 'InterPodAffinity'
  | 'NodeAffinity'
  | 'NodeDeclaredFeatures'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'NodeUnschedulable'
  | 'NodeVolumeLimits'
  | 'PodTopologySpread'
  | 'TaintToleration'
  | 'VolumeBinding'
  | 'VolumeRestrictions'
  | 'VolumeZone';

export interface NodeRefusal {
  /** The first plugin that refuses. */
  readonly plugin: SchedulerPlugin;
  /** What it refuses for: taints, label keys, ports, resources, claims, topology keys or features. */
  readonly about: readonly string[];
}

/** A pod that can be asked about on nodes. */
interface FilteredPod {
  readonly packing: Packing;
  readonly pods: PodClass;
  readonly spec: PodSpec;
  /** The last of the class: what kube-scheduler insists on. */
  readonly ask: Ask;
}

interface NodeQuestion extends FilteredPod {
  readonly target: Target;
  readonly view: NodeView;
  /** nodeSelector and required node affinity. */
  readonly wanted: NodeConstraint;
  readonly volumes: readonly VolumeDemand[];
}

/** What a plugin refuses for; undefined when it lets the pod pass. */
type Filter = (question: NodeQuestion) => readonly string[] | undefined;

/** The default plugins in the default order (kube-scheduler, apis/config/v1/default_plugins.go). */
const FILTERS: readonly (readonly [SchedulerPlugin, Filter])[] = [
  ['NodeUnschedulable', ({ spec, view }) => (cordonRepels(view, spec.tolerations) ? ['cordon'] : undefined)],
  ['TaintToleration', ({ spec, view }) => repelling(spec, view)],
  ['NodeAffinity', ({ wanted, view }) => (selectsNode(wanted, view) ? undefined : keysOf(wanted))],
  ['NodePorts', ({ pods, target }) => portText(takenPort(pods.hostPorts, target.hostPorts))],
  ['NodeResourcesFit', shortOf],
  ['VolumeRestrictions', ({ packing, pods }) => subject(packing.takenFrom(pods, []))],
  ['NodeVolumeLimits', ({ target, volumes }) => (target.volumesFit(volumes) ? undefined : claimsOf(volumes))],
  ['VolumeBinding', ({ view, volumes }) => unreachable(volumes, ({ terms }) => matchesSome(terms, view))],
  ['VolumeZone', ({ view, volumes }) => unreachable(volumes, ({ zones }) => matchesSome(zones, view))],
  ['PodTopologySpread', ({ packing, ask, target }) => subject(packing.counts.spreadViolated(ask, target))],
  [
    'InterPodAffinity',
    ({ packing, pods, ask, target }) => subject(packing.counts.affinityViolated(pods, ask, target)),
  ],
  ['NodeDeclaredFeatures', ({ spec, view }) => undeclared(spec, view)],
];

/** Answers for one pod which plugin is the first to refuse an existing node that planning refuses. */
class Filters {
  readonly #pod: FilteredPod;
  readonly #wanted: NodeConstraint;
  readonly #volumes: readonly VolumeDemand[];

  constructor(pod: FilteredPod) {
    this.#pod = pod;
    this.#wanted = nodeConstraint(pod.spec, []);
    this.#volumes = pod.spec.volumes.flatMap((use) => {
      const demand = volumeDemand(pod.packing.problem.snapshot.volumes, use);
      return 'code' in demand ? [] : [demand];
    });
  }

  /** @throws Error when none does: then planning refuses what kube-scheduler would not. */
  first(target: Target): NodeRefusal {
    const { packing, pods, spec, ask } = this.#pod;
    const { nodeViews, snapshot } = packing.problem;
    const view = nodeViews[target.target];
    if (view !== undefined) {
      const question = {
        packing,
        pods,
        spec,
        ask,
        target,
        view,
        wanted: this.#wanted,
        volumes: this.#volumes,
      };
      for (const [plugin, filter] of FILTERS) {
        const about = filter(question);
        if (about !== undefined) return { plugin, about };
      }
    }
    const name = snapshot.nodes[target.target]?.name ?? '';
    throw new Error(`planning refuses node ${name} for no rule of kube-scheduler`);
  }
}

/** Plugins that refuse a pod before they look at nodes, in kube-scheduler's order, with what they refuse it for. */
const PRE_FILTERS: readonly (readonly [SchedulerPlugin, readonly Reason['code'][]])[] = [
  ['VolumeRestrictions', ['VolumeClaimNotFound']],
  ['VolumeBinding', ['VolumeClaimUnbound', 'VolumeClaimTerminating']],
  ['VolumeZone', ['VolumeNotFound']],
];

/**
 * What refuses a node before any filter looks at it, by the node's name: volumes that no node can use, and, for a pod
 * that may go to certain nodes only by their names, every other node (NodeAffinity's PreFilter).
 */
function preFilter(spec: PodSpec, index: VolumeIndex): (node: string) => NodeRefusal | undefined {
  const names = namedNodes(spec);
  const byName: NodeRefusal = { plugin: 'NodeAffinity', about: [NODE_NAME] };
  if (names?.size === 0) return () => byName;
  const everywhere = unusableVolume(spec, index) ?? dynamicResources(spec);
  return (node) => everywhere ?? (names?.has(node) === false ? byName : undefined);
}

const NODE_NAME = 'metadata.name';

/** The nodes that the terms name, when all of them do. */
function namedNodes({ nodeAffinity: { required } }: PodSpec): ReadonlySet<string> | undefined {
  const named = required?.map(({ fields }) => fields.get(NODE_NAME));
  if (named === undefined || named.length === 0) return undefined;
  if (named.some((item) => item === undefined || item.complement)) return undefined;
  return new Set(named.flatMap((item) => [...(item?.values ?? [])]));
}

function unusableVolume({ volumes }: PodSpec, index: VolumeIndex): NodeRefusal | undefined {
  const reasons = volumes.flatMap((use) => {
    const demand = volumeDemand(index, use);
    return 'code' in demand ? [{ code: demand.code, claim: use.claim }] : [];
  });
  for (const [plugin, codes] of PRE_FILTERS) {
    const about = reasons.filter(({ code }) => codes.includes(code)).map(({ claim }) => claim);
    if (about.length > 0) return { plugin, about };
  }
  return undefined;
}

function dynamicResources({ resourceClaims }: PodSpec): NodeRefusal | undefined {
  return resourceClaims.length > 0 ? { plugin: 'DynamicResources', about: [] } : undefined;
}

function repelling({ tolerations }: PodSpec, { taints }: NodeView): readonly string[] | undefined {
  const taint = firstUntolerated(taints, tolerations, REPELLING);
  return taint && [formatTaint(taint)];
}

function keysOf({ selector, anyOf }: NodeConstraint): readonly string[] {
  const terms = anyOf.flat().flatMap(({ labels, fields }) => [...labels.keys(), ...fields.keys()]);
  return [...new Set([...selector.keys(), ...terms])];
}

function portText(port: HostPort | undefined): readonly string[] | undefined {
  return port && [`${port.hostIP}:${String(port.port)}/${port.protocol}`];
}

/** Slots for volumes are another plugin's. */
function shortOf({ packing, pods, target }: NodeQuestion): readonly string[] | undefined {
  const short = packing.problem.snapshot.resources.filter((name, resource) => {
    if (isPlanningsOwn(name)) return false;
    const request = pods.requests[resource] ?? 0;
    return request > 0 && request > (target.free[resource] ?? 0);
  });
  return short.length > 0 ? short : undefined;
}

function claimsOf(volumes: readonly VolumeDemand[]): readonly string[] {
  return volumes.map(({ claim }) => claim);
}

function unreachable(
  volumes: readonly VolumeDemand[],
  isReachable: (volume: VolumeDemand) => boolean,
): readonly string[] | undefined {
  const claims = claimsOf(volumes.filter((volume) => !isReachable(volume)));
  return claims.length > 0 ? claims : undefined;
}

/** The claim or topology key that a reason is about. */
function subject(reason: Reason | undefined): readonly string[] | undefined {
  if (reason === undefined) return undefined;
  if ('claim' in reason) return [reason.claim];
  return 'key' in reason ? [reason.key] : [];
}

function undeclared({ requiredFeatures }: PodSpec, { features }: NodeView): readonly string[] | undefined {
  const missing = requiredFeatures.filter((feature) => features?.has(feature) === false);
  return missing.length > 0 ? missing : undefined;
}
