/** What the JSON and the YAML reader both give: a plain value, faults, and the way from paths to characters. */
import type { DocumentPath } from '../issue.js';
import type { PairPart } from './document.js';

/** Something wrong in one text, before it is known which object it belongs to. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  /** Characters before it, or undefined when it is found by its path. */
  readonly offset: number | undefined;
  readonly path: DocumentPath;
}

export interface ParsedText {
  readonly value: unknown;
  readonly faults: readonly Fault[];
  /** Whether aliases may make the value larger than its text. */
  readonly hasAliases: boolean;
  /** Offset of a path in the text, or of the nearest enclosing thing. */
  offsetOf(path: DocumentPath, part: PairPart): number | undefined;
}

/** A fault at a character of the text. */
export function faultAt(offset: number, code: string, message: string): Fault {
  return { code, message, offset, path: [] };
}

/** A fault at a path of the value. */
export function faultIn(path: DocumentPath, code: string, message: string): Fault {
  return { code, message, offset: undefined, path };
}
