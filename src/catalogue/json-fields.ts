/** Reads fields of parsed JSON one by one, noting everything that is wrong instead of stopping at the first. */

/** What is wrong, or looks wrong, in a catalog file. */
export interface CatalogueIssue {
  readonly severity: 'error' | 'warning';
  /** Keys and indexes from the document's root. */
  readonly path: readonly (string | number)[];
  /** One sentence naming the instance type, the field, its value and what it may be. */
  readonly message: string;
}

/** Where an object stands in the document. */
interface Place {
  readonly path: readonly (string | number)[];
  /** What messages call the object. */
  readonly subject: string;
  /** All the fields that it may have; others get a warning. */
  readonly known: readonly string[];
}

/** One object of the document; what is wrong in it or in its children is noted in one list. */
export class JsonFields {
  readonly issues: CatalogueIssue[];
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #place: Place;

  /** Anything but an object is an issue, and has no fields. */
  constructor(value: unknown, place: Place, issues: CatalogueIssue[] = []) {
    this.issues = issues;
    this.#place = place;
    this.#object = isObject(value) ? value : {};
    if (!isObject(value)) {
      issues.push({
        severity: 'error',
        path: place.path,
        message: `${place.subject} must be an object, not ${shown(value)}`,
      });
    }
    for (const field of Object.keys(this.#object)) {
      if (place.known.includes(field)) continue;
      this.#note('warning', field, `is not a field and is ignored; fields are ${place.known.join(', ')}`);
    }
  }

  /** An object inside this one, at the keys and indexes of its path from here. */
  child(value: unknown, { path, subject, known }: Place): JsonFields {
    return new JsonFields(value, { path: [...this.#place.path, ...path], subject, known }, this.issues);
  }

  has(field: string): boolean {
    return (
      Object.hasOwn(this.#object, field) && this.#object[field] !== undefined && this.#object[field] !== null
    );
  }

  raw(field: string): unknown {
    return this.has(field) ? this.#object[field] : undefined;
  }

  /** A text that is not empty, or '' and an issue. */
  text(field: string): string {
    const value = this.raw(field);
    if (typeof value === 'string' && value !== '') return value;
    this.refuse(field, 'a text');
    return '';
  }

  /** One of the allowed texts, or the first of them and an issue. */
  oneOf<Value extends string>(field: string, allowed: readonly [Value, ...Value[]]): Value {
    const found = allowed.find((value) => value === this.raw(field));
    if (found === undefined) this.refuse(field, `one of ${allowed.join(', ')}`);
    return found ?? allowed[0];
  }

  /** A finite number from `least` on, or `least` and an issue. */
  number(field: string, least: number): number {
    const value = this.raw(field);
    if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
    this.refuse(field, `a number from ${String(least)} on`);
    return least;
  }

  /** A whole number from `least` on, or `least` and an issue. */
  integer(field: string, least: number): number {
    const value = this.raw(field);
    if (Number.isSafeInteger(value) && Number(value) >= least) return Number(value);
    this.refuse(field, `a whole number from ${String(least)} on`);
    return least;
  }

  /** The items of a list, or none and an issue. */
  list(field: string): readonly unknown[] {
    const value = this.raw(field);
    if (Array.isArray(value)) return value as readonly unknown[];
    this.refuse(field, 'a list');
    return [];
  }

  /** Notes that the field is not what it must be. */
  refuse(field: string, expected: string): void {
    const found = this.has(field) ? `not ${shown(this.#object[field])}` : 'but is missing';
    this.error(field, `must be ${expected}, ${found}`);
  }

  error(field: string, what: string): void {
    this.#note('error', field, what);
  }

  #note(severity: 'error' | 'warning', field: string, what: string): void {
    const { path, subject } = this.#place;
    this.issues.push({ severity, path: [...path, field], message: `${subject}: ${field} ${what}` });
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const LONGEST_SHOWN = 64;

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
