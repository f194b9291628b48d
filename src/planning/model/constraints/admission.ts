/** Which nodes and columns a constraint admits, answered once per constraint and remembered as bytes. */
import { ColumnAnswers } from './column-answers.js';
import type { Place } from './domains.js';
import { admits, type NodeConstraint, type NodeView } from './node-constraint.js';

export class Admission {
  readonly #nodes: NodeAnswers;
  readonly #columns: ColumnAnswers;

  /** `nodes` and `columns`, or what is remembered of them already. */
  constructor(nodes: readonly NodeView[] | NodeAnswers, columns: readonly NodeView[] | ColumnAnswers) {
    this.#nodes = nodes instanceof NodeAnswers ? nodes : new NodeAnswers(nodes);
    this.#columns = columns instanceof ColumnAnswers ? columns : new ColumnAnswers(columns);
  }

  get columnCount(): number {
    return this.#columns.count;
  }

  /** Whether the constraint admits the node or column at a place. */
  at(constraint: NodeConstraint, { target, column }: Place): boolean {
    return column >= 0 ? this.columns(constraint)[column] === 1 : this.node(constraint, target);
  }

  /** Whether the constraint admits existing node `index`. */
  node(constraint: NodeConstraint, index: number): boolean {
    return this.#nodes.at(constraint, index);
  }

  /** One byte per column: 1 where the constraint admits it. Not to be written to. */
  columns(constraint: NodeConstraint): Uint8Array {
    return this.#columns.of(constraint);
  }

  /** How many columns the constraint admits. */
  reach(constraint: NodeConstraint): number {
    return this.#columns.countOf(constraint);
  }
}

const UNKNOWN = 0;
const YES = 1;
const NO = 2;

/** Which existing nodes a constraint admits, asked node by node, and taken over for nodes that are still there. */
export class NodeAnswers {
  readonly #nodes: readonly NodeView[];
  readonly #byKey = new Map<string, Uint8Array>();
  readonly #byConstraint = new Map<NodeConstraint, Uint8Array>();
  /** The constraint asked about last: many nodes are asked one after the other. */
  #lastConstraint: NodeConstraint | undefined;
  #lastAnswers: Uint8Array = new Uint8Array();
  /** Answers about the nodes of the plan before, by key, and where each node was among them, or -1; undefined: there. */
  #before: ReadonlyMap<string, Uint8Array> = new Map();
  #placeBefore: Int32Array | undefined;

  constructor(nodes: readonly NodeView[], before?: NodeAnswers) {
    this.#nodes = nodes;
    if (before === undefined || nodes.length === 0) return;
    this.#before = before.#byKey;
    before.#before = new Map();
    if (nodes === before.#nodes) return;
    const places = new Map(before.#nodes.map((node, index) => [node, index]));
    this.#placeBefore = Int32Array.from(nodes, (node) => places.get(node) ?? -1);
  }

  /** Whether the constraint admits node `index`. */
  at(constraint: NodeConstraint, index: number): boolean {
    if (constraint !== this.#lastConstraint) {
      this.#lastAnswers = this.#byConstraint.get(constraint) ?? this.#answersOf(constraint);
      this.#lastConstraint = constraint;
    }
    const answers = this.#lastAnswers;
    if (answers[index] === UNKNOWN) {
      const view = this.#nodes[index];
      answers[index] = view !== undefined && admits(constraint, view) ? YES : NO;
    }
    return answers[index] === YES;
  }

  #answersOf(constraint: NodeConstraint): Uint8Array {
    const answers = this.#byKey.get(constraint.key) ?? this.#takenOver(constraint.key);
    this.#byKey.set(constraint.key, answers);
    this.#byConstraint.set(constraint, answers);
    return answers;
  }

  #takenOver(key: string): Uint8Array {
    const before = this.#before.get(key);
    if (before !== undefined && this.#placeBefore === undefined) return before;
    const answers = new Uint8Array(this.#nodes.length);
    if (before === undefined || this.#placeBefore === undefined) return answers;
    for (let index = 0; index < answers.length; index++)
      answers[index] = before[this.#placeBefore[index] ?? -1] ?? UNKNOWN;
    return answers;
  }
}
