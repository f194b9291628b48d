/** What is wrong, or will hurt, in a document that a user wrote. */

/** Keys and indexes from the document's root. */
export type DocumentPath = readonly (string | number)[];

export interface Issue {
  /** An error refuses the document, a warning is about what will hurt, a note about what many leave open on purpose. */
  readonly severity: 'error' | 'warning' | 'note';
  /** Closed vocabulary, for programs: `unknown-field`, `invalid-value`, `too-large`, `not-yaml`, … */
  readonly code: string;
  /** Where the text came from: a file, with `configmap/<name>[<key>]` behind it when line and column count within that value. */
  readonly source: string;
  /** `Kind/name` of the document when they could be read, else `document N` (counted from 1). */
  readonly document: string;
  readonly path: DocumentPath;
  /** Counted from 1; undefined when there is no such place in the text. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** One sentence naming field and value. */
  readonly message: string;
  /** Allowed values, where the set is closed. */
  readonly allowed?: readonly string[] | undefined;
  /** What was probably meant. */
  readonly guess?: string | undefined;
}
