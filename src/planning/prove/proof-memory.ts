/** What proving remembers from one plan to the next: what pod specs ask, and the forms that claims may take. */
import type { NamespaceScope, PodAffinityTerm } from '../../domain/pods/affinity.js';
import { type LabelSelector, selectorKey, selects } from '../../domain/values/label-selector.js';
import { type Labels, NO_LABELS } from '../../domain/values/labels.js';
import type { PodSpec } from '../../domain/pods/pod.js';
import type { TopologySpreadConstraint } from '../../domain/pods/topology-spread.js';
import type { SpecFacts, SpecFactsTable } from '../model/classes/spec-facts.js';
import { type FormSet, FormSetTable } from './cluster/form-sets.js';
import type { OfferFault } from './offer-proof.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { scopeKey } from '../snapshot/spec-key.js';

/** A hard spread constraint as specs with the same node rules ask it. */
export interface SpreadQuestion {
  readonly constraint: TopologySpreadConstraint;
  readonly spec: PodSpec;
  /** Keys of all hard constraints of the spec: nodes without one are not looked at. */
  readonly keys: readonly string[];
  /** Equal for questions that look at the same nodes. */
  readonly looks: number;
  /** Specs that ask it, and specs that it counts. */
  readonly carriers: number[];
  readonly members: ReadonlySet<number>;
}

/** A required anti-affinity term. */
export interface AntiAffinityQuestion {
  readonly term: PodAffinityTerm;
  readonly carriers: number[];
  readonly members: ReadonlySet<number>;
}

/** Required affinity of specs that ask the same, and the specs that its terms all select. */
export interface AffinityQuestion {
  readonly terms: readonly PodAffinityTerm[];
  readonly carriers: number[];
  readonly members: ReadonlySet<number>;
}

/** What the specs of one snapshot ask of nodes and of each other. */
export interface SpecAsks {
  /** Spec → number of what it asks of a node's labels, equal for equal asks; -1: nothing. */
  readonly nodeRules: Int32Array;
  readonly withVolumes: readonly number[];
  /** Spec → 1 where it asks more of a node than room: labels, volumes, features. */
  readonly picky: Uint8Array;
  readonly isAnyPicky: boolean;
  /** Spec → 1 where it matters to pods elsewhere, or they to it: it asks for some, is counted, or has volumes. */
  readonly related: Uint8Array;
  /** Whether any spec asks for host ports. */
  readonly withPorts: boolean;
  readonly spread: readonly SpreadQuestion[];
  readonly antiAffinity: readonly AntiAffinityQuestion[];
  readonly affinity: readonly AffinityQuestion[];
}

const NO_ASKS: SpecAsks = {
  nodeRules: new Int32Array(0),
  withVolumes: [],
  picky: new Uint8Array(0),
  isAnyPicky: false,
  related: new Uint8Array(0),
  withPorts: false,
  spread: [],
  antiAffinity: [],
  affinity: [],
};

/** Texts after which all is forgotten. */
const MOST_TEXTS = 20_000;

/** One for the life of a planner. It changes how long proving takes, never what comes of it. */
export class ProofMemory {
  #forms = new FormSetTable();
  /** What is wrong with forms as offers. */
  readonly offerFaults = new WeakMap<FormSet, readonly OfferFault[]>();
  readonly #facts: SpecFactsTable;
  /** What is asked of nodes, in words → number. */
  readonly #numbers = new Map<string, number>();
  #specs: Snapshot['specs'] = [];
  #namespaces: ReadonlyMap<string, Labels> | undefined;
  #asks: SpecAsks = NO_ASKS;
  #room: Pick<Snapshot, 'daemonSets' | 'resources'> = { daemonSets: [], resources: [] };

  constructor(facts: SpecFactsTable) {
    this.#facts = facts;
  }

  get forms(): FormSetTable {
    return this.#forms;
  }

