/** The rules of one class of pods: what it insists on itself, and what the rules of others want of it. */
import type { PodSpec } from '../../../domain/pods/pod.js';
import type { Taint } from '../../../domain/values/taint.js';
import { isSameMap } from '../../../domain/values/same.js';
import type { PlanOptions } from '../../plan-options.js';
import type { Reason } from '../../reason.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import type { DeviceDemand } from '../../devices/device-demand.js';
import type { VolumeDemand } from '../../snapshot/volume-index.js';
import { compileAsks, type AffinityRule, type Ask, type SpreadRule } from './ask.js';
import type { NodeConstraint } from '../constraints/node-constraint.js';
import type { PlainConstraints } from './spec-facts.js';
import type { SpecTopology, TopologyGroup, TopologyGroups } from './topology-groups.js';

export interface ClassRules {
  /** Strictest first; empty when the pods are blocked. */
  readonly asks: readonly Ask[];
  /** What the pods insist on apart from what blocks them; undefined when nothing does. */
  readonly whenUnblocked?: Ask | undefined;
  /** Required affinity over hosts, whatever preferences are given up. */
  readonly hostAffinity: readonly AffinityRule[];
  /** Groups of its own DoNotSchedule spread. */
  readonly spreads: readonly number[];
  /** Anti-affinity of others that counts these pods. */
  readonly repelledBy: readonly AffinityRule[];
  /** Spread rules of others that count these pods. */
  readonly courtesies: readonly SpreadRule[];
}

/** One of the specs of a class, with what is known of them all. */
interface RulesInput {
  readonly spec: PodSpec;
  readonly plain: PlainConstraints;
  readonly topology: SpecTopology;
  readonly volumes: readonly VolumeDemand[];
  readonly devices: readonly DeviceDemand[];
  readonly blocked: Reason | undefined;
}

interface Round {
  readonly snapshot: Snapshot;
  readonly topology: TopologyGroups;
  readonly options: PlanOptions;
}

/** Rules by spec; remembered while neither the groups nor anything else that they come from changes. */
export class ClassRulesTable {
  #groups: readonly TopologyGroup[] = [];
  #others: Others = { anti: new Set(), spread: new Map() };
  #policy: PlanOptions['preferencePolicy'] = 'Respect';
  #hasSoftTaints = false;
  #rules = new WeakMap<PodSpec, { readonly topology: SpecTopology; readonly rules: ClassRules }>();

  /** To be called before the classes of a snapshot are asked for. */
  begin({ snapshot, topology, options: { preferencePolicy } }: Round): void {
    const others = othersRules(topology);
    const hasSoftTaints = someSoftTaint(snapshot);
    const isSame =
      topology.groups === this.#groups &&
      preferencePolicy === this.#policy &&
      hasSoftTaints === this.#hasSoftTaints &&
      areSame(others, this.#others);
    if (isSame) return;
    this.#groups = topology.groups;
    this.#others = others;
    this.#policy = preferencePolicy;
    this.#hasSoftTaints = hasSoftTaints;
    this.#rules = new WeakMap();
  }

  of(input: RulesInput): ClassRules {
    const { spec, topology, volumes, devices, blocked } = input;
    const isPlain = volumes.length + devices.length === 0 && blocked === undefined;
    const known = isPlain ? this.#rules.get(spec) : undefined;
    if (known?.topology === topology) return known.rules;
    const rules = this.#make(input);
    if (isPlain) this.#rules.set(spec, { topology, rules });
    return rules;
  }

  #make({ spec, plain, topology, volumes, devices, blocked }: RulesInput): ClassRules {
    const groups = this.#groups;
    const volumeTerms = [
      ...volumes.flatMap(({ terms, zones }) => [terms, zones]),
      ...devices.map(({ terms }) => terms),
    ].filter((group) => group !== undefined);
    const [options, hasSoftTaints] = [{ preferencePolicy: this.#policy }, this.#hasSoftTaints];
    const asks =
      blocked === undefined
        ? compileAsks({ spec, plain, topology, groups, volumeTerms, options, hasSoftTaints })
        : [];
    const spreads = topology.spread
      .filter(({ constraint }) => constraint.whenUnsatisfiable === 'DoNotSchedule')
      .map(({ group }) => group);
    const { anti, spread } = this.#others;
    const members = topology.memberOf.flatMap((group) => groups[group] ?? []);
    const required = { spec, plain, topology, groups, volumeTerms, hasSoftTaints };
    return {
      asks,
      ...(blocked === undefined
        ? {}
        : { whenUnblocked: compileAsks({ ...required, options: { preferencePolicy: 'Ignore' } }).at(-1) }),
      hostAffinity: asks.at(-1)?.affinity.filter(({ group }) => group.isHostname) ?? [],
      spreads,
      repelledBy: members.filter((group) => anti.has(group.index)).map(repelled),
      courtesies: members
        .filter((group) => spread.has(group.index) && !spreads.includes(group.index))
        .map((group) => courtesy(group, spread.get(group.index) ?? Infinity, asks.at(-1)?.constraint)),
    };
  }
}

interface Others {
  /** Groups that some spec's required anti-affinity uses. */
  readonly anti: ReadonlySet<number>;
  /** Group → least maxSkew of the DoNotSchedule constraints that use it. */
  readonly spread: ReadonlyMap<number, number>;
}

function othersRules({ ofSpec }: TopologyGroups): Others {
  const anti = new Set<number>();
  const spread = new Map<number, number>();
  for (const topology of ofSpec) {
    for (const group of topology.repels) anti.add(group);
    for (const { group, constraint } of topology.spread) {
      if (constraint.whenUnsatisfiable === 'DoNotSchedule') {
        spread.set(group, Math.min(constraint.maxSkew, spread.get(group) ?? Infinity));
      }
    }
  }
  return { anti, spread };
}

function areSame(left: Others, right: Others): boolean {
  if (left.anti.size !== right.anti.size) return false;
  for (const group of left.anti) if (!right.anti.has(group)) return false;
  return isSameMap(left.spread, right.spread);
}

function someSoftTaint({ nodes, pools }: Snapshot): boolean {
  const isSoft = ({ effect }: Taint): boolean => effect === 'PreferNoSchedule';
  return (
    nodes.some(({ taints }) => taints.some(isSoft)) ||
    pools.some(({ pool }) => pool.template.taints.some(isSoft))
  );
}

function repelled(group: TopologyGroup): AffinityRule {
  return { group, reason: { code: 'PodAntiAffinity', key: group.topologyKey } };
}

/** A pod that can only go to some domains is not asked to wait for the others. */
function courtesy(group: TopologyGroup, maxSkew: number, reach: NodeConstraint | undefined): SpreadRule {
  return {
    group,
    maxSkew,
    minDomains: 1,
    self: 1,
    launchable: undefined,
    reach,
    reason: { code: 'TopologySpread', key: group.topologyKey, maxSkew },
  };
}
