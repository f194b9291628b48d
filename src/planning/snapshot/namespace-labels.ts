/** Labels of every namespace in use, the same objects from one snapshot to the next while nothing about them changes. */
import type { Labels } from '../../domain/labels.js';
import type { PodSpec } from '../../domain/pod.js';

interface Entry {
  readonly given: Labels | undefined;
  readonly labels: Labels;
}

const NAME_LABEL = 'kubernetes.io/metadata.name';

export class NamespaceLabels {
  #entries: ReadonlyMap<string, Entry> = new Map();
  #labels: ReadonlyMap<string, Labels> = new Map();

  /** Every namespace that is known or that a spec is in, with the label that the API server gives each. */
  of(known: ReadonlyMap<string, Labels>, specs: readonly PodSpec[]): ReadonlyMap<string, Labels> {
    const names = new Set(known.keys());
    for (const { namespace } of specs) names.add(namespace);
    let isSame = names.size === this.#entries.size;
    const entries = new Map<string, Entry>();
    for (const name of names) {
      const before = this.#entries.get(name);
      const entry = before !== undefined && before.given === known.get(name) ? before : made(name, known);
      isSame &&= entry === before;
      entries.set(name, entry);
    }
    if (!isSame) {
      this.#entries = entries;
      this.#labels = new Map([...entries].map(([name, { labels }]) => [name, labels]));
    }
    return this.#labels;
  }
}

function made(name: string, known: ReadonlyMap<string, Labels>): Entry {
  const given = known.get(name);
  return { given, labels: new Map([...(given ?? []), [NAME_LABEL, name]]) };
}
