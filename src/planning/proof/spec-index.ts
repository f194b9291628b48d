/** Which specs a selector counts, found by the labels that it names instead of by asking every spec. */
import type { NamespaceScope, PodAffinityTerm } from '../../domain/affinity.js';
import { selects, type LabelSelector } from '../../domain/label-selector.js';
import { NO_LABELS } from '../../domain/labels.js';
import type { Snapshot } from '../snapshot/snapshot.js';

export class SpecIndex {
  readonly #snapshot: Snapshot;
  /** `key=value` → specs with that label. */
  readonly #byLabel = new Map<string, number[]>();
  readonly #all: readonly number[];

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#all = [...snapshot.specs.keys()];
    for (const [index, { labels }] of snapshot.specs.entries()) {
      for (const [key, value] of labels) {
        const name = `${key}=${value}`;
        const specs = this.#byLabel.get(name);
        if (specs === undefined) this.#byLabel.set(name, [index]);
        else specs.push(index);
      }
    }
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
      if (!complement && !absent)
        return [...values].flatMap((value) => this.#byLabel.get(`${key}=${value}`) ?? []);
    return this.#all;
  }
}
