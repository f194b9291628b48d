/**
 * Proves a lower bound from dual values, without any code of planning: no instance that a pool can launch holds pods worth
 * more than it costs, so whoever places all pods pays what they are worth where that is least, less what existing nodes
 * can hold (weak duality). What a set of pods on an instance is worth is never more than its room, each resource at the
 * highest price that a pod admitted there has for it.
 */
import { ZONE } from '../../../../src/domain/values/labels.js';
import type { ResourceList } from '../../../../src/domain/values/resources.js';
import type { Plan, PlanDuals } from '../../../../src/planning/plan.js';
import type { ClusterInput } from '../../../../src/planning/snapshot/cluster-input.js';
import { daemonSetsToCome, finalState, landingName, type FinalState, type Target } from '../final-state.js';
import { openLandings } from './open-landings.js';
import { PricedPodKinds, type PodKind } from './priced-pods.js';
import { Findings, type Violation } from '../violation.js';
import { Volumes } from '../volumes.js';

export interface ProvenBound {
  /** USD/h that every plan for the same pods costs at least; 0 when the duals prove nothing. */
  readonly bound: number;
  readonly violations: readonly Violation[];
}

/** Offerings that cost nothing are taken for this much, in USD/h, so that worth per price stays finite. */
const LEAST_PRICE = 1e-6;
/** Worth is a sum of products of rounded numbers. */
const SLACK = 1e-9;

/** The bound that the plan's duals prove. A violation says why they prove none, or less than the plan prints. */
export function checkDuals(input: ClusterInput, plan: Plan, duals: PlanDuals): ProvenBound {
  const findings = new Findings();
  const state = finalState(input, { ...plan, placements: [], claims: [] });
  const volumes = new Volumes(input);
  const kinds = new PricedPodKinds(duals, state.pending, findings);
  const instances = launchable(input, state, volumes);
  checkWorth(instances, kinds, findings);
  if (findings.all.length > 0) return { bound: 0, violations: findings.all };
  const least = kinds.all.reduce((sum, kind) => sum + leastWorth(kind, instances, kinds), 0);
  const room = state.targets.reduce((sum, target) => sum + nodeWorth(target, state, kinds, volumes), 0);
  const bound = Math.max(0, least - room);
  const printed = plan.cost.lowerBound ?? 0;
  if (printed > bound * (1 + 1e-6) + 1e-6)
    findings.add('cost', 'duals', `prove ${String(bound)}, the plan says ${String(printed)}`);
  return { bound, violations: findings.all };
}

/** An instance that some pool can launch. */
interface Instance {
  readonly name: string;
  readonly zone: string;
  readonly price: number;
  /** What DaemonSets leave. */
  readonly room: ResourceList;
  readonly admits: (kind: PodKind) => boolean;
}

function launchable(input: ClusterInput, state: FinalState, volumes: Volumes): readonly Instance[] {
  return input.pools.flatMap((offer) => {
    const isClosed = offer.frozen === true || offer.pool.replicas !== undefined;
    if (offer.instanceTypes === undefined || isClosed) return [];
    const { taints } = offer.pool.template;
    const target = { ...NOTHING_THERE, name: offer.pool.name, taints };
    return openLandings(offer, input).map((landing): Instance => {
      const { labels } = landing;
      const room = left(landing.allocatable, daemonSetsToCome(input.daemonSets, target, labels));
      const admitted = remembered((kind) => kind.mayRun({ labels, name: undefined }, taints, volumes));
      return {
        name: landingName(target, landing),
        zone: labels.get(ZONE) ?? '',
        price: Math.max(LEAST_PRICE, landing.launch?.offering.price ?? Infinity),
        room,
        admits: (kind) => admitted(kind) && fits(kind.least, room),
      };
    });
  });
}

/** The answer for kinds of the same rules is asked for once. */
function remembered(ask: (kind: PodKind) => boolean): (kind: PodKind) => boolean {
  const known = new Map<string, boolean>();
  return (kind) => {
    const answer = known.get(kind.rules) ?? ask(kind);
    known.set(kind.rules, answer);
    return answer;
  };
}

const NOTHING_THERE: Omit<Target, 'name' | 'taints'> = {
  kind: 'NodeClaim',
  landings: [],
  residents: [],
  node: undefined,
  claim: undefined,
  offer: undefined,
};

function left(
  allocatable: ResourceList,
  taken: readonly { readonly spec: { readonly requests: ResourceList } }[],
): ResourceList {
  const room = new Map(allocatable);
  for (const { spec } of taken)
    for (const [name, amount] of spec.requests) room.set(name, (room.get(name) ?? 0) - amount);
  return room;
}

function fits(requests: ResourceList, room: ResourceList): boolean {
  if ([...room.values()].some((amount) => amount < 0)) return false;
  return [...requests].every(([name, amount]) => amount <= 0 || amount <= (room.get(name) ?? 0));
}

function checkWorth(instances: readonly Instance[], kinds: PricedPodKinds, findings: Findings): void {
  for (const instance of instances) {
    const worth = kinds.mostWorth(instance.room, instance.zone, instance.admits);
    if (worth > instance.price * (1 + SLACK))
      findings.add(
        'cost',
        instance.name,
        `costs ${String(instance.price)}, its pods may be worth ${String(worth)}`,
      );
  }
}

/** What pods of a kind are worth, each in the zone of those it can be launched in where it is worth least. */
function leastWorth(kind: PodKind, instances: readonly Instance[], kinds: PricedPodKinds): number {
  const zones = new Set<string>();
  for (const instance of instances)
    if (!zones.has(instance.zone) && instance.admits(kind)) zones.add(instance.zone);
  if (zones.size === 0) return 0;
  return kind.sizes.reduce((sum, { requests, pods }) => {
    const worths = [...zones].map((zone) => kinds.worth(kind, requests, zone));
    return sum + pods * Math.min(...worths);
  }, 0);
}

/** Most that the room of an existing node can be worth. */
function nodeWorth(target: Target, state: FinalState, kinds: PricedPodKinds, volumes: Volumes): number {
  const [landing] = target.landings;
  if (landing === undefined || target.node === undefined) return 0;
  const { labels, allocatable } = landing;
  const coming = daemonSetsToCome(state.input.daemonSets, target, labels);
  const room = left(allocatable, [...target.residents.map(({ pod }) => pod), ...coming]);
  const declared = target.node.declaredFeatures;
  return kinds.mostWorth(
    room,
    undefined,
    ({ features, mayRun }) =>
      features.every((feature) => declared?.has(feature) === true) &&
      mayRun({ labels, name: target.name }, target.taints, volumes),
  );
}
