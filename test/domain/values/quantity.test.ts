/** Quantities read, round and print as Kubernetes' resource.Quantity does. */
import fc from 'fast-check';
import {
  formatBytes,
  formatMillis,
  parseQuantity,
  QuantityError,
  toMillis,
  toUnits,
} from '../../../src/domain/values/quantity.js';

const NANO = 10n ** 9n;
const INT64_MAX = 2n ** 63n - 1n;
const safeInteger = fc.maxSafeInteger();

/** A decimal literal and its value in nano units, with at most nine decimals so that nothing is rounded. */
const decimal = fc
  .record({ negative: fc.boolean(), whole: fc.nat(), fraction: fc.stringMatching(/^\d{0,9}$/) })
  .map(({ negative, whole, fraction }) => ({
    text: `${negative ? '-' : ''}${String(whole)}.${fraction}`,
    nanos: (negative ? -1n : 1n) * (BigInt(whole) * NANO + BigInt(fraction.padEnd(9, '0'))),
  }));

const MILLIS_OF_SUFFIX = [
  ['m', 1n],
  ['', 10n ** 3n],
  ['k', 10n ** 6n],
  ['M', 10n ** 9n],
  ['G', 10n ** 12n],
  ['Ki', 1000n * 2n ** 10n],
  ['Mi', 1000n * 2n ** 20n],
  ['Gi', 1000n * 2n ** 30n],
] as const;

describe('parseQuantity', () => {
  test.each([
    ['1n', 1n],
    ['1u', 10n ** 3n],
    ['1m', 10n ** 6n],
    ['1', 10n ** 9n],
    ['1k', 10n ** 12n],
    ['1M', 10n ** 15n],
    ['1G', 10n ** 18n],
    ['1T', 10n ** 21n],
    ['1P', 10n ** 24n],
    ['1E', 10n ** 27n],
    ['1Ki', NANO * 2n ** 10n],
    ['1Mi', NANO * 2n ** 20n],
    ['1Gi', NANO * 2n ** 30n],
    ['1Ti', NANO * 2n ** 40n],
    ['1Pi', NANO * 2n ** 50n],
    ['1Ei', NANO * 2n ** 60n],
  ])('reads the suffix of %s exactly', (text, nanos) => {
    expect(parseQuantity(text)).toBe(nanos);
    expect(parseQuantity(`-${text}`)).toBe(-nanos);
    expect(parseQuantity(`+${text}`)).toBe(nanos);
  });

  test.each([
    ['1500m', '1.5'],
    ['1Ki', '1024'],
    ['1.5Gi', '1536Mi'],
    ['.5', '500m'],
    ['5.', '5'],
    ['1e3', '1k'],
    ['1E3', '1k'],
    ['12e-3', '12m'],
    ['1.5e+3', '1500'],
    ['0.1', '100m'],
    ['007', '7'],
    ['-0', '0'],
    ['0Ki', '0'],
    ['0.5Ki', '512'],
  ])('reads %s as the same amount as %s', (left, right) => {
    expect(parseQuantity(left)).toBe(parseQuantity(right));
  });

  test.each([
    '',
    ' ',
    '.',
    '-',
    'm',
    'Ki',
    '1 Gi',
    ' 1',
    '1\n',
    '1gi',
    '1GI',
    '1KI',
    '1K',
    '1mi',
    '1B',
    '1e',
    '1e+',
  ])('refuses %j', (text) => {
    expect(() => parseQuantity(text)).toThrow(QuantityError);
  });

  test.each([
    '1e1.5',
    '1Gi5',
    '--1',
    '1.2.3',
    '0x10',
    '1_000',
    '١',
    'NaN',
    'Infinity',
    '__proto__',
    '9'.repeat(129),
  ])('refuses %j', (text) => {
    expect(() => parseQuantity(text)).toThrow(QuantityError);
  });

  test('names the text that it refuses, shortened', () => {
    expect(() => parseQuantity('12 apples')).toThrow('quantity "12 apples": expected a number');
    expect(() => parseQuantity('Gi')).toThrow('quantity "Gi": expected digits before the suffix');
    expect(() => parseQuantity('x'.repeat(5000))).toThrow(/^.{0,200}$/);
  });

  test('rounds what is finer than a nano unit away from zero', () => {
    expect(parseQuantity('0.1n')).toBe(1n);
    expect(parseQuantity('-0.1n')).toBe(-1n);
    expect(parseQuantity('1e-400')).toBe(1n);
    expect(parseQuantity('1e-999999999999')).toBe(1n);
    expect(parseQuantity('0e-400')).toBe(0n);
  });

  test('caps what int64 cannot hold', () => {
    const cap = INT64_MAX * NANO;
    expect(parseQuantity('9223372036854775807')).toBe(cap);
    expect(parseQuantity('9223372036854775806')).toBe(cap - NANO);
    for (const text of [
      '8Ei',
      '10E',
      '9223372036854775808',
      '1e400',
      '1e999999999999',
      `${'9'.repeat(120)}Ei`,
    ]) {
      expect(parseQuantity(text)).toBe(cap);
      expect(parseQuantity(`-${text}`)).toBe(-cap);
    }
  });

  test('keeps decimals exactly', () => {
    fc.assert(
      fc.property(decimal, ({ text, nanos }) => {
        expect(parseQuantity(text)).toBe(nanos);
      }),
    );
  });

  test('keeps the order of amounts, whatever their spelling', () => {
    const spelled = fc
      .tuple(fc.integer(), fc.constantFrom(...MILLIS_OF_SUFFIX))
      .map(([number, [suffix, millis]]) => ({
        text: `${String(number)}${suffix}`,
        millis: BigInt(number) * millis,
      }));
    fc.assert(
      fc.property(spelled, spelled, (left, right) => {
        expect(parseQuantity(left.text) < parseQuantity(right.text)).toBe(left.millis < right.millis);
        expect(parseQuantity(left.text) === parseQuantity(right.text)).toBe(left.millis === right.millis);
      }),
    );
  });

  test('means the same by a suffix, an exponent and the number written out', () => {
    const powers = [
      ['k', 3],
      ['M', 6],
      ['G', 9],
      ['T', 12],
    ] as const;
    fc.assert(
      fc.property(
        fc.integer({ min: -9999, max: 9999 }),
        fc.constantFrom(...powers),
        (number, [suffix, power]) => {
          const quantity = parseQuantity(`${String(number)}${suffix}`);
          expect(parseQuantity(`${String(number)}e${String(power)}`)).toBe(quantity);
          expect(parseQuantity(`${String(number)}${'0'.repeat(power)}`)).toBe(quantity);
        },
      ),
    );
  });

  test('steps binary suffixes by 1024', () => {
    const suffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
    fc.assert(
      fc.property(fc.integer({ min: -7, max: 7 }), fc.nat({ max: suffixes.length - 2 }), (number, step) => {
        const [small = '', large = ''] = suffixes.slice(step);
        expect(parseQuantity(`${String(number)}${large}`)).toBe(
          parseQuantity(`${String(number * 1024)}${small}`),
        );
      }),
    );
  });
});

