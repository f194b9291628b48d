/** Bounds a YAML document by its raw tokens, without recursion: composing recurses and would exhaust the stack. */
import { Lexer, Parser, type CST } from 'yaml';
import { faultAt, type Fault } from './parsed-text.js';
import type { ReadBudget } from './read-budget.js';

/** Levels of nesting that are read; Kubernetes' own objects stay below 40. */
export const MAX_DEPTH = 100;
const MAX_ALIASES = 1000;

/** Said where text that is not YAML probably comes from a chart. */
export const TEMPLATE_HINT = 'a template with {{ }} must be rendered first';

/**
 * The raw tokens of a text, or the fault that stops reading them: what is nested without end would take long to read,
 * and is known to be refused as soon as the parser's own stack is deeper than any document may be.
 */
export function tokensOf(text: string, budget?: ReadBudget): readonly CST.Token[] | Fault {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    if (budget?.takeTokens(1) === false)
      return faultAt(parser.offset, 'too-large', budget.excess ?? 'too many tokens');
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_DEPTH + OWN_LEVELS) return tooDeep(parser.offset);
  }
  return [...tokens, ...parser.end()];
}

/** What the parser's stack holds beside the containers of the document. */
const OWN_LEVELS = 5;

function tooDeep(offset: number): Fault {
  return faultAt(offset, 'too-deep', `nested deeper than ${String(MAX_DEPTH)} levels`);
}

export interface YamlShape {
  readonly fault: Fault | undefined;
  readonly aliases: number;
}

/** How deep the document is nested, how many aliases it has, and the first reason not to go on. */
export function shapeOf(tokens: readonly CST.Token[]): YamlShape {
  let aliases = 0;
  const open = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next;
    if (token.type === 'alias') aliases++;
    const fault = faultOf(token, depth, aliases);
    if (fault !== undefined) return { aliases, fault };
    const below = token.type === 'document' ? depth : depth + 1;
    for (const child of childrenOf(token)) open.push({ token: child, depth: below });
  }
  return { aliases, fault: undefined };
}

function faultOf(token: CST.Token, depth: number, aliases: number): Fault | undefined {
  if (depth > MAX_DEPTH) return tooDeep(token.offset);
  if (aliases > MAX_ALIASES) {
    return faultAt(
      token.offset,
      'excessive-alias',
      `more than ${String(MAX_ALIASES)} aliases in one document`,
    );
  }
  return keyFault(token);
}

/** Keys must be scalars. A mapping as a key is nearly always an unrendered `{{ template }}`. */
function keyFault(token: CST.Token): Fault | undefined {
  if (!('items' in token)) return undefined;
  const key = token.items.map((item) => item.key).find((item) => item && 'items' in item);
  if (!key) return undefined;
  return faultAt(
    key.offset,
    'not-yaml',
    `a key must be plain text, not a list or a mapping; ${TEMPLATE_HINT}`,
  );
}

function childrenOf(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : [];
  if (!('items' in token)) return [];
  const children: CST.Token[] = [];
  for (const { key, value } of token.items) {
    if (key) children.push(key);
    if (value) children.push(value);
  }
  return children;
}
