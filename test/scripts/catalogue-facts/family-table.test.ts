import { parseExceptions, parseFamilies, parseTable } from '../../../scripts/catalogue-facts/family-table.js';

describe('parseTable', () => {
  test('reads columns by the names of the header', () => {
    const [row] = parseTable('\nfamily  cpu\nm5      intel\n');
    expect(row).toEqual(
      new Map([
        ['family', 'm5'],
        ['cpu', 'intel'],
      ]),
    );
  });

  test('refuses a row with a cell too few', () => {
    expect(() => parseTable('family cpu\nm5')).toThrow('row m5: not one cell for each of family, cpu');
  });
});

describe('parseFamilies', () => {
  const header = 'family cpu sizes gib usd notes';

  test('reads numbers and fractions', () => {
    const [family] = parseFamilies(`${header}\ng5 amd xlarge,48xlarge 4 8.144/96 xen,on-demand`);
    expect(family).toMatchObject({ family: 'g5', gib: 4, usd: 8.144 / 96, notes: ['xen', 'on-demand'] });
  });

  test('refuses a price that is no number', () => {
    expect(() => parseFamilies(`${header}\nm5 intel large 4 cheap -`)).toThrow(
      'cheap: expected a number or a fraction',
    );
  });
});

describe('parseExceptions', () => {
  test('reads a type and what it has instead', () => {
    const exceptions = parseExceptions('\nt3.nano  vcpu=2 eni=2x2\n');
    expect(exceptions.get('t3.nano')).toEqual(
      new Map([
        ['vcpu', '2'],
        ['eni', '2x2'],
      ]),
    );
  });
});
