/** What compiling asks of one spec, whatever else is in the cluster: found out once per spec object. */
import type { PodSpec } from '../../../domain/pods/pod.js';
import type { TooComplex } from '../../reason.js';
import { compareText } from '../../snapshot/sorted-objects.js';
import { termKey } from '../../snapshot/spec-key.js';
import { nodeConstraint, REPELLING_PREFERRED, type NodeConstraint } from '../constraints/node-constraint.js';
import { tooComplex } from './spec-size.js';
import { topologyTerms, type TopologyTerms } from './topology-terms.js';

export interface SpecFacts {
  readonly plain: PlainConstraints;
  /** Equal for specs that differ at most in topology and volumes. */
  readonly shape: number;
  readonly terms: TopologyTerms;
  /** Why pods with this spec are not planned at all; undefined where its rules are short enough. */
  readonly complexity: TooComplex | undefined;
}

/** The required part of a spec as constraints; specs that say it in the same words have the same object. */
export class PlainConstraints {
  readonly #spec: PodSpec;
  readonly required: NodeConstraint;
  #soft: NodeConstraint | undefined;

  constructor(spec: PodSpec) {
    this.#spec = spec;
    this.required = nodeConstraint(spec, []);
  }

  /** The same while PreferNoSchedule is still honoured. */
  get soft(): NodeConstraint {
    this.#soft ??= nodeConstraint(this.#spec, [], REPELLING_PREFERRED);
    return this.#soft;
  }
}

/** Texts after which all is forgotten: more than any plan has, so that it happens between plans that have little in common. */
const MOST_TEXTS = 200_000;

export class SpecFactsTable {
  readonly #constraints = new Map<string, PlainConstraints>();
  /** Shape keys, and keys of constraints as parts of them → numbers. */
  readonly #numbers = new Map<string, number>();
  #facts = new WeakMap<PodSpec, SpecFacts>();

  /** The facts of each spec; shapes can be compared within one answer. */
  of(specs: readonly PodSpec[]): readonly SpecFacts[] {
    if (this.#numbers.size + this.#constraints.size > MOST_TEXTS) {
      this.#constraints.clear();
      this.#numbers.clear();
      this.#facts = new WeakMap();
    }
    return specs.map((spec) => {
      const known = this.#facts.get(spec);
      if (known !== undefined) return known;
      const made = this.#make(spec);
      this.#facts.set(spec, made);
      return made;
    });
  }

  #make(spec: PodSpec): SpecFacts {
    const plain = this.#plain(spec);
    const terms = topologyTerms(spec);
    return { plain, shape: this.#shape(spec, plain), terms, complexity: tooComplex(spec) };
  }

  #plain(spec: PodSpec): PlainConstraints {
    if (spec.nodeAffinity.required !== undefined) return new PlainConstraints(spec);
    const text = wording(spec);
    const known = this.#constraints.get(text);
    if (known !== undefined) return known;
    const made = new PlainConstraints(spec);
    this.#constraints.set(text, made);
    return made;
  }

  /** Everything that makes pods ask different questions, but for topology and volumes, as a number. */
  #shape({ requests, nodeAffinity, hostPorts, priority }: PodSpec, plain: PlainConstraints): number {
    let key = `${String(this.#number(`node ${plain.required.key}`))} ${String(priority)}`;
    for (const [name, amount] of [...requests].sort(byName))
      key += `,${String(name.length)} ${name} ${String(amount)}`;
    if (nodeAffinity.preferred.length + hostPorts.length > 0) {
      const preferred = nodeAffinity.preferred.map(({ weight, term }) => [weight, termKey(term)]);
      key += JSON.stringify([preferred, hostPorts]);
    }
    return this.#number(key);
  }

  #number(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const made = this.#numbers.size;
    this.#numbers.set(key, made);
    return made;
  }
}

function byName([left]: readonly [string, number], [right]: readonly [string, number]): number {
  return compareText(left, right);
}

/** What a spec without node affinity asks of a node, word for word. */
function wording({ nodeSelector, tolerations, requiredFeatures }: PodSpec): string {
  if (nodeSelector.size + tolerations.length + requiredFeatures.length === 0) return '';
  return JSON.stringify([[...nodeSelector], tolerations, requiredFeatures]);
}
