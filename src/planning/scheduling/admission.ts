/** Which nodes and columns a constraint admits, answered once per constraint and remembered as bytes. */
import type { Labels } from '../../domain/labels.js';
import { allows } from '../../domain/requirement.js';
import type { Place } from './domains.js';
import type { NodeConstraint, NodeView } from './node-constraint.js';
import { admits } from './node-constraint.js';

const UNKNOWN = 0;
const YES = 1;
const NO = 2;

/** Columns `first` up to `end` that have these labels in common; blocks cover all columns. */
export interface ColumnBlock {
  readonly labels: Labels;
  readonly first: number;
  readonly end: number;
}

export class Admission {
  readonly #nodes: readonly NodeView[];
  readonly #columns: readonly NodeView[];
  readonly #blocks: readonly ColumnBlock[];
  readonly #nodeAnswers = new Map<string, Uint8Array>();
  readonly #columnAnswers = new Map<string, Uint8Array>();
  /** The same by identity, which is quicker to look up than a long key. */
  readonly #columnsOf = new Map<NodeConstraint, Uint8Array>();

  constructor(nodes: readonly NodeView[], columns: readonly NodeView[], blocks: readonly ColumnBlock[]) {
    this.#nodes = nodes;
    this.#columns = columns;
    this.#blocks = blocks;
  }

  get columnCount(): number {
    return this.#columns.length;
  }

  /** Whether the constraint admits the node or column at a place. */
  at(constraint: NodeConstraint, { target, column }: Place): boolean {
    return column >= 0 ? this.columns(constraint)[column] === 1 : this.node(constraint, target);
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

  /** Blocks of columns whose common labels the selector rules out are not asked one by one. */
  #askColumns(constraint: NodeConstraint): Uint8Array {
    const answers = new Uint8Array(this.#columns.length);
    for (const { labels, first, end } of this.#blocks) {
      if (
        [...constraint.selector.values()].some(
          (item) => labels.has(item.key) && !allows(item, labels.get(item.key)),
        )
      ) {
        continue;
      }
      for (let column = first; column < end; column++)
        answers[column] = admitsAt(constraint, this.#columns[column]) ? 1 : 0;
    }
    return answers;
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
