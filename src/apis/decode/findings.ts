/** Collects what is wrong with one document, and says where in its text. */
import type { Document, PairPart } from '../documents/document.js';
import type { DocumentPath, Issue } from '../issue.js';
import { formatPath } from './format-path.js';

/** A field that an older spelling was rewritten to, and where the user wrote it. */
export interface Move {
  readonly from: DocumentPath;
  readonly to: DocumentPath;
}

export interface Finding {
  readonly code: string;
  readonly path: DocumentPath;
  /** Reads on from the path: `must be at most 100, not 500`. */
  readonly text: string;
  readonly allowed?: readonly string[] | undefined;
  readonly guess?: string | undefined;
  /** Whether the key is at fault rather than its value. */
  readonly at?: PairPart;
}

/** More than a reader takes in; the rest of them is counted. */
const MOST_ISSUES = 100;
/** Of one message: it may name values, and there may be thousands. */
const MOST_CHARACTERS = 2000;

/** Findings of one document, as issues. */
export class Findings {
  readonly #issues: Issue[] = [];
  readonly #document: Document;
  readonly #moves: readonly Move[];
  /** Issues that were only counted. */
  readonly #left = { error: 0, warning: 0, note: 0 };

  /** `moves` lead from the paths that findings name to those that the text has. */
  constructor(document: Document, moves: readonly Move[] = []) {
    this.#document = document;
    this.#moves = moves;
  }

  /** Reports what makes the document unusable. One that takes work to word is given as a function: beyond the most that is listed it is only counted. */
  error(finding: Finding | (() => Finding)): void {
    this.#add('error', finding);
  }

  /** Reports what will hurt, or what has a newer name. */
  warning(finding: Finding | (() => Finding)): void {
    this.#add('warning', finding);
  }

  /** Reports what is legal, usual, and worth a thought. */
  note(finding: Finding | (() => Finding)): void {
    this.#add('note', finding);
  }

  /** Everything found, in the order of the text; what was only counted comes last. */
  get issues(): readonly Issue[] {
    const more = (['error', 'warning', 'note'] as const).flatMap((severity) => {
      const count = this.#left[severity];
      return count === 0
        ? []
        : [this.#issue(severity, { code: 'more', path: [], text: moreText(count, severity) })];
    });
    return [...[...this.#issues].sort(byPlace), ...more];
  }

  get hasErrors(): boolean {
    return this.#left.error > 0 || this.#issues.some((issue) => issue.severity === 'error');
  }

  #add(severity: Issue['severity'], finding: Finding | (() => Finding)): void {
    if (this.#issues.length >= MOST_ISSUES) this.#left[severity]++;
    else this.#issues.push(this.#issue(severity, typeof finding === 'function' ? finding() : finding));
  }

  #issue(severity: Issue['severity'], { code, text, allowed, guess, at, ...found }: Finding): Issue {
    const path = moveBack(found.path, this.#moves);
    const place = this.#document.locate(path, at);
    const { source, title } = this.#document;
    const message = shortened(path.length === 0 ? text : `${formatPath(path)} ${text}`);
    return {
      severity,
      code,
      source,
      document: title,
      path,
      line: place?.line,
      column: place?.column,
      message,
      ...(allowed && { allowed }),
      ...(guess !== undefined && { guess }),
    };
  }
}

/** The path in the text: that of the longest move which covers it. */
function moveBack(path: DocumentPath, moves: readonly Move[]): DocumentPath {
  const covering = moves.filter(({ to }) => to.every((step, index) => path[index] === step));
  const longest = covering.sort((left, right) => right.to.length - left.to.length)[0];
  return longest === undefined ? path : [...longest.from, ...path.slice(longest.to.length)];
}

function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

function moreText(count: number, severity: string): string {
  return `has ${String(count)} more ${severity}s that are not listed`;
}

function byPlace(left: Issue, right: Issue): number {
  return (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0);
}
