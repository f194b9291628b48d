/** Where the lines of a YAML literal block stand in the text around it. */

export interface LiteralBlock {
  /** Spaces before each of its lines, which are no part of the value. */
  readonly indentation: number;
}

/** `|` with or without a sign for the end, and the lines up to the first that says something. */
const BLOCK = /\|[-+]?[ \t]*(?:#[^\n]*)?\r?\n(?: *\r?\n)*( *)/y;

/**
 * The literal block whose `|` is the character at `offset`. Undefined for anything else, and for a block that gives its
 * indentation as a number, which needs its parent's to be understood.
 */
export function literalBlockAt(text: string, offset: number): LiteralBlock | undefined {
  BLOCK.lastIndex = offset;
  const found = BLOCK.exec(text)?.[1];
  return found === undefined ? undefined : { indentation: found.length };
}
