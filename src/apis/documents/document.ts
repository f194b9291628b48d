/** One Kubernetes-style document out of a YAML or JSON text, with the way back to its place in the text. */
import type { DocumentPath, Issue } from '../issue.js';

export interface SourceText {
  /** File name; with `configmap/<name>[<key>]` behind it for a text that is quoted in another. */
  readonly source: string;
  readonly text: string;
  /** Where a position of the text stands in its source, for a text that is part of a larger one. */
  readonly placeInSource?: ((position: Position) => Position) | undefined;
}

export interface Position {
  /** Both counted from 1. */
  readonly line: number;
  readonly column: number;
}

/** Which half of a `key: value` pair a place is asked for. */
export type PairPart = 'key' | 'value';

/** A decoded document: an object with apiVersion and kind. Lists are already taken apart. */
export interface Document {
  readonly source: string;
  /** `Kind/name`, or `document N` where they are missing. */
  readonly title: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** metadata.name, '' when missing. */
  readonly name: string;
  /** The whole document: own enumerable properties only, no `__proto__`. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Place of a path in the source text (of its value unless the key is asked for); the nearest enclosing one when the path is not there. Computed on demand. */
  locate(path: DocumentPath, part?: PairPart): Position | undefined;
  /**
   * For a text written as a literal block (`key: |`): from its positions to those of the source text, so that a
   * complaint about it names a line of the file. Undefined for every other way to write a text, and for JSON.
   */
  locateInBlock(path: DocumentPath): ((inner: Position) => Position) | undefined;
}

/** Everything that could be read, and all that could not, of one source text. One bad document never hides others. */
export interface ReadResult {
  readonly documents: readonly Document[];
  readonly issues: readonly Issue[];
}
