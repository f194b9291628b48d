/** Colours of namespaces and pools: they depend on the names alone. */
import { Colours, HUES } from '../../web/colours.js';

const NAMES = [
  'shop',
  'search',
  'checkout',
  'batch',
  'observability',
  'auth',
  'default',
  'kube-system',
] as const;

function coloursOf(...steps: readonly (readonly string[])[]): Colours {
  const colours = new Colours();
  for (const names of steps) colours.learn(names);
  return colours;
}

/** Names of which no two have the same hash: each, alone, has a colour of its own. */
function withoutCollision(count: number): readonly string[] {
  const found = new Map<string, string>();
  for (let index = 0; found.size < count; index++) {
    const name = `team-${String(index)}`;
    found.set(coloursOf([name]).of(name), name);
  }
  return [...found.values()];
}

function sharing(name: string): string {
  const wanted = coloursOf([name]).of(name);
  for (let index = 0; ; index++) {
    const other = `z-${String(index)}`;
    if (coloursOf([other]).of(other) === wanted) return other;
  }
}

test('the same names have the same colours in whatever order they come', () => {
  const once = coloursOf(NAMES);
  const oneByOne = coloursOf(...NAMES.toReversed().map((name) => [name]));
  expect(NAMES.map((name) => oneByOne.of(name))).toEqual(NAMES.map((name) => once.of(name)));
});

test('up to sixteen names have colours of their own, and more share them', () => {
  const names = Array.from({ length: HUES }, (_, index) => `ns-${String(index)}`);
  const colours = coloursOf(names);
  expect(new Set(names.map((name) => colours.of(name))).size).toBe(HUES);
  colours.learn(['one-more']);
  expect(names.map((name) => colours.of(name))).toContain(colours.of('one-more'));
});

test('a name keeps its colour when others come, unless one before it in the alphabet has the same hash', () => {
  const [first = '', ...rest] = withoutCollision(5);
  const colours = coloursOf([first]);
  const alone = colours.of(first);
  expect(colours.learn(rest)).toBe(false);
  expect(colours.learn([sharing(first)])).toBe(false);
  expect(colours.of(first)).toBe(alone);
  expect(colours.of(sharing(first))).not.toBe(alone);
});

test('that a name has another colour now is answered, so that its pods are drawn again', () => {
  const later = sharing('a-first');
  const colours = coloursOf([later]);
  expect(colours.learn(['a-first'])).toBe(true);
  expect(colours.of(later)).not.toBe(colours.of('a-first'));
});
