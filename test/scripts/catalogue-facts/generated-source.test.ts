import { readFileSync } from 'node:fs';
import { expandFamilies } from '../../../scripts/catalogue-facts/expand.js';
import { generatedSource } from '../../../scripts/catalogue-facts/generated-source.js';

const committed = new URL(
  '../../../src/clouds/aws/catalogue/embedded/instance-types.generated.ts',
  import.meta.url,
);

describe('generatedSource', () => {
  test('is what the committed file holds, byte for byte: `make generate` was run after the last change of facts', () => {
    expect(generatedSource() === readFileSync(committed, 'utf8')).toBe(true);
  });

  test('stays small enough to read at every start', () => {
    expect(Buffer.byteLength(generatedSource())).toBeLessThan(150_000);
  });
});

describe('expandFamilies', () => {
  const families = expandFamilies();

  test('knows at least 700 types, each once', () => {
    const names = families.flatMap(({ family, sizes }) => sizes.map(([size]) => `${family}.${size}`));
    expect(names.length).toBeGreaterThanOrEqual(700);
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(['c', 'm', 'r', 't', 'g', 'p', 'i', 'x', 'z', 'hpc', 'inf', 'trn'])(
    'has families of category %s',
    (category) => {
      expect(families.filter(({ family }) => /^[a-z]+/.exec(family)?.[0] === category)).not.toEqual([]);
    },
  );

  test.each([6, 7, 8, 9])('has Graviton c and m families of generation %i', (generation) => {
    const graviton = families.filter(({ cpu }) => cpu === 'aws').map(({ family }) => family);
    expect(graviton).toEqual(expect.arrayContaining([`c${String(generation)}g`, `m${String(generation)}g`]));
  });

  test('gives every size vCPUs, memory, interfaces with two addresses or more, and a price', () => {
    const lacking = families.flatMap(({ family, sizes }) =>
      sizes
        .filter(
          ([, vcpu, memory, interfaces, addresses, price]) =>
            !(vcpu >= 1 && memory >= 500 && interfaces >= 2 && addresses >= 2 && price > 0),
        )
        .map(([size]) => `${family}.${size}`),
    );
    expect(lacking).toEqual([]);
  });
});
