/** Expressions of the Common Expression Language as trees, and what is wrong with a text that is none. */

export type Expression =
  | { readonly is: 'literal'; readonly value: unknown }
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'field'; readonly of: Expression; readonly name: string }
  | { readonly is: 'index'; readonly of: Expression; readonly key: Expression }
  | {
      readonly is: 'call';
      readonly of: Expression | undefined;
      readonly name: string;
      readonly parameters: readonly Expression[];
    }
  | { readonly is: 'list'; readonly items: readonly Expression[] }
  | { readonly is: 'map'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly is: 'unary'; readonly operator: string; readonly of: Expression }
  | {
      readonly is: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly is: 'choice';
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    };

/** An expression that cannot be read, or has no value for these inputs. */
export class CelError extends Error {}

export interface Token {
  readonly type: 'name' | 'number' | 'text' | 'sign' | 'end';
  readonly text: string;
}

const TOKEN =
  /\s*(?:(?<name>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?u?)|(?<text>r?'(?:[^'\\]|\\.)*'|r?"(?:[^"\\]|\\.)*")|(?<sign>&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()[\]{}]))/y;

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** @throws CelError */
export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  const end = source.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const groups = TOKEN.exec(source)?.groups;
    if (groups === undefined)
      throw new CelError(`syntax error at ${JSON.stringify(source.slice(from, from + 20))}`);
    const { name, number, text, sign = '' } = groups as Readonly<Record<string, string | undefined>>;
    if (name !== undefined) tokens.push({ type: 'name', text: name });
    else if (number !== undefined) tokens.push({ type: 'number', text: number });
    else if (text !== undefined) tokens.push({ type: 'text', text: unquoted(text) });
    else tokens.push({ type: 'sign', text: sign });
  }
  return [...tokens, { type: 'end', text: '' }];
}

/** Raw strings keep their backslashes. */
function unquoted(text: string): string {
  if (text.startsWith('r')) return text.slice(2, -1);
  return text.slice(1, -1).replaceAll(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
}
