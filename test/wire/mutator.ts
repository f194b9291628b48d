/** Bodies of requests made from good ones by damage to their values or bytes, and by growth; the same seed gives the same ones. */

const TOKENS = [
  ...['{', '}', '[', ']', '"', ',', ':', '\\', '\\u0000', '\\ud800', '/', '~', '\n', '%'],
  ...['null', 'true', '1e999', '-0', '[[[[', '"__proto__":{"a":1},', '"constructor":{},'],
];
const JUNK: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1e308,
    '',
    'x',
    'a/b~c',
    '\u0000\u2028',
    'a && b < c > d',
    'true',
    'kube-system',
    '__proto__',
  ],
  ...[[], {}, [null], [[]], [{}], { '': null }, { constructor: 1, toString: 'x', hasOwnProperty: {} }],
  ...[
    'a: &a [*a]',
    '--- {',
    '- '.repeat(100),
    'kind: NodePool\napiVersion: karpenter.sh/v1',
    'x'.repeat(5000),
  ],
];

/** One body in so many has a list that is grown. */
const GROWN_ONE_IN = 50;
const MOST_GROWN = 5000;

export class Mutator {
  readonly #bases: readonly unknown[];
  #state: number;

  constructor(bases: readonly unknown[], seed: number) {
    this.#bases = bases;
    this.#state = seed;
  }

  /** The next body. */
  next(): Buffer {
    const value = structuredClone(this.#pick(this.#bases));
    for (let damage = this.#below(4); damage > 0; damage--) this.#damageValue(value);
    if (this.#below(GROWN_ONE_IN) === 0) this.#growList(value);
    let bytes: Buffer = Buffer.from(JSON.stringify(value));
    if (this.#below(4) === 0)
      for (let damage = this.#below(4); damage >= 0; damage--) bytes = this.#damageBytes(bytes);
    return bytes;
  }

  /** Puts junk in the place of one value, somewhere inside, or adds a key. */
  #damageValue(root: unknown): void {
    let parent = root;
    for (;;) {
      if (typeof parent !== 'object' || parent === null) return;
      const keys = Object.keys(parent);
      if (keys.length === 0) return;
      const key = this.#pick(keys);
      const object = parent as Record<string, unknown>;
      const child = object[key];
      if (typeof child !== 'object' || child === null || this.#below(4) === 0) {
        object[this.#below(8) === 0 ? this.#pick(TOKENS) : key] = structuredClone(this.#pick(JUNK));
        return;
      }
      parent = child;
    }
  }

  /** Repeats the items of one list, somewhere inside, as often as an object of the cluster could hold. */
  #growList(root: unknown): void {
    let parent = root;
    while (typeof parent === 'object' && parent !== null) {
      if (Array.isArray(parent) && parent.length > 0 && this.#below(2) === 0) {
        const item: unknown = parent[0];
        for (let more = this.#below(MOST_GROWN); more > 0; more--) parent.push(item);
        return;
      }
      const children = Object.values(parent);
      if (children.length === 0) return;
      parent = this.#pick(children);
    }
  }

  #damageBytes(bytes: Buffer): Buffer {
    const at = this.#below(bytes.length + 1);
    const to = Math.min(bytes.length, at + this.#below(20));
    switch (this.#below(4)) {
      case 0:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)]);
      case 1:
        return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
      case 2:
        return Buffer.concat([bytes.subarray(0, at), Buffer.from(this.#pick(TOKENS)), bytes.subarray(at)]);
      default:
        return Buffer.concat([
          bytes.subarray(0, at),
          Buffer.from([this.#below(256)]),
          bytes.subarray(at + 1),
        ]);
    }
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }

  /** A whole number, at least 0 and below the limit (xorshift). */
  #below(limit: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) % limit;
  }
}
