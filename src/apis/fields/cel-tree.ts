/** Parsed CEL expressions, as far as they are looked at before they are evaluated. */

/** A node of the library's syntax tree. */
export interface CelNode {
  readonly op: string;
  readonly args: unknown;
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
