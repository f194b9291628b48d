/** Reads CEL expressions: operators by precedence, calls, fields, lists and maps. */
import { CelError, tokensOf, type Expression, type Token } from './cel-syntax.js';

/** Binary operators from the loosest to the tightest. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<', '<=', '>', '>=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];
const CONSTANTS: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** @throws CelError */
export function parseCel(source: string): Expression {
  const parser = new Parser(tokensOf(source));
  const expression = parser.expression();
  parser.end();
  return expression;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  expression(): Expression {
    const condition = this.#binary(0);
    if (!this.#take('?')) return condition;
    const then = this.expression();
    this.#expect(':');
    return { is: 'choice', condition, then, otherwise: this.expression() };
  }

  end(): void {
    if (this.#next.type !== 'end') throw this.#unexpected();
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? { type: 'end', text: '' };
  }

  #binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (let operator = this.#takeOf(operators); operator !== undefined; operator = this.#takeOf(operators))
      left = { is: 'binary', operator, left, right: this.#binary(level + 1) };
    return left;
  }

  #unary(): Expression {
    const operator = this.#takeOf(['!', '-']);
    if (operator !== undefined) return { is: 'unary', operator, of: this.#unary() };
    return this.#suffixes(this.#primary());
  }

  #suffixes(start: Expression): Expression {
    let of = start;
    for (;;) {
      if (this.#take('.')) {
        const name = this.#name();
        of = this.#take('(')
          ? { is: 'call', of, name, parameters: this.#list(')') }
          : { is: 'field', of, name };
      } else if (this.#take('[')) {
        of = { is: 'index', of, key: this.expression() };
        this.#expect(']');
      } else return of;
    }
  }

  #primary(): Expression {
    const token = this.#next;
    this.#at += 1;
    switch (token.type) {
      case 'number':
        return { is: 'literal', value: Number(token.text.replace('u', '')) };
      case 'text':
        return { is: 'literal', value: token.text };
      case 'name':
        return this.#named(token.text);
      case 'sign':
        return this.#enclosed(token.text);
      case 'end':
        break;
    }
    throw this.#unexpected();
  }

  #named(name: string): Expression {
    if (Object.hasOwn(CONSTANTS, name)) return { is: 'literal', value: CONSTANTS[name] };
    if (this.#take('(')) return { is: 'call', of: undefined, name, parameters: this.#list(')') };
    return { is: 'name', name };
  }

  #enclosed(sign: string): Expression {
    if (sign === '(') {
      const expression = this.expression();
      this.#expect(')');
      return expression;
    }
    if (sign === '[') return { is: 'list', items: this.#list(']') };
    if (sign === '{') return { is: 'map', entries: this.#entries() };
    this.#at -= 1;
    throw this.#unexpected();
  }

  #list(end: string): readonly Expression[] {
    const items: Expression[] = [];
    while (!this.#take(end)) {
      items.push(this.expression());
      if (this.#next.text !== end) this.#expect(',');
    }
    return items;
  }

  #entries(): readonly (readonly [Expression, Expression])[] {
    const entries: (readonly [Expression, Expression])[] = [];
    while (!this.#take('}')) {
      const key = this.expression();
      this.#expect(':');
      entries.push([key, this.expression()]);
      if (this.#next.text !== '}') this.#expect(',');
    }
    return entries;
  }

  #name(): string {
    const { type, text } = this.#next;
    if (type !== 'name') throw this.#unexpected();
    this.#at += 1;
    return text;
  }

  #take(text: string): boolean {
    return this.#takeOf([text]) !== undefined;
  }

  #takeOf(texts: readonly string[]): string | undefined {
    const { type, text } = this.#next;
    if (type === 'text' || !texts.includes(text)) return undefined;
    this.#at += 1;
    return text;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#unexpected();
  }

  #unexpected(): CelError {
    return new CelError(`unexpected ${JSON.stringify(this.#next.text)}`);
  }
}
