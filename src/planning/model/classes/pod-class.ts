/** Equivalence classes: pending pods that ask the same question, however they are named and labelled. */
import type { Node } from '../../../domain/nodes/node.js';
import type { NodeSelectorTerm } from '../../../domain/pods/affinity.js';
import type { HostPort, PodSpec } from '../../../domain/pods/pod.js';
import { allows } from '../../../domain/values/requirement.js';
import { type DeviceDemand, demandKey, deviceDemand } from '../../devices/device-demand.js';
import type { Ask } from './ask.js';
import { type ClassRules, ClassRulesTable } from './class-rules.js';
import type { SpecFacts } from './spec-facts.js';
import { NO_TOPOLOGY, type SpecTopology, type TopologyGroups } from './topology-groups.js';
import type { PlanOptions } from '../../plan-options.js';
import type { Reason } from '../../reason.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { termKey } from '../../snapshot/spec-key.js';
import { type VolumeDemand, volumeDemand } from '../../snapshot/volume-index.js';

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
  /** What its ResourceClaims ask of the node's devices. */
  readonly devices: readonly DeviceDemand[];
  /** Why these pods cannot be placed anywhere, whatever is launched. */
  readonly blocked: Reason | undefined;
}

/** How many pods there are in the classes. */
export function podsOf(classes: readonly PodClass[]): number {
  return classes.reduce((sum, { pods }) => sum + pods.length, 0);
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
  /** The first of its specs. */
  spec: number;
  readonly pods: number[];
}

/** Classes; what they are made of is remembered from one snapshot to the next. */
export class PodClassTable {
  readonly #rules = new ClassRulesTable();
  #questions: SpecQuestions | undefined;

  /** Groups the pending pods of the snapshot into classes, in an order that depends on their contents only. */
  of(input: ClassInput): readonly PodClass[] {
    this.#rules.begin(input);
    this.#questions = new SpecQuestions(input, this.#questions);
    return draftClasses(input.snapshot, this.#questions).map((draft, index) =>
      this.#make(input, draft, index),
    );
  }

  #make(
    { snapshot, topology: { ofSpec }, facts }: ClassInput,
    { spec, pods }: Draft,
    index: number,
  ): PodClass {
    const width = snapshot.resources.length;
    const value = snapshot.specs[spec];
    const own = facts[spec];
    if (value === undefined || own === undefined) throw new RangeError(`no spec ${String(spec)}`);
    const topology = ofSpec[spec] ?? NO_TOPOLOGY;
    const { volumes, devices, blocked } = specClaims(snapshot, spec, own);
    const rules = this.#rules.of({ spec: value, plain: own.plain, topology, volumes, devices, blocked });
    return {
      index,
      spec,
      pods,
      priority: value.priority,
      requests: snapshot.specRequests.subarray(spec * width, (spec + 1) * width),
      asks: rules.asks,
      whenUnblocked: rules.whenUnblocked,
      memberOf: topology.memberOf,
      repels: topology.repels,
      hostAffinity: rules.hostAffinity,
      spreads: rules.spreads,
      repelledBy: rules.repelledBy,
      courtesies: rules.courtesies,
      hostPorts: value.hostPorts,
      volumes,
      devices,
      blocked,
    };
  }
}

/** Pending pods that ask the same question, by the order of their first specs: the names of pods do not show. */
function draftClasses({ pods }: Snapshot, questions: SpecQuestions): readonly Draft[] {
  const drafts = new Map<number, Draft>();
  for (let pod = 0; pod < pods.spec.length; pod++) {
    if (pods.node[pod] !== -1) continue;
    const spec = pods.spec[pod] ?? -1;
    const question = questions.of(spec);
    const known = drafts.get(question);
    if (known === undefined) {
      drafts.set(question, { spec, pods: [pod] });
      continue;
    }
    known.pods.push(pod);
    if (spec < known.spec) known.spec = spec;
  }
  return [...drafts.values()].sort((left, right) => left.spec - right.spec);
}

/** The last asks of every class are without preferences, and have less and less regard for the spread of others. */
export const PLAIN_LEVELS = 3;

/** Which asks of a class are tried together: whether claims are opened for what pods prefer. */
export function hasPreferences({ asks }: PodClass): boolean {
  return asks.length > PLAIN_LEVELS;
}

/**
 * The asks in the order in which they are tried: each list on all that is open, before a claim is opened for any of it.
 * Where pods take what is open first, they give up preferences rather than have a node launched for them.
 */
export function asksTogether({ asks }: PodClass, takesOpenFirst: boolean): readonly (readonly Ask[])[] {
  const plain = Math.max(0, asks.length - PLAIN_LEVELS);
  if (!takesOpenFirst || plain === 0) return asks.map((ask) => [ask]);
  return [asks.slice(0, plain + 1), ...asks.slice(plain + 1).map((ask) => [ask])];
}

/** The ask under which a class is expected to fill a node that others were opened for. */
export function fillingAsk({ asks }: PodClass, takesOpenFirst: boolean): Ask | undefined {
  return takesOpenFirst ? (asks.at(-PLAIN_LEVELS) ?? asks[0]) : asks[0];
}

type SpecSource = Pick<Snapshot, 'specs' | 'volumes' | 'devices' | 'nodes'>;

/** What tells questions apart. */
interface QuestionInput {
  readonly snapshot: SpecSource;
  readonly topology: TopologyGroups;
  /** One per `Snapshot.specs`. */
  readonly facts: readonly SpecFacts[];
}

