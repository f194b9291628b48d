/** Domains of topology keys: which zone, host or rack every node and every launchable column is in, as small integers. */
import { HOSTNAME } from '../../../domain/values/labels.js';
import type { NodeView } from './node-constraint.js';

/** The domain of one key that a place has, or NO_DOMAIN when it lacks the label. */
type DomainId = number;
export const NO_DOMAIN = -1;
/** The domain of a host that does not exist yet. */
export const NEW_HOST = -2;

/** A place pods can be on: an existing node or opened claim (`target`), or a column of which a claim could be opened. */
export interface Place {
  /** Index into the targets; NEW_HOST for a column not opened yet. */
  readonly target: number;
  /** Index into the launchable columns; -1 for an existing node. */
  readonly column: number;
}

interface KeyDomains {
  readonly nodes: Int32Array;
  readonly columns: Int32Array;
  readonly values: readonly string[];
}

export class Domains {
  readonly #nodes: ViewLabels;
  readonly #columns: ViewLabels;
  readonly #keys = new Map<string, KeyDomains>();
  readonly #reached = new Map<string, Map<Uint8Array, number>>();
  /** Node → its host: the first node with the same hostname, or NO_DOMAIN for one without the label. */
  readonly #hosts: Int32Array;

  /** Nodes and columns, or what is remembered of them already. */
  constructor(nodes: readonly NodeView[] | ViewLabels, columns: readonly NodeView[] | ViewLabels) {
    this.#nodes = nodes instanceof ViewLabels ? nodes : new ViewLabels(nodes);
    this.#columns = columns instanceof ViewLabels ? columns : new ViewLabels(columns);
    this.#hosts = this.#nodes.firstWith(HOSTNAME);
  }

  /** The domain of `key` at a place. Every claim is a host of its own, and so is every node that is labelled as one. */
  at(key: string, place: Place): DomainId {
    if (key === HOSTNAME) return place.column >= 0 ? place.target : (this.#hosts[place.target] ?? NO_DOMAIN);
    const { nodes, columns } = this.#of(key);
    return (place.column >= 0 ? columns[place.column] : nodes[place.target]) ?? NO_DOMAIN;
  }

  /** In how many domains the columns marked 1 are; remembered, since many classes have the same columns. */
  reached(key: string, marked: Uint8Array): number {
    const known = this.#reached.get(key)?.get(marked);
    if (known !== undefined) return known;
    const { columns } = this.#of(key);
    const found = new Set<number>();
    columns.forEach((domain, column) => {
      if (marked[column] === 1 && domain !== NO_DOMAIN) found.add(domain);
    });
    const ofKey = this.#reached.get(key) ?? new Map<Uint8Array, number>();
    this.#reached.set(key, ofKey.set(marked, found.size));
    return found.size;
  }

  /** How many domains the key has, over nodes and columns; not for hosts. */
  count(key: string): number {
    return this.#of(key).values.length;
  }

  /** The label value of a domain. */
  value(key: string, domain: DomainId): string | undefined {
    return this.#of(key).values[domain];
  }

  #of(key: string): KeyDomains {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const nodes = this.#nodes.of(key);
    const ids = new Map(nodes.values.map((value, id) => [value, id]));
    const { of, values } = this.#columns.of(key);
    const idOfValue = values.map((value) => {
      const id = ids.get(value) ?? ids.size;
      ids.set(value, id);
      return id;
    });
    const columns = of.map((value) => idOfValue[value] ?? NO_DOMAIN);
    const made = { nodes: nodes.of, columns, values: [...ids.keys()] };
    this.#keys.set(key, made);
    return made;
  }
}

/** The values of one key. */
interface LabelValues {
  /** View → index into `values`, or -1 without the label. */
  readonly of: Int32Array;
  /** In the order in which the views have them. */
  readonly values: readonly string[];
}

/** Values of label keys over nodes or columns, as small integers; found once for as long as the list of them lasts. */
export class ViewLabels {
  readonly #views: readonly NodeView[];
  readonly #byKey = new Map<string, LabelValues>();
  readonly #firsts = new Map<string, Int32Array>();

  constructor(views: readonly NodeView[]) {
    this.#views = views;
  }

  /** Whether this is about the very list. */
  areOf(views: readonly NodeView[]): boolean {
    return views === this.#views;
  }

  of(key: string): LabelValues {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const made = valuesOf(this.#views, key);
    this.#byKey.set(key, made);
    return made;
  }

  /** View → the first that has the same value, or -1 without the label. */
  firstWith(key: string): Int32Array {
    const known = this.#firsts.get(key);
    if (known !== undefined) return known;
    const { of, values } = this.of(key);
    const first = new Int32Array(values.length).fill(-1);
    const made = of.map((value, index) => {
      if (value < 0) return -1;
      if (first[value] === -1) first[value] = index;
      return first[value] ?? -1;
    });
    this.#firsts.set(key, made);
    return made;
  }
}

/** The values of a key over some views, numbered in the order in which they turn up. */
function valuesOf(views: readonly NodeView[], key: string): LabelValues {
  const numbers = new Map<string, number>();
  const of = new Int32Array(views.length).fill(-1);
  views.forEach(({ labels }, index) => {
    const value = labels.get(key);
    if (value === undefined) return;
    const number = numbers.get(value) ?? numbers.size;
    numbers.set(value, number);
    of[index] = number;
  });
  return { of, values: [...numbers.keys()] };
}
