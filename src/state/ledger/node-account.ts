/** What a node has, what is taken of it and by whom: the book-keeping of one node. */
import { EMPTYING_ANNOTATION, type NodeClaim } from '../../domain/nodes/node-claim.js';
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { CPU, MEMORY } from '../../domain/values/resources.js';
import type { PlacementNode, Shortage } from '../../planning/placement/placement-view.js';
import { isLeaving } from '../nodes/node-state.js';
import type { NodeRows } from './node-rows.js';
import { Tally, type Amounts, type ResourceColumns } from './resource-columns.js';

/** What a question takes for granted besides the books. */
export interface Assumptions {
  /** A pod's own charge, victims that would be gone. */
  readonly returned: readonly Amounts[];
  /** Pods that may be on their way here without being charged. */
  readonly taken: readonly Amounts[];
}

const NONE: Assumptions = { returned: [], taken: [] };

/** Counts the answers given to kube-scheduler, so that they have an order. */
export interface AnswerCount {
  readonly given: number;
}

/** What the accounts of one ledger share. */
export interface SharedBooks {
  readonly columns: ResourceColumns;
  readonly answers: AnswerCount;
  /** Each account keeps its name here while its node is leaving or guarded. */
  readonly restricted: Set<string>;
  /** Each account has a row here while its node is known. */
  readonly rows: NodeRows;
}

export class NodeAccount implements PlacementNode {
  readonly name: string;
  /** The number of the last answer that was given when the node became guarded. */
  guardedSince = 0;
  /** undefined: pods name it, but no such node is known. */
  node: ObservedNode | undefined;
  leaving = false;
  emptying = false;
  hourlyPrice: number | undefined;
  endsAt = Infinity;
  /** Of bound pods that have not finished. */
  readonly #used = new Tally();
  /** Of reservations' entries whose pods have not arrived. */
  readonly #reserved = new Tally();
  /** Of DaemonSet pods that are pinned to the node and not bound yet. */
  readonly #daemons = new Tally();
  /** Of pods that were answered this node and are not seen bound yet. */
  readonly #charged = new Tally();
  #allocatable = new Tally();
  #awaitedPods = 0;
  #pendingDaemonPods = 0;
  #isRestricted = false;
  /** −1 while the node is not known. */
  #row = -1;
  /** undefined: something has changed since it was computed. */
  #fullness: number | undefined;
  readonly #shared: SharedBooks;

  constructor(name: string, shared: SharedBooks) {
    this.name = name;
    this.#shared = shared;
  }

  get guarded(): boolean {
    return this.#awaitedPods > 0 || this.#pendingDaemonPods > 0;
  }

  get pendingDaemonPods(): number {
    return this.#pendingDaemonPods;
  }

  /**
   * Room is reserved for so many more pods, and so many more are waited for; fewer with negative numbers. Pods that were
   * answered their room and are not bound are waited for without being counted here: they are charged.
   */
  reserve(amounts: Amounts, pods: number, awaited: number): void {
    this.#noteGuard();
    if (pods !== 0) this.#change(this.#reserved, amounts, pods);
    this.#awaitedPods += awaited;
    this.#restrict();
  }

  /** So many more bound pods use so much; fewer with a negative number. */
  use(amounts: Amounts, pods: number): void {
    this.#change(this.#used, amounts, pods);
  }

  /** So many more pods are on their way here; fewer with a negative number. */
  charge(amounts: Amounts, pods: number): void {
    this.#change(this.#charged, amounts, pods);
  }

  /** So many more DaemonSet pods are to come; fewer with a negative number. */
  expectDaemons(amounts: Amounts, pods: number): void {
    this.#noteGuard();
    this.#change(this.#daemons, amounts, pods);
    this.#pendingDaemonPods += pods;
    this.#restrict();
  }

  /** Kept until something changes: kube-scheduler asks about hundreds of nodes for each pod. */
  get fullness(): number {
    this.#fullness ??= (this.#takenShare(CPU) + this.#takenShare(MEMORY)) / 2;
    return this.#fullness;
  }

