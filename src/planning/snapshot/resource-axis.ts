/** The axis on which a snapshot's amounts are, and amounts as rows on it. */
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, type ResourceList } from '../../domain/values/resources.js';
import { isSameList } from '../../domain/values/same.js';

const FIRST_RESOURCES: readonly string[] = [CPU, MEMORY, PODS, EPHEMERAL_STORAGE];
const IS_FIRST: ReadonlySet<string> = new Set(FIRST_RESOURCES);

/** Something that asks for resources. */
interface Asking {
  readonly requests: ResourceList;
}

/** The axis made last is given again while it is the same. */
export class ResourceAxis {
  #more: readonly string[] = [];
  #specs: readonly Asking[] | undefined;
  #daemons: readonly { readonly spec: Asking }[] | undefined;
  #resources: readonly string[] = FIRST_RESOURCES;

  /** cpu, memory, pods, ephemeral-storage, then whatever else is asked for and `more`, by name. */
  of(
    specs: readonly Asking[],
    daemons: readonly { readonly spec: Asking }[],
    more: readonly string[] = [],
  ): readonly string[] {
    if (specs === this.#specs && daemons === this.#daemons && isSameList(more, this.#more))
      return this.#resources;
    const others = new Set<string>(more);
    for (const asking of specs) addOthers(asking, others);
    for (const { spec } of daemons) addOthers(spec, others);
    this.#specs = specs;
    this.#daemons = daemons;
    this.#more = more;
    const names = [...others].sort();
    const known = this.#resources.slice(FIRST_RESOURCES.length);
    if (names.length !== known.length || names.some((name, index) => name !== known[index]))
      this.#resources = [...FIRST_RESOURCES, ...names];
    return this.#resources;
  }
}

function addOthers({ requests }: Asking, others: Set<string>): void {
  for (const name of requests.keys()) if (!IS_FIRST.has(name)) others.add(name);
}

/** Rows of amounts on the axis: lists × R. */
export function amounts(resources: readonly string[], lists: readonly ResourceList[]): Float64Array {
  const width = resources.length;
  const result = new Float64Array(lists.length * width);
  let next = 0;
  for (const list of lists)
    for (let column = 0; column < width; column++) result[next++] = list.get(resources[column] ?? '') ?? 0;
  return result;
}

/** Rows of amounts, made again only when the objects or the axis are other lists than the last time. */
export class RememberedRows {
  #of: readonly object[] | undefined;
  #resources: readonly string[] = [];
  #rows: Float64Array = new Float64Array();

  rows<T extends object>(
    resources: readonly string[],
    of: readonly T[],
    make: (resources: readonly string[], of: readonly T[]) => Float64Array,
  ): Float64Array {
    if (of !== this.#of || resources !== this.#resources) {
      this.#rows = make(resources, of);
      this.#of = of;
      this.#resources = resources;
    }
    return this.#rows;
  }
}
