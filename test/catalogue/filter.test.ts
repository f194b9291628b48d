import { catalogueFor } from '../../src/clouds/aws/catalogue/embedded/embedded-catalogue.js';
import {
  CATALOGUE_SORT_KEYS,
  cheapestPrice,
  filterCatalogue,
  sortCatalogue,
} from '../../src/catalogue/filter.js';
import { parseRange } from '../../src/catalogue/range.js';
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';

const types = catalogueFor('us-east-1').instanceTypes;
const names = (chosen: readonly InstanceType[]) => chosen.map(({ name }) => name);

describe('filterCatalogue', () => {
  test('lets everything through when nothing is asked', () => {
    expect(filterCatalogue(types, {})).toEqual(types);
  });

  test('needs every part to hold', () => {
    const chosen = filterCatalogue(types, {
      cpu: parseRange('--cpu', '4..16'),
      memoryGiB: parseRange('--memory', '16'),
      arch: 'arm64',
      categories: new Set(['m', 'c']),
      generation: parseRange('--generation', '6..7'),
    });
    expect(names(chosen)).toEqual([
      ...['m6g.xlarge', 'm6gd.xlarge', 'm7g.xlarge', 'm7gd.xlarge'],
      ...['c6g.2xlarge', 'c6gd.2xlarge', 'c6gn.2xlarge', 'c7g.2xlarge', 'c7gd.2xlarge', 'c7gn.2xlarge'],
    ]);
  });

  test('counts GPUs, none being 0', () => {
    const withGpu = filterCatalogue(types, { gpu: parseRange('--gpu', '1..') });
    const without = filterCatalogue(types, { gpu: parseRange('--gpu', '0') });
    expect(names(filterCatalogue(withGpu, { gpu: parseRange('--gpu', '4') }))).toContain('g5.12xlarge');
    expect(withGpu.length + without.length).toBe(types.length);
  });

  test('keeps only the offerings that were asked for, and no type without any', () => {
    const chosen = filterCatalogue(types, {
      families: new Set(['m5', 'hpc7g']),
      capacityType: 'spot',
      zone: 'us-east-1b',
    });
    expect(
      new Set(
        chosen.flatMap(({ offerings }) =>
          offerings.map(({ zone, capacityType }) => `${capacityType} ${zone}`),
        ),
      ),
    ).toEqual(new Set(['spot us-east-1b']));
    expect(names(chosen).every((name) => name.startsWith('m5.'))).toBe(true);
    expect(filterCatalogue(types, { zone: 'nowhere' })).toEqual([]);
  });
});

describe('sortCatalogue', () => {
  const some = filterCatalogue(types, { families: new Set(['c5', 'm6g', 't3']) });

  test('by name puts sizes of a family in their order', () => {
    expect(names(sortCatalogue(some, 'name')).slice(0, 5)).toEqual([
      'c5.large',
      'c5.xlarge',
      'c5.2xlarge',
      'c5.4xlarge',
      'c5.9xlarge',
    ]);
  });

  test('by price starts with the cheapest offering', () => {
    const prices = sortCatalogue(some, 'price').map(cheapestPrice);
    expect(prices).toEqual([...prices].sort((left, right) => left - right));
  });

  test('by price per cpu prefers what is cheap for its size', () => {
    expect(names(sortCatalogue(some, 'price-per-cpu'))[0]).toBe('t3.nano');
  });

  test('by memory, equals by price', () => {
    expect(names(sortCatalogue(some, 'memory')).slice(0, 5)).toEqual([
      't3.nano',
      't3.micro',
      't3.small',
      't3.medium',
      'm6g.medium',
    ]);
  });

  test.each(CATALOGUE_SORT_KEYS)('by %s does not depend on the order before', (key) => {
    expect(names(sortCatalogue([...some].reverse(), key))).toEqual(names(sortCatalogue(some, key)));
  });

  test('puts types without offerings last', () => {
    const [first, ...rest] = some;
    const sold = first && { ...first, offerings: [] };
    expect(sold && names(sortCatalogue([sold, ...rest], 'price')).at(-1)).toBe(first?.name);
  });
});