  /** What the specs ask; the same for the same list of specs and the same namespaces. */
  asks(snapshot: Snapshot): SpecAsks {
    const { specs, namespaces } = snapshot;
    if (specs === this.#specs && namespaces === this.#namespaces) return this.#asks;
    if (this.#numbers.size > MOST_TEXTS) {
      this.#numbers.clear();
      this.#forms = new FormSetTable();
    }
    const facts = this.#facts.of(specs);
    const questions = new Questions(snapshot, facts, (text) => this.#numberOf(text));
    const nodeRules = Int32Array.from(specs, (spec, index) => this.#rulesOf(spec, facts[index]));
    const withVolumes = specs.flatMap(({ volumes }, index) => (volumes.length > 0 ? [index] : []));
    const [spread, antiAffinity, affinity] = [
      questions.spread(),
      questions.antiAffinity(),
      questions.affinity(),
    ];
    const isPicky = ({ volumes, requiredFeatures }: PodSpec, index: number): boolean =>
      (nodeRules[index] ?? -1) >= 0 || volumes.length + requiredFeatures.length > 0;
    this.#asks = {
      nodeRules,
      withVolumes,
      picky: Uint8Array.from(specs, (spec, index) => (isPicky(spec, index) ? 1 : 0)),
      isAnyPicky: specs.some(isPicky),
      related: relatedSpecs(specs.length, withVolumes, [...spread, ...antiAffinity, ...affinity]),
      withPorts: specs.some(({ hostPorts }) => hostPorts.length > 0),
      spread,
      antiAffinity,
      affinity,
    };
    this.#specs = specs;
    this.#namespaces = namespaces;
    return this.#asks;
  }

  #rulesOf({ nodeSelector, nodeAffinity }: PodSpec, facts: SpecFacts | undefined): number {
    if (nodeSelector.size === 0 && nodeAffinity.required === undefined) return -1;
    return this.#numberOf(`rules ${facts?.plain.required.key ?? ''}`);
  }

  #numberOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  /** The same object while what new nodes have room for does not change. */
  roomOf({ daemonSets, resources }: Snapshot): object {
    if (daemonSets !== this.#room.daemonSets || resources !== this.#room.resources)
      this.#room = { daemonSets, resources };
    return this.#room;
  }
}

function relatedSpecs(
  specs: number,
  withVolumes: readonly number[],
  questions: readonly Pick<SpreadQuestion, 'carriers' | 'members'>[],
): Uint8Array {
  const related = new Uint8Array(specs);
  for (const spec of withVolumes) related[spec] = 1;
  for (const { carriers, members } of questions) {
    for (const spec of carriers) related[spec] = 1;
    for (const spec of members) related[spec] = 1;
  }
  return related;
}

/** Finds specs that ask the same. */
class Questions {
  readonly #specs: readonly PodSpec[];
  readonly #facts: readonly SpecFacts[];
  readonly #index: SpecIndex;
  readonly #numberOf: (text: string) => number;

  constructor(snapshot: Snapshot, facts: readonly SpecFacts[], numberOf: (text: string) => number) {
    this.#numberOf = numberOf;
    this.#specs = snapshot.specs;
    this.#facts = facts;
    this.#index = new SpecIndex(snapshot);
  }

  spread(): readonly SpreadQuestion[] {
    const questions = new Map<string, SpreadQuestion>();
    for (const [index, spec] of this.#specs.entries()) {
      const facts = this.#facts[index];
      if (facts === undefined || facts.terms.spread.length === 0) continue;
      const hard = facts.terms.spread
        .map(({ constraint }) => constraint)
        .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
      const keys = hard.map(({ topologyKey }) => topologyKey).sort();
      for (const constraint of hard) {
        const { selector, ...rest } = constraint;
        const rules = facts.plain.required.key;
        const key = JSON.stringify([spec.namespace, rest, selectorKey(selector), keys, rules]);
        const known = questions.get(key);
        if (known === undefined)
          questions.set(key, {
            constraint,
            spec,
            keys,
            looks: this.#numberOf(looksOf(spec, constraint, keys, rules)),
            carriers: [index],
            members: new Set(this.#index.selected(selector, (namespace) => namespace === spec.namespace)),
          });
        else known.carriers.push(index);
      }
    }
    return [...questions.values()];
  }

  antiAffinity(): readonly AntiAffinityQuestion[] {
    const questions = new Map<string, AntiAffinityQuestion>();
    for (const [index, { podAntiAffinity }] of this.#specs.entries()) {
      for (const term of podAntiAffinity.required) {
        const key = termText(term);
        const known = questions.get(key);
        if (known === undefined)
          questions.set(key, { term, carriers: [index], members: new Set(this.#index.matched(term)) });
        else known.carriers.push(index);
      }
    }
    return [...questions.values()];
  }

  affinity(): readonly AffinityQuestion[] {
    const questions = new Map<string, AffinityQuestion>();
    for (const [index, { podAffinity }] of this.#specs.entries()) {
      if (podAffinity.required.length === 0) continue;
      const terms = podAffinity.required;
      const key = terms.map(termText).sort().join();
      const known = questions.get(key);
      if (known === undefined)
        questions.set(key, { terms, carriers: [index], members: this.#affinityOf(terms) });
      else known.carriers.push(index);
    }
    return [...questions.values()];
  }

  #affinityOf(terms: readonly PodAffinityTerm[]): ReadonlySet<number> {
    const [first = [], ...more] = terms.map((term) => this.#index.matchedAsAsked(term));
    const rest = more.map((specs) => new Set(specs));
    return new Set(first.filter((spec) => rest.every((each) => each.has(spec))));
  }
}

/** By the policies of a constraint (KEP-3094), what the pod asks of nodes and tolerates matters or not. */
function looksOf(
  spec: PodSpec,
  { topologyKey, nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
  keys: readonly string[],
  rules: string,
): string {
  const asks = spec.nodeSelector.size > 0 || spec.nodeAffinity.required !== undefined;
  const isSelective = (asks && nodeAffinityPolicy === 'Honor') || nodeTaintsPolicy === 'Honor';
  return JSON.stringify([topologyKey, nodeAffinityPolicy, nodeTaintsPolicy, keys, isSelective ? rules : '']);
}

function termText({ topologyKey, selector, namespaces }: PodAffinityTerm): string {
  return JSON.stringify([topologyKey, selectorKey(selector), scopeKey(namespaces)]);
}

/** Which specs a selector counts, found by the labels that it names instead of by asking every spec. */
class SpecIndex {
  readonly #snapshot: Snapshot;
  /** Key → value → specs with that label; of keys that were asked for. */
  readonly #byLabel = new Map<string, ReadonlyMap<string, readonly number[]>>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** Specs in the namespaces that the selector matches. */
  selected(selector: LabelSelector | undefined, isIn: (namespace: string) => boolean): readonly number[] {
    const { specs } = this.#snapshot;
    return this.#candidates(selector).filter((index) => {
      const spec = specs[index];
      return spec !== undefined && isIn(spec.namespace) && selects(selector, spec.labels);
    });
  }

  /** Specs that a term matches, its namespaceSelector asked of the labels of namespaces. */
  matched({ selector, namespaces }: PodAffinityTerm): readonly number[] {
    return this.selected(selector, (namespace) => this.#isInScope(namespaces, namespace));
  }

  /** The same as kube-scheduler asks it for the pod's own affinity: one that matches no labels lets in every namespace. */
  matchedAsAsked(term: PodAffinityTerm): readonly number[] {
    if (!selects(term.namespaces.selector, NO_LABELS)) return this.matched(term);
    return this.selected(term.selector, () => true);
  }

  #isInScope({ names, selector }: NamespaceScope, namespace: string): boolean {
    return names.has(namespace) || selects(selector, this.#snapshot.namespaces.get(namespace) ?? NO_LABELS);
  }

  #candidates(selector: LabelSelector | undefined): readonly number[] {
    for (const { key, complement, absent, values } of selector?.requirements.values() ?? [])
      if (!complement && !absent) return [...values].flatMap((value) => this.#byKey(key).get(value) ?? []);
    return [...this.#snapshot.specs.keys()];
  }

  #byKey(key: string): ReadonlyMap<string, readonly number[]> {
    const known = this.#byLabel.get(key);
    if (known !== undefined) return known;
    const made = new Map<string, number[]>();
    for (const [index, { labels }] of this.#snapshot.specs.entries()) {
      const value = labels.get(key);
      const specs = value === undefined ? undefined : made.get(value);
      if (specs !== undefined) specs.push(index);
      else if (value !== undefined) made.set(value, [index]);
    }
    this.#byLabel.set(key, made);
    return made;
  }
}
