/** Settings laid over a TOML text: what it has beside them stays as it is, comments included; what both have is ours. */
import { readToml, type TomlStatement } from './toml-statements.js';
import type { UserData } from './user-data-question.js';

export interface TomlTable {
  /** `['settings', 'kubernetes']`. */
  readonly path: readonly string[];
  /** Key → value as TOML. */
  readonly values: ReadonlyMap<string, string>;
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
  const wanted = tables.filter(({ values }) => values.size > 0);
  const conflict = wanted.flatMap(({ path }) => conflictOf(path, placed) ?? [])[0];
  if (conflict !== undefined) return { problem: `userData: ${conflict}` };
  const kept = placed.filter((entry) => !wanted.some((table) => isReplaced(entry, table)));
  const lines = kept.flatMap(({ statement }) => {
    const table = statement.kind === 'header' ? tableAt(wanted, statement.path) : undefined;
    return [statement.text, ...(table === undefined ? [] : valueLines(table))];
  });
  const missing = wanted.filter(({ path }) => !placed.some(({ statement }) => isHeaderOf(statement, path)));
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

function isReplaced({ statement, table }: Placed, { path, values }: TomlTable): boolean {
  return statement.kind === 'value' && isSame(table, path) && values.has(statement.key[0] ?? '');
}

function tableAt(tables: readonly TomlTable[], path: readonly string[]): TomlTable | undefined {
  return tables.find((table) => isSame(table.path, path));
}

function isHeaderOf(statement: TomlStatement, path: readonly string[]): boolean {
  return statement.kind === 'header' && isSame(statement.path, path);
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

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && startsWith(left, right);
}
