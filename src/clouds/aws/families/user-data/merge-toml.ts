/**
 * Settings laid over a TOML text: what it has beside them stays as it is, comments included; what both have is ours. A table that is
 * ours as a whole has nothing beside them.
 */
import { isSameList } from '../../../../domain/values/same.js';
import type { UserData } from './user-data-question.js';

export interface TomlTable {
  /** `['settings', 'kubernetes']`. */
  readonly path: readonly string[];
  /** Key → value as TOML. */
  readonly values: ReadonlyMap<string, string>;
  /** Whether the text's own values in it go, too; false unless given. */
  readonly isWhole?: boolean;
}

interface Placed {
  readonly statement: TomlStatement;
  /** The table that it is written in. */
  readonly table: readonly string[];
}

/** A table that the text writes in another way than under its header is a problem, told by its key. */
export function mergeToml(own: string, tables: readonly TomlTable[]): UserData {
  const read = readToml(own);
  if ('problem' in read) return { problem: `userData: ${read.problem}` };
  const placed = place(read.statements);
  const wanted = tables.filter(({ values, isWhole = false }) => isWhole || values.size > 0);
  const conflict = wanted.flatMap(({ path }) => conflictOf(path, placed) ?? [])[0];
  if (conflict !== undefined) return { problem: `userData: ${conflict}` };
  const kept = placed.filter((entry) => !wanted.some((table) => isReplaced(entry, table)));
  const lines = kept.flatMap(({ statement }) => {
    const table = statement.kind === 'header' ? tableAt(wanted, statement.path) : undefined;
    return [statement.text, ...(table === undefined ? [] : valueLines(table))];
  });
  const missing = wanted.filter(
    ({ path, values }) => values.size > 0 && !placed.some(({ statement }) => isHeaderOf(statement, path)),
  );
  const text = lines.join('\n').trimEnd();
  const blocks = missing.map((table) => [`[${header(table.path)}]`, ...valueLines(table)].join('\n'));
  return { text: `${[...(text === '' ? [] : [text]), ...blocks].join('\n\n')}\n` };
}

function place(statements: readonly TomlStatement[]): readonly Placed[] {
  let table: readonly string[] = [];
  return statements.map((statement) => {
    if (statement.kind === 'header') table = statement.path;
    return { statement, table };
  });
}

function conflictOf(path: readonly string[], placed: readonly Placed[]): string | undefined {
  const name = header(path);
  if (placed.filter(({ statement }) => isHeaderOf(statement, path)).length > 1)
    return `the table [${name}] is there twice`;
  for (const { statement, table } of placed) {
    if (statement.kind === 'header' && statement.isArray && startsWith(path, statement.path))
      return `[[${header(statement.path)}]] must not be an array of tables`;
    if (statement.kind !== 'value') continue;
    const whole = [...table, ...statement.key];
    const isInside = startsWith(whole, path) && !startsWith(table, path);
    if (isInside || startsWith(path, whole))
      return `${header(whole)} must be written under the header [${name}], so that nodes' own settings can be added`;
  }
  return undefined;
}

function isReplaced({ statement, table }: Placed, { path, values, isWhole = false }: TomlTable): boolean {
  if (isWhole && startsWith(table, path)) return statement.kind !== 'gap' && !isHeaderOf(statement, path);
  return statement.kind === 'value' && isSameList(table, path) && values.has(statement.key[0] ?? '');
}

function tableAt(tables: readonly TomlTable[], path: readonly string[]): TomlTable | undefined {
  return tables.find((table) => isSameList(table.path, path));
}

function isHeaderOf(statement: TomlStatement, path: readonly string[]): boolean {
  return statement.kind === 'header' && isSameList(statement.path, path);
}

function valueLines({ values }: TomlTable): readonly string[] {
  return [...values].map(([key, value]) => `${keyText(key)} = ${value}`);
}

function header(path: readonly string[]): string {
  return path.map(keyText).join('.');
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.length <= path.length && start.every((part, index) => part === path[index]);
}

// A TOML text as its statements: headers of tables, values with their keys, and what is between. Values are not understood.

type TomlStatement =
  /** `[a.b]`, or `[[a.b]]` where `isArray`. */
  | {
      readonly kind: 'header';
      readonly path: readonly string[];
      readonly isArray: boolean;
      readonly text: string;
    }
  /** `a.b = value`; the value may go over several lines. */
  | { readonly kind: 'value'; readonly key: readonly string[]; readonly text: string }
  /** An empty line or a comment. */
  | { readonly kind: 'gap'; readonly text: string };

type TomlStatements = { readonly statements: readonly TomlStatement[] } | { readonly problem: string };

/** One part of a key: bare, or in quotes. */
const PART = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')`;
const KEY = String.raw`${PART}(?:[ \t]*\.[ \t]*${PART})*`;
const HEADER = new RegExp(String.raw`^[ \t]*(\[\[?)[ \t]*(${KEY})[ \t]*(\]\]?)[ \t]*(?:#.*)?$`);
const VALUE = new RegExp(String.raw`^[ \t]*(${KEY})[ \t]*=(.*)$`, 's');

/** The statements in their order, or where the text is no TOML. */
export function readToml(text: string): TomlStatements {
  const statements: TomlStatement[] = [];
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  for (let index = 0; index < lines.length;) {
    const whole = statementAt(lines, index);
    const statement = gapOf(whole) ?? headerOf(whole) ?? valueOf(whole);
    if (statement === undefined) return { problem: `line ${String(index + 1)} is no TOML` };
    statements.push(statement);
    index += whole.split('\n').length;
  }
  return { statements };
}

/** The line, and those behind it that belong to the same value. */
function statementAt(lines: readonly string[], index: number): string {
  const first = lines[index] ?? '';
  if (gapOf(first) !== undefined || headerOf(first) !== undefined) return first;
  let end = index + 1;
  while (end < lines.length && isOpen(lines.slice(index, end).join('\n'))) end += 1;
  return lines.slice(index, end).join('\n');
}

function gapOf(line: string): TomlStatement | undefined {
  return /^\s*(?:#.*)?$/.test(line) ? { kind: 'gap', text: line } : undefined;
}

function valueOf(text: string): TomlStatement | undefined {
  const [, key = '', value = ''] = VALUE.exec(text) ?? [];
  if (key === '' || value.trim() === '' || isOpen(text)) return undefined;
  return { kind: 'value', key: keyParts(key), text };
}

function headerOf(line: string): TomlStatement | undefined {
  const [, open, key = '', close] = HEADER.exec(line) ?? [];
  if (open === undefined || open.length !== close?.length) return undefined;
  return { kind: 'header', path: keyParts(key), isArray: open === '[[', text: line };
}

function keyParts(key: string): readonly string[] {
  return (key.match(new RegExp(PART, 'g')) ?? []).map((part) => {
    if (part.startsWith("'")) return part.slice(1, -1);
    return part.startsWith('"') ? unescaped(part) : part;
  });
}

function unescaped(part: string): string {
  try {
    return JSON.parse(part) as string;
  } catch {
    return part.slice(1, -1);
  }
}

/** Strings, comments, brackets: each a token of its own, so that what is in a string counts for nothing. */
const TOKENS =
  /"""(?:[^\\]|\\[\s\S])*?"""|'''[\s\S]*?'''|"""|'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]/g;

/** Whether a bracket or a string of several lines has not ended yet. */
function isOpen(statement: string): boolean {
  let depth = 0;
  for (const [token] of statement.matchAll(TOKENS)) {
    if (token === '"""' || token === "'''") return true;
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
  }
  return depth > 0;
}
