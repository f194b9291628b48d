/** Which nodes and columns a constraint admits, answered once per constraint and remembered as bytes. */
import { ColumnAnswers } from './column-answers.js';
import type { Place } from './domains.js';
import { NodeAnswers } from './node-answers.js';
import type { NodeConstraint, NodeView } from './node-constraint.js';

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
