/** One unchecked document while its older spellings are replaced by the fields of its own version. */
import type { DocumentPath } from '../issue.js';
import type { Finding, Move } from './findings.js';
import { valueAt, withoutValueAt, withValueAt, type Plain } from './plain.js';

/** Collects replacements: the changed value, what moved where, and a warning for each. */
export class Rewrite {
  readonly moves: Move[] = [];
  readonly warnings: Finding[] = [];
  #value: Plain;

  constructor(value: Plain) {
    this.#value = value;
  }

  get value(): Plain {
    return this.#value;
  }

  get(path: readonly string[]): unknown {
    return valueAt(this.#value, path);
  }

  /** Puts a field where this version has it, unless that place is taken already: then the old one stays to be refused. */
  replace(from: readonly string[], to: readonly string[], value: unknown): boolean {
    if (this.get(to) !== undefined && to.join('.') !== from.join('.')) return false;
    this.#value = withValueAt(withoutValueAt(this.#value, from), to, value);
    this.moves.push({ from, to });
    return true;
  }

  remove(path: readonly string[]): void {
    this.#value = withoutValueAt(this.#value, path);
  }

  set(path: readonly string[], value: unknown): void {
    this.#value = withValueAt(this.#value, path, value);
  }

  /** Warns of an older spelling at a place in the text. */
  warn(path: DocumentPath, text: string): void {
    this.warnings.push({ code: 'older-spelling', path, text, at: 'key' });
  }
}
