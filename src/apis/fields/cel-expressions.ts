/**
 * CEL expressions that users and drivers write. Work is bounded by the length of the text: what is not bounded so, or not known, is
 * refused by name and never guessed.
 */

/** A node of the library's syntax tree. */
export interface CelNode {
  readonly op: string;
  readonly args: unknown;
}

/** What the library makes of a text. */
export interface CelProgram {
  (variables: object): unknown;
  readonly ast: CelNode;
  check(): { readonly valid: boolean; readonly type?: string; readonly error?: unknown };
}

/** A phrase that reads on from the expression. */
export interface CelProblem {
  readonly problem: string;
}

/** What expressions of one kind may be, and what is made of them. */
export interface CelDialect<T> {
  /** @throws Error, where the text is none. */
  readonly parse: (text: string) => CelProgram;
  /** Why there is too much of the text; undefined where there is not. */
  readonly tooLong: (text: string) => string | undefined;
  /** Of the syntax tree. */
  readonly operators: ReadonlySet<string>;
  /** Why the call is refused; undefined where it is not. */
  readonly refusedCall: (name: string, call: CelNode) => string | undefined;
  /** `type` is that of its value. */
  readonly use: (program: CelProgram, type: string) => T | CelProblem;
}

/** Compiled expressions that are remembered. */
const MOST_REMEMBERED = 500;
const MOST_DEPTH = 32;
const MOST_ELEMENTS = 100;

/** Structural limits of the library, as it names them. */
type CelLimits = Readonly<
  Record<'maxAstNodes' | 'maxDepth' | 'maxListElements' | 'maxMapEntries' | 'maxCallArguments', number>
>;

export function celLimits(maxAstNodes: number, maxCallArguments: number): CelLimits {
  return {
    ...{ maxAstNodes, maxCallArguments },
    ...{ maxDepth: MOST_DEPTH, maxListElements: MOST_ELEMENTS, maxMapEntries: 0 },
  };
}

/** Compiles each text once; what came of it is remembered. */
export class CelExpressions<T extends object> {
  readonly #dialect: CelDialect<T>;
  readonly #remembered = new Map<string, T | CelProblem>();

  constructor(dialect: CelDialect<T>) {
    this.#dialect = dialect;
  }

  compile(text: string): T | CelProblem {
    const known = this.#remembered.get(text);
    if (known !== undefined) return known;
    const compiled = this.#compile(text);
    if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
    this.#remembered.set(text, compiled);
    return compiled;
  }

  #compile(text: string): T | CelProblem {
    const { parse, tooLong, use } = this.#dialect;
    const excess = tooLong(text);
    if (excess !== undefined) return { problem: excess };
    try {
      const program = parse(text);
      const refused = this.#refusedPart(program.ast);
      if (refused !== undefined) return { problem: refused };
      const { valid, type, error } = program.check();
      return valid ? use(program, String(type)) : { problem: celProblem(error) };
    } catch (error) {
      return { problem: celProblem(error) };
    }
  }

  /** What is not allowed in it; undefined where all is. */
  #refusedPart(node: CelNode): string | undefined {
    const { operators, refusedCall } = this.#dialect;
    const { op } = node;
    if (!operators.has(op)) return `must not have ${JSON.stringify(op)}`;
    const parts = celParts(node);
    if (op === 'call' || op === 'rcall') {
      const refused = refusedCall(String(parts[0]), node);
      if (refused !== undefined) return refused;
    }
    for (const part of celNodes(parts)) {
      const refused = this.#refusedPart(part);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }
}

/** Its operands: nodes, names, lists of nodes. */
export function celParts({ args }: CelNode): readonly unknown[] {
  return Array.isArray(args) ? args : [args];
}

/** The nodes among operands. */
export function celNodes(parts: readonly unknown[]): readonly CelNode[] {
  return parts.flat().filter(isNode);
}

function isNode(part: unknown): part is CelNode {
  return typeof part === 'object' && part !== null && 'op' in part && 'args' in part;
}

/** What an error of the library says, without the excerpt of the text that it adds. */
export function celProblem(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n')[0] ?? '').replace(/^./, (first) => first.toLowerCase());
}
