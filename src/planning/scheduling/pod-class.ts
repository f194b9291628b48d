/** Equivalence classes: pending pods that ask the same question, however they are named and labelled. */
import type { HostPort } from '../../domain/pod.js';
import type { PlanOptions } from '../plan-options.js';
import type { Reason } from '../reason.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { volumeDemand, type VolumeDemand } from '../snapshot/volume-index.js';
import { termKey } from '../snapshot/spec-key.js';
import type { ClassRules, ClassRulesTable } from './class-rules.js';
import type { SpecFacts } from './spec-facts.js';
import { NO_TOPOLOGY, type SpecTopology, type TopologyGroups } from './topology-groups.js';

export interface PodClass extends ClassRules {
  readonly index: number;
  /** Index of one of its specs; all of them ask the same. */
  readonly spec: number;
  /** Pod rows of the snapshot, ascending. */
  readonly pods: readonly number[];
  readonly priority: number;
  /** R amounts. */
  readonly requests: Float64Array;
  /** Groups that count these pods. */
  readonly memberOf: readonly number[];
  /** Groups of its own required anti-affinity: members stay away from its domains. */
  readonly repels: readonly number[];
  readonly hostPorts: readonly HostPort[];
  readonly volumes: readonly VolumeDemand[];
  /** Why these pods cannot be placed anywhere, whatever is launched. */
  readonly blocked: Reason | undefined;
}

/** What classes are made of. */
interface ClassInput {
  readonly snapshot: Snapshot;
  readonly topology: TopologyGroups;
  /** One per `Snapshot.specs`. */
  readonly facts: readonly SpecFacts[];
  readonly options: PlanOptions;
}

interface Draft {
  readonly spec: number;
  readonly topology: SpecTopology;
  readonly volumes: readonly VolumeDemand[];
  readonly blocked: Reason | undefined;
  pods: number[];
  /** Whether `pods` are those of more than one spec. */
  isMixed: boolean;
}

/** Groups the pending pods of the snapshot into classes, in an order that depends on their contents only. */
export function compileClasses(input: ClassInput, rules: ClassRulesTable): readonly PodClass[] {
  const drafts = draftClasses(input);
  const { snapshot, facts } = input;
  const width = snapshot.resources.length;
  rules.begin(input);
  return drafts.map(({ spec, topology, volumes, blocked, pods, isMixed }, index): PodClass => {
    const value = snapshot.specs[spec];
    const own = facts[spec];
    if (value === undefined || own === undefined) throw new RangeError(`no spec ${String(spec)}`);
    const { asks, spreads, repelledBy, courtesies } = rules.of({
      spec: value,
      plain: own.plain,
      topology,
      volumes,
      blocked,
    });
    return {
      index,
      spec,
      pods: isMixed ? pods.sort((left, right) => left - right) : pods,
      priority: value.priority,
      requests: snapshot.specRequests.subarray(spec * width, (spec + 1) * width),
      asks,
      memberOf: topology.memberOf,
      repels: topology.repels,
      spreads,
      repelledBy,
      courtesies,
      hostPorts: value.hostPorts,
      volumes,
      blocked,
    };
  });
}

/** Specs with pending pods that ask the same question, by the order of the specs: the names of pods do not show. */
function draftClasses({ snapshot, topology, facts }: ClassInput): readonly Draft[] {
  const drafts = new Map<string | number, Draft>();
  const keys = new TopologyKeys();
  pendingPodsOfSpecs(snapshot).forEach((pods, spec) => {
    const shape = facts[spec]?.shape;
    if (pods === undefined || shape === undefined) return;
    const own = topology.ofSpec[spec] ?? NO_TOPOLOGY;
    const { volumes, blocked } = volumesOf(snapshot, spec);
    const where = own === NO_TOPOLOGY ? '' : keys.of(own);
    const what = volumes.length === 0 && blocked === undefined ? '' : volumesKey(volumes, blocked);
    const key = where === '' && what === '' ? shape : `${String(shape)} ${where} ${what}`;
    const known = drafts.get(key);
    if (known === undefined) {
      drafts.set(key, { spec, topology: own, volumes, blocked, pods, isMixed: false });
    } else {
      known.pods = known.pods.concat(pods);
      known.isMixed = true;
    }
  });
  return [...drafts.values()];
}

/** Spec → its pending pods, ascending; undefined where there are none. */
function pendingPodsOfSpecs({ specs, pods }: Snapshot): readonly (number[] | undefined)[] {
  const result = Array.from(specs, (): number[] | undefined => undefined);
  for (let pod = 0; pod < pods.spec.length; pod++) {
    if (pods.node[pod] !== -1) continue;
    const spec = pods.spec[pod] ?? -1;
    const known = result[spec];
    if (known === undefined) result[spec] = [pod];
    else known.push(pod);
  }
  return result;
}

const NO_VOLUMES: readonly VolumeDemand[] = [];

function volumesOf({ specs, volumes: index }: Snapshot, spec: number): Pick<Draft, 'volumes' | 'blocked'> {
  const value = specs[spec];
  let blocked: Reason | undefined = value?.hasResourceClaims ? { code: 'DynamicResources' } : undefined;
  if (value === undefined || value.volumes.length === 0) return { volumes: NO_VOLUMES, blocked };
  const volumes: VolumeDemand[] = [];
  for (const use of value.volumes) {
    const demand = volumeDemand(index, use);
    if ('code' in demand) blocked ??= demand;
    else volumes.push(demand);
  }
  return { volumes, blocked };
}

function volumesKey(volumes: readonly VolumeDemand[], blocked: Reason | undefined): string {
  return JSON.stringify([
    volumes.map(({ claim, driver, terms, zones, readWriteOncePod, shared }) => [
      readWriteOncePod || shared ? claim : '',
      driver,
      terms?.map(termKey),
      zones?.map(termKey),
    ]),
    blocked,
  ]);
}

/** Equal texts for specs that relate alike to the groups. */
class TopologyKeys {
  readonly #members = new Map<readonly number[], string>();

  of({ spread, affinity, antiAffinity, repels, memberOf }: SpecTopology): string {
    const groups = this.#members.get(memberOf) ?? memberOf.join();
    this.#members.set(memberOf, groups);
    if (spread.length + affinity.length + antiAffinity.length + repels.length === 0) return groups;
    let key = `${groups};`;
    for (const { group, constraint } of spread) {
      const { maxSkew, minDomains, whenUnsatisfiable } = constraint;
      key += `${String(group)} ${String(maxSkew)} ${String(minDomains)} ${whenUnsatisfiable},`;
    }
    return `${key};${weighed(affinity)};${weighed(antiAffinity)};${repels.join()}`;
  }
}

function weighed(terms: SpecTopology['affinity']): string {
  return terms.map(({ group, weight }) => `${String(group)} ${String(weight)}`).join();
}
