/** The cluster as it will be once the plan is carried out: every node and claim with the pods on it. */
import type { DaemonSet } from '../../../src/domain/pods/daemon-set.js';
import type { LabelLookup } from '../../../src/domain/values/labels.js';
import type { Node } from '../../../src/domain/nodes/node.js';
import { podKey, type Pod } from '../../../src/domain/pods/pod.js';
import { UNSCHEDULABLE_TAINT, type Taint } from '../../../src/domain/values/taint.js';
import type { Plan, PlannedClaim } from '../../../src/planning/plan.js';
import type { ClusterInput, PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { claimLandings, type Landing } from './landing.js';
import { admittedByLabels, toleratesAll } from './node-rules.js';

/** A pod on its target. */
export interface Resident {
  readonly key: string;
  readonly pod: Pod;
  /** By this plan; false: it was bound before. */
  readonly placed: boolean;
}

/** A node or a claim with all that will run on it. */
export interface Target {
  readonly kind: 'Node' | 'NodeClaim';
  readonly name: string;
  /** An existing node is exactly one; a claim without any cannot be launched. */
  readonly landings: readonly Landing[];
  /** Taints that repel; startup taints are gone by the time pods come. */
  readonly taints: readonly Taint[];
  readonly residents: readonly Resident[];
  readonly node: Node | undefined;
  readonly claim: PlannedClaim | undefined;
  readonly offer: PoolOffer | undefined;
}

export interface FinalState {
  readonly input: ClusterInput;
  readonly plan: Plan;
  readonly targets: readonly Target[];
  /** Pods that ask for a place, by `namespace/name`. */
  readonly pending: ReadonlyMap<string, Pod>;
}

/** Puts every bound pod, and every placement that names a pending pod and a known target, where it belongs. */
export function finalState(input: ClusterInput, plan: Plan): FinalState {
  const pending = new Map(
    input.pods.filter((pod) => pod.nodeName === undefined).map((pod) => [podKey(pod), pod]),
  );
  const residents = new Map<string, Resident[]>();
  const add = (target: string, resident: Resident): void => {
    const list = residents.get(target);
    if (list === undefined) residents.set(target, [resident]);
    else list.push(resident);
  };
  for (const pod of input.pods)
    if (pod.nodeName !== undefined && takesRoom(pod))
      add(`Node ${pod.nodeName}`, { key: podKey(pod), pod, placed: false });
  for (const placement of plan.placements) {
    const pod = pending.get(placement.pod);
    const target = `${placement.target.kind} ${placement.target.name}`;
    if (pod !== undefined) add(target, { key: placement.pod, pod, placed: true });
  }
  const nodes = input.nodes.map((node) => nodeTarget(node, residents.get(`Node ${node.name}`) ?? []));
  const offers = new Map(input.pools.map((offer) => [offer.pool.name, offer]));
  const claims = plan.claims.map((claim) =>
    claimTarget(claim, offers.get(claim.nodePool), residents.get(`NodeClaim ${claim.name}`) ?? []),
  );
  return { input, plan, pending, targets: [...nodes, ...claims] };
}

/** A finished pod has given its room back. */
function takesRoom(pod: Pod): boolean {
  return pod.phase !== 'Succeeded' && pod.phase !== 'Failed';
}

function nodeTarget(node: Node, residents: readonly Resident[]): Target {
  return {
    kind: 'Node',
    name: node.name,
    landings: [{ labels: node.labels, allocatable: node.allocatable, launch: undefined }],
    taints: node.unschedulable ? [...node.taints, UNSCHEDULABLE_TAINT] : node.taints,
    residents,
    node,
    claim: undefined,
    offer: undefined,
  };
}

function claimTarget(
  claim: PlannedClaim,
  offer: PoolOffer | undefined,
  residents: readonly Resident[],
): Target {
  return {
    kind: 'NodeClaim',
    name: claim.name,
    landings: offer === undefined ? [] : claimLandings(offer, claim),
    taints: offer?.pool.template.taints ?? [],
    residents,
    node: undefined,
    claim,
    offer,
  };
}

/** How messages call a landing: the node's name, or type, zone and capacity type. */
export function landingName(target: Pick<Target, 'name'>, { launch }: Landing): string {
  if (launch === undefined) return `node ${target.name}`;
  return `${launch.type.name} in ${launch.offering.zone} ${launch.offering.capacityType}`;
}

const valuesOfTargets = new WeakMap<Target, Map<string, ReadonlySet<string | undefined>>>();

/** The values of a label over all landings of a target; undefined among them where one lacks it. */
export function labelValues(target: Target, key: string): ReadonlySet<string | undefined> {
  const known = valuesOfTargets.get(target) ?? new Map<string, ReadonlySet<string | undefined>>();
  const values = known.get(key) ?? new Set(target.landings.map(({ labels }) => labels.get(key)));
  valuesOfTargets.set(target, known.set(key, values));
  return values;
}

/** DaemonSets whose pod runs, or will run, on the landing and is not among the residents yet. */
export function daemonSetsToCome(
  daemonSets: readonly DaemonSet[],
  target: Target,
  labels: LabelLookup,
): readonly DaemonSet[] {
  return daemonSets.filter(
    ({ namespace, name, spec }) =>
      toleratesAll(spec, target.taints) &&
      admittedByLabels(spec, { labels, name: target.node?.name }) &&
      !target.residents.some(
        ({ pod }) =>
          pod.owner?.kind === 'DaemonSet' && pod.owner.name === name && pod.namespace === namespace,
      ),
  );
}