describe('toUnits and toMillis', () => {
  test.each([
    ['1', 1, 1000],
    ['1m', 1, 1],
    ['1n', 1, 1],
    ['1001u', 1, 2],
    ['1.5', 2, 1500],
    ['0', 0, 0],
    ['-1m', -1, -1],
    ['-1.5', -2, -1500],
    ['8Ei', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['-8Ei', -Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER],
    ['5P', 5e15, Number.MAX_SAFE_INTEGER],
  ])('read %s as %d units and %d thousandths', (text, units, millis) => {
    expect(toUnits(parseQuantity(text))).toBe(units);
    expect(toMillis(parseQuantity(text))).toBe(millis);
  });

  test('round by less than one, and never to less', () => {
    const positive = fc.bigInt({ min: 0n, max: NANO * 2n ** 40n });
    fc.assert(
      fc.property(positive, (nanos) => {
        const over = BigInt(toUnits(nanos)) * NANO - nanos;
        const overMillis = BigInt(toMillis(nanos)) * 1_000_000n - nanos;
        expect(over).toBeGreaterThanOrEqual(0n);
        expect(over).toBeLessThan(NANO);
        expect(overMillis).toBeGreaterThanOrEqual(0n);
        expect(overMillis).toBeLessThan(1_000_000n);
      }),
    );
  });

  test('round a negative amount like its opposite', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n }), (nanos) => {
        expect(toUnits(-nanos)).toBe(-toUnits(nanos));
        expect(toMillis(-nanos)).toBe(-toMillis(nanos));
      }),
    );
  });

  test('keep the order of amounts', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(toUnits(low)).toBeLessThanOrEqual(toUnits(high));
        expect(toMillis(low)).toBeLessThanOrEqual(toMillis(high));
      }),
    );
  });
});

describe('formatMillis', () => {
  test.each([
    [1500, '1500m'],
    [2000, '2'],
    [0, '0'],
    [-1500, '-1500m'],
    [-2000, '-2'],
  ])('writes %d thousandths as %s', (millis, text) => {
    expect(formatMillis(millis)).toBe(text);
  });

  test('is read back as the same number', () => {
    fc.assert(
      fc.property(safeInteger, (millis) => {
        expect(toMillis(parseQuantity(formatMillis(millis)))).toBe(millis);
      }),
    );
  });
});

describe('formatBytes', () => {
  test.each([
    [0, '0'],
    [1, '1'],
    [1023, '1023'],
    [1024, '1Ki'],
    [1000, '1000'],
    [1610612736, '1536Mi'],
    [-2048, '-2Ki'],
    [2 ** 52, '4Pi'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  test('is read back as the same number', () => {
    const bytes = fc.oneof(
      safeInteger,
      fc
        .tuple(fc.integer({ min: -7, max: 7 }), fc.nat({ max: 50 }))
        .map(([number, power]) => (number === 0 ? 0 : number * 2 ** power)),
    );
    fc.assert(
      fc.property(bytes, (number) => {
        expect(toUnits(parseQuantity(formatBytes(number)))).toBe(number);
      }),
    );
  });
});
