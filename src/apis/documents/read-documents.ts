/** Texts that users hand over → documents: YAML or JSON, several in one text, Lists taken apart. */
import type { Issue } from '../issue.js';
import { checkValue, MAX_OBJECT_BYTES } from './check-value.js';
import type { Document, Position, ReadResult, SourceText } from './document.js';
import { countTokens, looksLikeJson, parseJson } from './json-text.js';
import { type Fault, faultAt, faultIn, type ParsedText } from './parsed-text.js';
import { describeValue, type Head, headOf, isObject, type Part, partsOf, titleOf } from './part.js';
import type { ReadBudget } from './read-budget.js';
import { parseYaml } from './yaml-text.js';

/** Largest text that is read, in characters. */
const MAX_TEXT = 256 * 2 ** 20;
/** How much larger than its text all objects of a text may become through aliases. */
const MAX_EXPANSION = 16;

const EXPANDED = faultIn(
  [],
  'excessive-alias',
  'aliases make it more than 16 times larger than it is written',
);
const TEXT_TOO_LARGE = faultIn(
  [],
  'too-large',
  'the text is larger than 256 MiB: split it into several files',
);
const NO_FAULTS: readonly Fault[] = [];
/** `|` with or without a sign for the end, and the lines up to the first that says something. */
const BLOCK = /\|[-+]?[ \t]*(?:#[^\n]*)?\r?\n(?: *\r?\n)*( *)/y;
/** Document markers stand at the start of a line; no scalar can contain one there (YAML 1.2.2 §9.1.2). */
const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
const MARKER_ALONE = /^---[ \t]*(?:#.*)?(?:\r?\n|$)/;
const NOTHING_TO_READ = /^(?:[ \t]*(?:#.*)?(?:\r?\n|$)|%.*(?:\r?\n|$))*$/;

/**
 * Reads every document of a text. Never throws: what cannot be read becomes an issue of its own document.
 * Scalars are those of YAML 1.2's core schema, so `yes` and `on` are strings. Beyond the budget nothing more is read, which
 * is an issue too; without one everything is.
 */
export function readDocuments(source: SourceText, budget?: ReadBudget): ReadResult {
  const text = source.text.replace(/^\uFEFF/, '');
  const reader = new Reader({ ...source, text }, budget);
  reader.read();
  return { documents: reader.documents, issues: reader.issues };
}

type Places = Pick<Document, 'locate' | 'locateInBlock'>;

class Reader {
  readonly documents: Document[] = [];
  readonly issues: Issue[] = [];
  readonly #source: string;
  readonly #text: string;
  readonly #lines: LineIndex;
  readonly #placeInSource: (position: Position) => Position;

  readonly #budget: ReadBudget | undefined;

  constructor(
    { source, text, placeInSource = (position) => position }: SourceText,
    budget: ReadBudget | undefined,
  ) {
    this.#budget = budget;
    this.#source = source;
    this.#text = text;
    this.#lines = new LineIndex(text);
    this.#placeInSource = placeInSource;
  }

  read(): void {
    if (this.#text.length > MAX_TEXT) {
      this.#report('document 1', TEXT_TOO_LARGE, undefined);
      return;
    }
    const whole = this.#parseJson(this.#text);
    if (whole !== undefined) {
      this.#readChunk({ offset: 0, text: this.#text }, whole, 'document 1');
      return;
    }
    for (const [index, chunk] of splitStream(this.#text).entries()) {
      const place = `document ${String(index + 1)}`;
      const excess = this.#budget?.takeDocument() === false ? this.#budget.excess : undefined;
      if (excess !== undefined) {
        const position = this.#placeInSource(this.#lines.positionAt(chunk.offset));
        this.#report(place, faultIn([], 'too-large', excess), position);
        return;
      }
      const parsed = this.#parseJson(chunk.text) ?? parseYaml(chunk.text, this.#budget);
      this.#readChunk(chunk, parsed, place);
      if (this.#budget?.excess !== undefined) return;
    }
  }

  /** JSON is so much quicker to parse than YAML that its tokens are counted first. */
  #parseJson(text: string): ParsedText | undefined {
    if (this.#budget === undefined || !looksLikeJson(text)) return parseJson(text);
    if (this.#budget.takeTokens(countTokens(text))) return parseJson(text);
    return {
      value: undefined,
      faults: [faultAt(0, 'too-large', this.#budget.excess ?? '')],
      hasAliases: false,
      offsetOf: () => undefined,
    };
  }

  #readChunk(chunk: Chunk, parsed: ParsedText, place: string): void {
    const at = (offset: number | undefined): Position | undefined =>
      offset === undefined ? undefined : this.#placeInSource(this.#lines.positionAt(chunk.offset + offset));
    const places: Places = {
      locate: (path, part = 'value') => at(parsed.offsetOf(path, part)),
      locateInBlock: (path) => this.#blockAt(chunk, parsed.offsetOf(path, 'value')),
    };
    for (const fault of parsed.faults) this.#report(place, fault, at(fault.offset));
    if (parsed.faults.length > 0 || parsed.value === null || parsed.value === undefined) return;
    let left = parsed.hasAliases ? MAX_EXPANSION * chunk.text.length + MAX_OBJECT_BYTES : Infinity;
    for (const part of partsOf({ value: parsed.value, place, prefix: [], inherited: undefined })) {
      const checked = checkValue(part.value, parsed.hasAliases);
      left -= checked.size;
      if (left < 0) {
        this.#report(place, EXPANDED, at(0));
        return;
      }
      this.#readPart(part, checked.faults, places);
    }
  }

  #blockAt({ offset }: Chunk, at: number | undefined): ((inner: Position) => Position) | undefined {
    if (at === undefined) return undefined;
    const block = literalBlockAt(this.#text, offset + at);
    if (block === undefined) return undefined;
    const { line } = this.#lines.positionAt(offset + at);
    return (inner) =>
      this.#placeInSource({ line: line + inner.line, column: block.indentation + inner.column });
  }

  #readPart(part: Part, faults: readonly Fault[], places: Places): void {
    const locate: Places['locate'] = (path, half) => places.locate([...part.prefix, ...path], half);
    const locateInBlock: Places['locateInBlock'] = (path) => places.locateInBlock([...part.prefix, ...path]);
    const head = headOf(part);
    const title = titleOf(part, head);
    const found = faults.length > 0 ? faults : headFaults(part.value, head);
    for (const fault of found) this.#report(title, fault, locate(fault.path, 'key'));
    const { apiVersion, kind, name } = head;
    if (
      found.length > 0 ||
      !isObject(part.value) ||
      typeof apiVersion !== 'string' ||
      typeof kind !== 'string'
    )
      return;
    const { value } = part;
    this.documents.push({
      ...{ source: this.#source, title, apiVersion, kind, name, value },
      ...{ locate, locateInBlock },
    });
  }

  #report(document: string, fault: Fault, position: Position | undefined): void {
    const { code, message, path } = fault;
    const place = { path, line: position?.line, column: position?.column };
    this.issues.push({ severity: 'error', source: this.#source, document, code, message, ...place });
  }
}

/** Why an object is none of Kubernetes': it is no object, or lacks apiVersion or kind. */
function headFaults(value: unknown, { apiVersion, kind }: Head): readonly Fault[] {
  if (!isObject(value)) {
    const text = `expected an object with apiVersion and kind, not ${describeValue(value)}`;
    return [faultIn([], 'not-an-object', text)];
  }
  if (isText(apiVersion) && isText(kind)) return NO_FAULTS;
  return Object.entries({ apiVersion, kind }).flatMap(([field, given]) => {
    if (isText(given)) return [];
    const said = given === undefined ? 'is missing' : `must be text, not ${describeValue(given)}`;
    return [faultIn([field], 'missing-field', `${field} ${said}`)];
  });
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

// Where the lines of a YAML literal block stand in the text around it.

interface LiteralBlock {
  /** Spaces before each of its lines, which are no part of the value. */
  readonly indentation: number;
}

/**
 * The literal block whose `|` is the character at `offset`. Undefined for anything else, and for a block that gives its
 * indentation as a number, which needs its parent's to be understood.
 */
function literalBlockAt(text: string, offset: number): LiteralBlock | undefined {
  BLOCK.lastIndex = offset;
  const found = BLOCK.exec(text)?.[1];
  return found === undefined ? undefined : { indentation: found.length };
}

/** Knows where the lines of one text start; built once, on the first question. */
class LineIndex {
  readonly #text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Line and column, counted from 1, of a character counted from 0. */
  positionAt(offset: number): Position {
    const starts = (this.#starts ??= lineStarts(this.#text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

// Cuts a YAML stream into its documents before any of it is parsed, so that a broken one cannot swallow the next.

interface Chunk {
  /** Characters before it in the whole text. */
  readonly offset: number;
  readonly text: string;
}

/** The documents of the stream in order; those without content, and lines of directives, are left out. */
function splitStream(text: string): readonly Chunk[] {
  const cuts: { readonly end: number; readonly next: number }[] = [];
  for (const match of text.matchAll(MARKER)) {
    const isEnd = match[0] === '...';
    cuts.push({ end: match.index, next: isEnd ? match.index + 3 : contentStart(text, match.index) });
  }
  const starts = [0, ...cuts.map((cut) => cut.next)];
  const ends = [...cuts.map((cut) => cut.end), text.length];
  return starts
    .map((start, index) => ({ offset: start, text: text.slice(start, ends[index]) }))
    .filter((chunk) => !isBlank(chunk.text));
}

/** Past a marker that has its line to itself, so that JSON behind it is seen as JSON. */
function contentStart(text: string, marker: number): number {
  const line = text.indexOf('\n', marker);
  const head = text.slice(marker, line < 0 ? text.length : line + 1);
  return MARKER_ALONE.test(head) ? marker + head.length : marker;
}

function isBlank(text: string): boolean {
  return text.length < 4096
    ? NOTHING_TO_READ.test(text)
    : text.split('\n').every((line) => NOTHING_TO_READ.test(line));
}
