/** Requests of the query protocols (EC2, IAM): dotted names in a form, read as a tree. */
import { ServiceError } from '../model/service-error.js';

/** Deeper or longer than any request that EC2 knows. */
const MAX_DEPTH = 12;
const MAX_PARAMETERS = 20_000;

export class QueryNode {
  readonly #children = new Map<string, QueryNode>();
  #value: string | undefined;

  /** @throws ServiceError MalformedQueryString, when the form is deeper or longer than any request. */
  static parse(form: string): QueryNode {
    const root = new QueryNode();
    let count = 0;
    for (const [name, value] of new URLSearchParams(form)) {
      const path = name.split('.');
      if (path.length > MAX_DEPTH || ++count > MAX_PARAMETERS)
        throw new ServiceError('MalformedQueryString', 'The query string is too deep or too long');
      let node = root;
      for (const key of path) node = node.#childFor(key);
      node.#value = value;
    }
    return root;
  }

  /** The node under a dotted path; an empty one when there is none. */
  node(path: string): QueryNode {
    return path.split('.').reduce<QueryNode>((node, key) => node.#children.get(key) ?? EMPTY, this);
  }

  /** The value under a dotted path; undefined when absent. */
  text(path: string): string | undefined {
    return this.node(path).#value;
  }

  /** @throws ServiceError MissingParameter, when it is absent or empty. */
  required(path: string): string {
    const value = this.text(path);
    if (value !== undefined && value !== '') return value;
    throw new ServiceError('MissingParameter', `The request must contain the parameter ${path}`);
  }

  /** @throws ServiceError InvalidParameterValue, when it is not an integer. */
  integer(path: string): number | undefined {
    const value = this.number(path);
    if (value === undefined || Number.isSafeInteger(value)) return value;
    throw new ServiceError('InvalidParameterValue', `${path}: ${String(value)} is not an integer`);
  }

  /** @throws ServiceError InvalidParameterValue, when it is not a number. */
  number(path: string): number | undefined {
    const value = this.text(path);
    if (value === undefined) return undefined;
    const number = value.trim() === '' ? NaN : Number(value);
    if (Number.isFinite(number)) return number;
    throw new ServiceError('InvalidParameterValue', `${path}: ${value} is not a number`);
  }

  /** @throws ServiceError InvalidParameterValue, when it is neither true nor false. */
  boolean(path: string): boolean {
    const value = this.text(path);
    if (value === undefined || value === 'false') return false;
    if (value === 'true') return true;
    throw new ServiceError('InvalidParameterValue', `${path}: ${value} is neither true nor false`);
  }

  /** Milliseconds since 1970. @throws ServiceError InvalidParameterValue, when it is not a time. */
  time(path: string): number | undefined {
    const value = this.text(path);
    if (value === undefined) return undefined;
    const millis = Date.parse(value);
    if (Number.isFinite(millis)) return millis;
    throw new ServiceError('InvalidParameterValue', `${path}: ${value} is not a time`);
  }

  /** `Name.1`, `Name.2` … (or `Name.member.1` …) in the order of their numbers. */
  list(path: string): readonly QueryNode[] {
    return this.node(path).items;
  }

  /** Its own numbered members. */
  get items(): readonly QueryNode[] {
    return [...(this.#children.get('member') ?? this).#children]
      .filter(([key]) => /^\d+$/.test(key))
      .sort(([left], [right]) => Number(left) - Number(right))
      .map(([, child]) => child);
  }

  texts(path: string): readonly string[] {
    return this.list(path).flatMap((node) => node.#value ?? []);
  }

  get value(): string | undefined {
    return this.#value;
  }

  get isEmpty(): boolean {
    return this.#value === undefined && this.#children.size === 0;
  }

  get entries(): Iterable<readonly [string, QueryNode]> {
    return this.#children;
  }

  /** All leaves as sorted text, without the top-level names given: equal for equal requests. */
  fingerprint(without: readonly string[]): string {
    const lines: string[] = [];
    const visit = (node: QueryNode, path: string): void => {
      if (node.#value !== undefined) lines.push(`${path}=${JSON.stringify(node.#value)}`);
      for (const [key, child] of node.#children) visit(child, `${path}.${key}`);
    };
    for (const [key, child] of this.#children) if (!without.includes(key)) visit(child, key);
    return lines.sort().join('\n');
  }

  #childFor(key: string): QueryNode {
    let child = this.#children.get(key);
    if (child === undefined) this.#children.set(key, (child = new QueryNode()));
    return child;
  }
}

const EMPTY = new QueryNode();