  /** The node as it is now, and the claim of its instance. */
  describe(node: ObservedNode | undefined, claim: NodeClaim | undefined): void {
    if (this.node?.allocatable !== node?.allocatable) {
      this.#allocatable = new Tally();
      this.#forgetFullness();
      if (node !== undefined) this.#allocatable.add(this.#shared.columns.amounts(node.allocatable));
    }
    this.node = node;
    this.leaving = isLeaving(claim, node);
    this.emptying = claim?.annotations.has(EMPTYING_ANNOTATION) === true;
    this.hourlyPrice = claim?.status.hourlyPrice;
    const lifetime = claim?.spec.expireAfterSeconds ?? Infinity;
    this.endsAt = (claim?.createdAt ?? 0) + lifetime * 1000;
    this.#writeRow();
    this.#restrict();
  }

  /** Why these amounts do not fit beside all that is used or reserved; reservations are named before DaemonSets. */
  shortage(asked: Amounts, assumptions: Assumptions = NONE): Shortage {
    if (this.#fits(asked, assumptions, (column) => this.#held(column))) return 'none';
    if (this.#pendingDaemonPods === 0) return 'reserved';
    if (this.#awaitedPods === 0) return 'daemonRoom';
    return this.#fits(asked, assumptions, (column) => this.#daemons.at(column)) ? 'reserved' : 'daemonRoom';
  }

  #fits(asked: Amounts, { returned, taken }: Assumptions, heldOf: (column: number) => number): boolean {
    return asked.columns.every((column, index) => {
      const used = this.#used.at(column) + this.#charged.at(column) + sumAt(taken, column);
      const free = this.#allocatable.at(column) - used - heldOf(column) + sumAt(returned, column);
      return (asked.values[index] ?? 0) <= free;
    });
  }

  /** To be called before room is held. */
  #noteGuard(): void {
    if (!this.guarded) this.guardedSince = this.#shared.answers.given;
  }

  #change(tally: Tally, amounts: Amounts, times: number): void {
    tally.add(amounts, times);
    this.#forgetFullness();
  }

  #forgetFullness(): void {
    this.#fullness = undefined;
    if (this.#row >= 0) this.#shared.rows.touch(this.#row);
  }

  #writeRow(): void {
    const { rows } = this.#shared;
    if (this.node === undefined) {
      rows.remove(this.#row);
      this.#row = -1;
      return;
    }
    if (this.#row < 0) this.#row = rows.add(this);
    rows.leaving[this.#row] = this.leaving ? 1 : 0;
    rows.restricted[this.#row] = this.#isRestricted ? 1 : 0;
    rows.emptying[this.#row] = this.emptying ? 1 : 0;
    rows.hourlyPrice[this.#row] = this.hourlyPrice ?? NaN;
    rows.endsAt[this.#row] = this.endsAt;
  }

  /** To be called after the node, or how many are waited for, has changed. */
  #restrict(): void {
    const isRestricted = this.node !== undefined && (this.leaving || this.guarded);
    if (isRestricted === this.#isRestricted) return;
    this.#isRestricted = isRestricted;
    if (this.#row >= 0) this.#shared.rows.restricted[this.#row] = isRestricted ? 1 : 0;
    if (isRestricted) this.#shared.restricted.add(this.name);
    else this.#shared.restricted.delete(this.name);
  }

  #held(column: number): number {
    return this.#reserved.at(column) + this.#daemons.at(column);
  }

  #takenShare(resource: string): number {
    const column = this.#shared.columns.column(resource);
    const allocatable = this.#allocatable.at(column);
    if (allocatable <= 0) return 0;
    return Math.min(1, (this.#used.at(column) + this.#charged.at(column) + this.#held(column)) / allocatable);
  }
}

function sumAt(amounts: readonly Amounts[], column: number): number {
  let sum = 0;
  for (const { columns, values } of amounts) {
    const index = columns.indexOf(column);
    if (index >= 0) sum += values[index] ?? 0;
  }
  return sum;
}
