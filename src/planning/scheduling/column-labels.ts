/** Values of label keys over columns, as small integers; found once for as long as the columns last. */
import type { NodeView } from './node-constraint.js';

/** The values of one key. */
interface LabelColumn {
  /** Column → index into `values`, or -1 without the label. */
  readonly of: Int32Array;
  /** In the order in which the columns have them. */
  readonly values: readonly string[];
}

export class ColumnLabels {
  readonly #views: readonly NodeView[];
  readonly #byKey = new Map<string, LabelColumn>();

  constructor(views: readonly NodeView[]) {
    this.#views = views;
  }

  of(key: string): LabelColumn {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const made = valuesOf(this.#views, key);
    this.#byKey.set(key, made);
    return made;
  }
}

/** The values of a key over some views, numbered in the order in which they turn up. */
function valuesOf(views: readonly NodeView[], key: string): LabelColumn {
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
