/** A TOML text as its statements: headers of tables, values with their keys, and what is between. Values are not understood. */

export type TomlStatement =
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

export type TomlStatements = { readonly statements: readonly TomlStatement[] } | { readonly problem: string };

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
