/** Items that must find another place, by class: they are taken one by one, and each knows where it went. */
import type { BinProblem } from '../../optimize/problem/bin-problem.js';
import { whole } from '../../optimize/problem/typed-read.js';
import type { ClusterNodes } from './cluster-nodes.js';

export class Displaced {
  /** Class → items without a place. */
  readonly left: Int32Array;
  /** quota groups × Z: items that each zone may still take. */
  readonly quota: Int32Array;
  /** Item → the node that holds it, or -1 - b for bin b. */
  readonly place: Int32Array;
  readonly #problem: BinProblem;
  /** Class → its displaced items, `#first` to the next class's. */
  readonly #first: Int32Array;
  readonly #items: Int32Array;

  constructor(problem: BinProblem, nodes: ClusterNodes, deleted: Uint8Array) {
    const { classes } = problem;
    this.#problem = problem;
    this.left = new Int32Array(classes.count);
    this.quota = problem.quota.slice();
    this.place = new Int32Array(nodes.itemClass.length);
    this.#first = new Int32Array(classes.count + 1);
    eachItem(nodes, (item, node) => {
      const kind = whole(nodes.itemClass, item);
      this.place[item] = node;
      if (deleted[node] === 1) this.left[kind] = whole(this.left, kind) + 1;
      else this.useQuota(kind, whole(nodes.zone, node));
    });
    for (let kind = 0; kind < classes.count; kind++)
      this.#first[kind + 1] = whole(this.#first, kind) + whole(this.left, kind);
    this.#items = new Int32Array(whole(this.#first, classes.count));
    const next = this.#first.slice();
    eachItem(nodes, (item, node) => {
      if (deleted[node] !== 1) return;
      const kind = whole(nodes.itemClass, item);
      const at = whole(next, kind);
      this.#items[at] = item;
      next[kind] = at + 1;
    });
  }

  /** Whether the class's quota lets one more into the zone. */
  isOpen(kind: number, zone: number): boolean {
    const { classes, zones } = this.#problem;
    const group = whole(classes.quotaGroup, kind);
    return group < 0 || whole(this.quota, group * zones + zone) > 0;
  }

  useQuota(kind: number, zone: number): void {
    const { classes, zones } = this.#problem;
    const group = whole(classes.quotaGroup, kind);
    if (group < 0) return;
    const at = group * zones + zone;
    this.quota[at] = Math.max(0, whole(this.quota, at) - 1);
  }

  /** Gives one item of the class a place. */
  put(kind: number, place: number): void {
    const left = whole(this.left, kind) - 1;
    this.left[kind] = left;
    this.place[whole(this.#items, whole(this.#first, kind) + left)] = place;
  }
}

function eachItem(nodes: ClusterNodes, visit: (item: number, node: number) => void): void {
  for (let node = 0; node < nodes.count; node++) {
    const end = whole(nodes.firstItem, node + 1);
    for (let item = whole(nodes.firstItem, node); item < end; item++) visit(item, node);
  }
}
