/** What building snapshots remembers from one to the next; it changes how long they take, never what they say. */
import type { DaemonSet } from '../../domain/pods/daemon-set.js';
import type { Labels } from '../../domain/values/labels.js';
import type { Node } from '../../domain/nodes/node.js';
import { type Pod, podKey, type PodSpec } from '../../domain/pods/pod.js';
import { SortedObjects } from './sorted-objects.js';
import { RememberedRows, ResourceAxis } from './resource-axis.js';
import { specKey, specWording } from './spec-key.js';

/**
 * Objects are known by identity, and neither they nor lists of them must change. Lists are remembered of the last snapshot alone; what
 * is known of a single object lives as long as the object does, and specs by content until they are more than twice those in use and
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

/** All specs that ask the same. */
interface SpecRecord {
  /** Their spec key. */
  readonly key: string;
  /** Index into the specs of the snapshot of this turn. */
  rank: number;
  /** The spec that stands for them in the snapshot of this turn. */
  spec: PodSpec;
  turn: number;
}

/** All specs that say the same word for word. */
interface Wording {
  /** The first of them that was seen stands for all: what is known of it is known of them. */
  readonly spec: PodSpec;
  readonly record: SpecRecord;
  turn: number;
  /** Whether the wording is found by its text. */
  isListed: boolean;
}

interface InternedSpecs {
  /** By their keys; the same list as the last time where nothing changed. */
  readonly specs: readonly PodSpec[];
  /** Index into `specs`, of each pod. */
  readonly specOf: Int32Array;
}

/** Wordings that are kept beyond twice those in use, for specs that come back. */
const SPARE_WORDINGS = 4096;

class SpecInterner {
  readonly #bySpec = new WeakMap<PodSpec, Wording>();
  readonly #byText = new Map<string, Wording>();
  readonly #byKey = new Map<string, SpecRecord>();
  readonly #order = new SortedObjects<SpecRecord>(({ key }) => key);
  #specs: readonly PodSpec[] = [];
  #turn = 0;

  /** The specs of these pods by content; of those that ask the same, the wording of the first stands for all. */
  intern(given: readonly Pick<Pod, 'spec'>[]): InternedSpecs {
    this.#turn++;
    const used: SpecRecord[] = [];
    const records: SpecRecord[] = [];
    let wordings = 0;
    for (const { spec } of given) {
      const wording = this.#wordingOf(spec);
      const { record } = wording;
      records.push(record);
      if (wording.turn === this.#turn) continue;
      wording.turn = this.#turn;
      wordings++;
      if (record.turn === this.#turn) continue;
      record.turn = this.#turn;
      record.spec = wording.spec;
      used.push(record);
    }
    const { objects: sorted } = this.#order.sort(used);
    sorted.forEach((record, rank) => (record.rank = rank));
    if (sorted.length !== this.#specs.length || sorted.some(({ spec }, rank) => spec !== this.#specs[rank]))
      this.#specs = sorted.map(({ spec }) => spec);
    this.#forget(wordings);
    const specOf = new Int32Array(records.length);
    records.forEach(({ rank }, row) => {
      specOf[row] = rank;
    });
    return { specs: this.#specs, specOf };
  }

  #wordingOf(spec: PodSpec): Wording {
    const known = this.#bySpec.get(spec);
    if (known?.isListed === true) return known;
    const wording = this.#listed(specWording(spec), spec);
    this.#bySpec.set(spec, wording);
    return wording;
  }

  #listed(text: string, spec: PodSpec): Wording {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const made: Wording = { spec, record: this.#recordOf(specKey(spec), spec), turn: 0, isListed: true };
    this.#byText.set(text, made);
    return made;
  }

  #recordOf(key: string, spec: PodSpec): SpecRecord {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const made: SpecRecord = { key, spec, turn: 0, rank: 0 };
    this.#byKey.set(key, made);
    return made;
  }

  /** Forgets all that was not used this turn, once it is more than what was. */
  #forget(used: number): void {
    if (this.#byText.size <= 2 * used + SPARE_WORDINGS) return;
    for (const [text, wording] of this.#byText) {
      if (wording.turn === this.#turn) continue;
      wording.isListed = false;
      this.#byText.delete(text);
    }
    for (const [key, record] of this.#byKey) if (record.turn !== this.#turn) this.#byKey.delete(key);
  }
}