/** What a spec's volumes and devices demand, and why its pods cannot be scheduled at all. */
interface SpecClaims {
  readonly volumes: readonly VolumeDemand[];
  readonly devices: readonly DeviceDemand[];
  readonly blocked: Reason | undefined;
}

const UNKNOWN = -1;
const NO_VOLUMES: readonly VolumeDemand[] = [];
const NO_DEVICES: readonly DeviceDemand[] = [];

/** Which specs ask the same question, as numbers: found out for specs of pending pods only, and kept while it holds. */
class SpecQuestions {
  readonly #input: QuestionInput;
  /** Spec → its question where nothing but the spec and the groups decide, or UNKNOWN. */
  readonly #numbers: Int32Array;
  readonly #byKey: Map<string | number, number>;
  readonly #keys: TopologyKeys;
  /** Questions about volumes and devices, which may change: below UNKNOWN, and for this snapshot only. */
  readonly #ofClaims = new Map<string, number>();
  readonly #passing = new Map<number, number>();

  /** `before`: those of the snapshot before; taken over where specs and groups are the same. */
  constructor(input: QuestionInput, before?: SpecQuestions) {
    const { specs, volumes, devices, nodes } = input.snapshot;
    this.#input = { ...input, snapshot: { specs, volumes, devices, nodes } };
    const kept = before?.isFor(input) === true ? before : undefined;
    this.#numbers = kept === undefined ? new Int32Array(specs.length).fill(UNKNOWN) : kept.#numbers;
    this.#byKey = kept === undefined ? new Map<string | number, number>() : kept.#byKey;
    this.#keys = kept === undefined ? new TopologyKeys() : kept.#keys;
  }

  /** Whether specs and groups are the same. */
  isFor({ snapshot, topology }: QuestionInput): boolean {
    return snapshot.specs === this.#input.snapshot.specs && topology === this.#input.topology;
  }

  /** Equal for specs of the snapshot that ask the same. */
  of(spec: number): number {
    const known = this.#numbers[spec] ?? UNKNOWN;
    return known === UNKNOWN ? (this.#passing.get(spec) ?? this.#ask(spec)) : known;
  }

  #ask(spec: number): number {
    const { snapshot, topology, facts } = this.#input;
    const shape = facts[spec]?.shape ?? UNKNOWN;
    const own = topology.ofSpec[spec] ?? NO_TOPOLOGY;
    const where = own === NO_TOPOLOGY ? '' : this.#keys.of(own);
    const { volumes, devices, blocked } = specClaims(snapshot, spec, facts[spec]);
    if (volumes.length + devices.length === 0 && blocked === undefined) {
      const key = where === '' ? shape : `${String(shape)} ${where}`;
      const number = this.#byKey.get(key) ?? this.#byKey.size;
      this.#byKey.set(key, number);
      this.#numbers[spec] = number;
      return number;
    }
    const key = `${String(shape)} ${where} ${claimsKey({ volumes, devices, blocked })}`;
    const number = this.#ofClaims.get(key) ?? UNKNOWN - 1 - this.#ofClaims.size;
    this.#ofClaims.set(key, number);
    this.#passing.set(spec, number);
    return number;
  }
}

/** What the volumes and devices of a spec ask, or why its pods cannot be placed anywhere. */
function specClaims(source: SpecSource, spec: number, facts: SpecFacts | undefined): SpecClaims {
  const value = source.specs[spec];
  const { devices, blocked: lacking } = specDevices(source, value);
  let blocked = lacking ?? facts?.complexity;
  if (value === undefined || value.volumes.length === 0 || blocked?.code === 'TooComplex')
    return { volumes: NO_VOLUMES, devices, blocked };
  const volumes: VolumeDemand[] = [];
  const uses = new Map(value.volumes.map((use) => [use.claim, use]));
  for (const use of uses.values()) {
    const demand = volumeDemand(source.volumes, use);
    if ('code' in demand) blocked ??= demand;
    else volumes.push(demand);
  }
  return { volumes, devices, blocked };
}

function specDevices(
  { devices: index, nodes }: SpecSource,
  spec: PodSpec | undefined,
): Omit<SpecClaims, 'volumes'> {
  if (spec === undefined || spec.resourceClaims.length === 0)
    return { devices: NO_DEVICES, blocked: undefined };
  if (index === undefined) return { devices: NO_DEVICES, blocked: { code: 'DynamicResources' } };
  const devices: DeviceDemand[] = [];
  let blocked: Reason | undefined;
  for (const use of spec.resourceClaims) {
    const demand = deviceDemand(index, use, (terms) => areNodesThere(terms, nodes));
    if ('code' in demand) blocked ??= demand;
    else devices.push(demand);
  }
  return blocked === undefined ? { devices, blocked } : { devices: NO_DEVICES, blocked };
}

/** Whether an allocation is to a node that exists, or to nodes that it does not name. */
function areNodesThere(terms: readonly NodeSelectorTerm[], nodes: readonly Node[]): boolean {
  return terms.some(({ fields }) => {
    const named = fields.get(NODE_NAME);
    return named === undefined || nodes.some(({ name }) => allows(named, name));
  });
}

const NODE_NAME = 'metadata.name';

function claimsKey({ volumes, devices, blocked }: SpecClaims): string {
  return JSON.stringify([
    volumes.map(({ claim, driver, terms, zones, readWriteOncePod, shared }) => [
      readWriteOncePod || shared ? claim : '',
      driver,
      terms?.map(termKey),
      zones?.map(termKey),
    ]),
    devices.map(demandKey),
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
