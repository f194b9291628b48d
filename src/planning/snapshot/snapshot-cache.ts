/** What building snapshots remembers from one to the next; it changes how long they take, never what they say. */
import type { DaemonSet } from '../../domain/pods/daemon-set.js';
import type { Labels } from '../../domain/values/labels.js';
import type { Node } from '../../domain/nodes/node.js';
import { type Pod, podKey, type PodSpec } from '../../domain/pods/pod.js';
import { SortedObjects } from './content-order.js';
import { RememberedRows, ResourceAxis } from './resource-axis.js';
import { SpecInterner } from './spec-interner.js';

/**
 * Objects are known by identity and must not change. Lists are remembered of the last snapshot alone; what is known of a
 * single object lives as long as the object does, and specs by content until they are more than twice those in use and
 * a few thousand.
 */
export class SnapshotCache {
  readonly nodes = new SortedObjects<Node>(({ name }) => name);
  readonly daemonSets = new SortedObjects<DaemonSet>(podKey);
  readonly pods = new SortedObjects<Pod>(podKey);
  readonly specs = new SpecInterner();
  readonly namespaces = new NamespaceLabels();
  readonly axis = new ResourceAxis();
  readonly specRows = new RememberedRows();
  readonly nodeRows = new RememberedRows();
}

interface Entry {
  readonly given: Labels | undefined;
  readonly labels: Labels;
}

const NAME_LABEL = 'kubernetes.io/metadata.name';

/** Labels of every namespace in use, the same objects from one snapshot to the next while nothing about them changes. */
class NamespaceLabels {
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
