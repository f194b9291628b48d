/** Which specs a selector counts, found by the labels that it names instead of by asking every spec. */
import type { NamespaceScope, PodAffinityTerm } from '../../domain/affinity.js';
import { selects, type LabelSelector } from '../../domain/label-selector.js';
import { NO_LABELS } from '../../domain/labels.js';
import type { Snapshot } from '../snapshot/snapshot.js';

export class SpecIndex {
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
