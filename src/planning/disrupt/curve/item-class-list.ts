/** Item classes of a running cluster: kinds of items that packing cannot tell apart are one. */
import type { ItemClasses } from '../../optimize/problem/bin-problem.js';
import { projectRows, type ResourceAxis } from '../../pack/guided/resource-axis.js';
import type { ItemKind } from './cluster-items.js';

interface Entry {
  readonly kind: ItemKind;
  readonly requirementSet: number;
  readonly capGroup: number;
  readonly zoneMask: number;
}

export class ItemClassList {
  readonly #axis: ResourceAxis;
  readonly #entries: Entry[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #ofKind = new Map<ItemKind, number>();

  constructor(axis: ResourceAxis) {
    this.#axis = axis;
  }

  /** @param requirementSet -1 for a kind that stays where it is: no zone takes it. */
  add(kind: ItemKind, rules: { readonly requirementSet: number; readonly capGroup: number }): void {
    const { requirementSet, capGroup } = rules;
    const zoneMask = requirementSet < 0 ? 0 : kind.zoneMask;
    const key = [requirementSet, zoneMask, capGroup, ...kind.requests].join();
    const known = this.#numbers.get(key);
    this.#ofKind.set(kind, known ?? this.#entries.length);
    if (known !== undefined) return;
    this.#numbers.set(key, this.#entries.length);
    this.#entries.push({ kind, requirementSet: Math.max(0, requirementSet), capGroup, zoneMask });
  }

  /** Class of a kind that was added. */
  of(kind: ItemKind): number {
    return this.#ofKind.get(kind) ?? -1;
  }

  /** Whether items of the class may move at all. */
  moves(number: number): boolean {
    return this.#entries[number]?.zoneMask !== 0;
  }

  /** The classes; how many items they have is not said. */
  classes(): ItemClasses {
    const count = this.#entries.length;
    return {
      count,
      requests: projectRows(
        this.#axis,
        this.#entries.map(({ kind }) => kind.requests),
      ),
      items: new Int32Array(count),
      requirementSet: Int32Array.from(this.#entries, ({ requirementSet }) => requirementSet),
      zoneMask: Int32Array.from(this.#entries, ({ zoneMask }) => zoneMask),
      capGroup: Int32Array.from(this.#entries, ({ capGroup }) => capGroup),
      quotaGroup: new Int32Array(count).fill(-1),
    };
  }
}
