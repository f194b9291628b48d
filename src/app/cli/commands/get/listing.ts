/** What `berth get` lists: the columns of a kind, and a row for each of its objects. */
import type { ObservedKind } from '../../../../ports/cluster-feed.js';
import type { SeenCluster } from '../../../cluster-reader.js';
import type { Column } from '../../render/text/table.js';

export interface ListColumn<T> extends Column {
  /** Member of the JSON document. */
  readonly key: string;
  /** Only in the wide table. */
  readonly wide?: boolean | undefined;
  readonly text: (item: T) => string;
  /** As JSON has it; the text where it is not given. */
  readonly value?: ((item: T) => unknown) | undefined;
}

/** A kind's table, whatever its items are. */
export interface Listing {
  /** As kubectl spells it, and shorter. */
  readonly names: readonly string[];
  /** What has to be read for it. */
  readonly kinds: readonly ObservedKind[];
  readonly namespaced: boolean;
  readonly columns: readonly (Column & { readonly wide?: boolean | undefined })[];
  readonly rows: (seen: SeenCluster) => readonly ListRow[];
}

export interface ListRow {
  /** '' for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
  readonly cells: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
}

export interface ListingOf<T> extends Omit<Listing, 'columns' | 'rows'> {
  readonly columns: readonly ListColumn<T>[];
  readonly items: (seen: SeenCluster) => readonly T[];
  readonly nameOf: (item: T) => { readonly namespace: string; readonly name: string };
}

/** Rows by namespace and name, but where `items` of a listing have an order of their own. */
export function listing<T>({ items, nameOf, columns, ...rest }: ListingOf<T>): Listing {
  return {
    ...rest,
    columns,
    rows: (seen) =>
      items(seen).map((item) => ({
        ...nameOf(item),
        cells: columns.map(({ text }) => text(item)),
        document: Object.fromEntries(columns.map(({ key, text, value = text }) => [key, value(item)])),
      })),
  };
}

/** Sorted by namespace and name. */
export function byName<T>(
  items: Iterable<T>,
  nameOf: (item: T) => { readonly namespace: string; readonly name: string },
): readonly T[] {
  const keyed = [...items].map((item) => ({ item, name: nameOf(item) }));
  return keyed
    .sort(
      (left, right) =>
        compare(left.name.namespace, right.name.namespace) || compare(left.name.name, right.name.name),
    )
    .map(({ item }) => item);
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** kubectl's word for what is not there. */
export const NONE = '<none>';
