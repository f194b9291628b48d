/** Which specs ask the same question, as numbers: found out for specs of pending pods only, and kept while it holds. */
import type { Reason } from '../../reason.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { termKey } from '../../snapshot/spec-key.js';
import { volumeDemand, type VolumeDemand } from '../../snapshot/volume-index.js';
import type { SpecFacts } from './spec-facts.js';
import { NO_TOPOLOGY, type SpecTopology, type TopologyGroups } from './topology-groups.js';

type SpecSource = Pick<Snapshot, 'specs' | 'volumes'>;

/** What tells questions apart. */
interface QuestionInput {
  readonly snapshot: SpecSource;
  readonly topology: TopologyGroups;
  /** One per `Snapshot.specs`. */
  readonly facts: readonly SpecFacts[];
}

/** What a spec's volumes demand, and why its pods cannot be scheduled at all. */
interface SpecVolumes {
  readonly volumes: readonly VolumeDemand[];
  readonly blocked: Reason | undefined;
}

const UNKNOWN = -1;
const NO_VOLUMES: readonly VolumeDemand[] = [];

export class SpecQuestions {
  readonly #input: QuestionInput;
  /** Spec → its question where nothing but the spec and the groups decide, or UNKNOWN. */
  readonly #numbers: Int32Array;
  readonly #byKey: Map<string | number, number>;
  readonly #keys: TopologyKeys;
  /** Questions about volumes, which may change: below UNKNOWN, and for this snapshot only. */
  readonly #ofVolumes = new Map<string, number>();
  readonly #passing = new Map<number, number>();

  /** `before`: those of the snapshot before; taken over where specs and groups are the same. */
  constructor(input: QuestionInput, before?: SpecQuestions) {
    const { specs, volumes } = input.snapshot;
    this.#input = { ...input, snapshot: { specs, volumes } };
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
    const { volumes, blocked } = specVolumes(snapshot, spec, facts[spec]);
    if (volumes.length === 0 && blocked === undefined) {
      const key = where === '' ? shape : `${String(shape)} ${where}`;
      const number = this.#byKey.get(key) ?? this.#byKey.size;
      this.#byKey.set(key, number);
      this.#numbers[spec] = number;
      return number;
    }
    const key = `${String(shape)} ${where} ${volumesKey(volumes, blocked)}`;
    const number = this.#ofVolumes.get(key) ?? UNKNOWN - 1 - this.#ofVolumes.size;
    this.#ofVolumes.set(key, number);
    this.#passing.set(spec, number);
    return number;
  }
}

/** What the volumes of a spec ask, or why its pods cannot be placed anywhere. */
export function specVolumes(
  { specs, volumes: index }: SpecSource,
  spec: number,
  facts: SpecFacts | undefined,
): SpecVolumes {
  const value = specs[spec];
  let blocked: Reason | undefined = value?.hasResourceClaims ? { code: 'DynamicResources' } : undefined;
  blocked ??= facts?.complexity;
  if (value === undefined || value.volumes.length === 0 || blocked?.code === 'TooComplex')
    return { volumes: NO_VOLUMES, blocked };
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
