/** Which nodes and columns a constraint admits, answered once per constraint and remembered as bytes. */
import type { NodeConstraint, NodeView } from './node-constraint.js';
import { admits } from './node-constraint.js';

const UNKNOWN = 0;
const YES = 1;
const NO = 2;

export class Admission {
  readonly #nodes: readonly NodeView[];
  readonly #columns: readonly NodeView[];
  readonly #nodeAnswers = new Map<string, Uint8Array>();
  readonly #columnAnswers = new Map<string, Uint8Array>();
  /** The same by identity, which is quicker to look up than a long key. */
  readonly #columnsOf = new Map<NodeConstraint, Uint8Array>();

  constructor(nodes: readonly NodeView[], columns: readonly NodeView[]) {
    this.#nodes = nodes;
    this.#columns = columns;
  }

  get columnCount(): number {
    return this.#columns.length;
  }

  /** Whether the constraint admits existing node `index`. */
  node(constraint: NodeConstraint, index: number): boolean {
    const answers = remembered(this.#nodeAnswers, constraint.key, this.#nodes.length);
    return answer(answers, index, () => admitsAt(constraint, this.#nodes[index]));
  }

  /** One byte per column: 1 where the constraint admits it. */
  columns(constraint: NodeConstraint): Uint8Array {
    const known = this.#columnsOf.get(constraint);
    if (known !== undefined) return known;
    const answers = this.#columnAnswers.get(constraint.key) ?? this.#askColumns(constraint);
    this.#columnAnswers.set(constraint.key, answers);
    this.#columnsOf.set(constraint, answers);
    return answers;
  }

  #askColumns(constraint: NodeConstraint): Uint8Array {
    return Uint8Array.from(this.#columns, (view) => (admits(constraint, view) ? 1 : 0));
  }
}

function remembered(answers: Map<string, Uint8Array>, key: string, length: number): Uint8Array {
  const known = answers.get(key);
  if (known !== undefined) return known;
  const made = new Uint8Array(length);
  answers.set(key, made);
  return made;
}

function answer(answers: Uint8Array, index: number, ask: () => boolean): boolean {
  if (answers[index] === UNKNOWN) answers[index] = ask() ? YES : NO;
  return answers[index] === YES;
}

function admitsAt(constraint: NodeConstraint, view: NodeView | undefined): boolean {
  return view !== undefined && admits(constraint, view);
}
