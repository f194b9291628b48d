/** Resource lists are added, compared and printed in integers, in the units kube-scheduler counts in. */
import fc from 'fast-check';
import { QuantityError } from '../../../src/domain/values/quantity.js';
import {
  addResources,
  formatAmount,
  maxResources,
  NO_RESOURCES,
  parseAmount,
  subtractResources,
} from '../../../src/domain/values/resources.js';
import { fitsWithin, resourceList } from '../../support/builders/resources.js';
import { resources } from '../arbitraries.js';

const anyResources = resources();
const positiveResources = resources(0);
const resourceName = fc.constantFrom(
  'cpu',
  'memory',
  'pods',
  'ephemeral-storage',
  'hugepages-2Mi',
  'nvidia.com/gpu',
);

describe('resourceList', () => {
  test('leaves zeros out', () => {
    expect(resourceList({ cpu: 0, memory: 5 })).toEqual(new Map([['memory', 5]]));
  });
});

describe('parseAmount', () => {
  test.each([
    ['cpu', '1', 1000],
    ['cpu', '250m', 250],
    ['cpu', '0.0001', 1],
    ['memory', '1Gi', 2 ** 30],
    ['memory', '1.5', 2],
    ['memory', '128974848', 128974848],
    ['memory', '129e6', 129_000_000],
    ['memory', '128974848000m', 128974848],
    ['nvidia.com/gpu', '2', 2],
    ['pods', '110', 110],
  ])('reads %s %s as %d', (resource, text, amount) => {
    expect(parseAmount(resource, text)).toBe(amount);
  });

  test('refuses a negative amount, naming the resource', () => {
    expect(() => parseAmount('cpu', '-1')).toThrow(new QuantityError('-1', 'cpu must not be negative'));
  });

  test('refuses even the least negative amount', () => {
    expect(() => parseAmount('memory', '-0.1n')).toThrow(QuantityError);
  });
});

describe('formatAmount', () => {
  test.each([
    ['cpu', 1500, '1500m'],
    ['memory', 2 ** 31, '2Gi'],
    ['ephemeral-storage', 20 * 2 ** 30, '20Gi'],
    ['hugepages-2Mi', 2 ** 22, '4Mi'],
    ['nvidia.com/gpu', 1024, '1024'],
    ['pods', 1024, '1024'],
  ])('writes %s %d as %s', (resource, amount, text) => {
    expect(formatAmount(resource, amount)).toBe(text);
  });

  test('is read back as the same amount', () => {
    fc.assert(
      fc.property(resourceName, fc.nat({ max: Number.MAX_SAFE_INTEGER }), (resource, amount) => {
        expect(parseAmount(resource, formatAmount(resource, amount))).toBe(amount);
      }),
    );
  });
});

describe('addResources', () => {
  test('is commutative', () => {
    fc.assert(
      fc.property(anyResources, anyResources, (a, b) => {
        expect(addResources(a, b)).toEqual(addResources(b, a));
      }),
    );
  });

  test('is associative', () => {
    fc.assert(
      fc.property(anyResources, anyResources, anyResources, (a, b, c) => {
        expect(addResources(addResources(a, b), c)).toEqual(addResources(a, addResources(b, c)));
      }),
    );
  });

  test('has the empty list as identity', () => {
    fc.assert(
      fc.property(anyResources, (list) => {
        expect(addResources(list, NO_RESOURCES)).toEqual(list);
      }),
    );
  });

  test('is undone by subtractResources', () => {
    fc.assert(
      fc.property(anyResources, anyResources, (a, b) => {
        expect(subtractResources(addResources(a, b), b)).toEqual(a);
        expect(subtractResources(a, a)).toEqual(NO_RESOURCES);
      }),
    );
  });

  test('leaves its arguments alone', () => {
    const left = resourceList({ cpu: 1 });
    addResources(left, resourceList({ cpu: 2, memory: 3 }));
    expect(left).toEqual(new Map([['cpu', 1]]));
  });
});

describe('maxResources', () => {
  test('takes the larger amount of each resource', () => {
    const left = resourceList({ cpu: 500, memory: 10 });
    const right = resourceList({ cpu: 200, memory: 20, pods: 1 });
    expect(maxResources(left, right)).toEqual(new Map(Object.entries({ cpu: 500, memory: 20, pods: 1 })));
  });

  test('is commutative, associative and idempotent, with the empty list as identity', () => {
    fc.assert(
      fc.property(positiveResources, positiveResources, positiveResources, (a, b, c) => {
        expect(maxResources(a, b)).toEqual(maxResources(b, a));
        expect(maxResources(maxResources(a, b), c)).toEqual(maxResources(a, maxResources(b, c)));
        expect(maxResources(a, a)).toEqual(a);
        expect(maxResources(a, NO_RESOURCES)).toEqual(a);
      }),
    );
  });

  test('is what both arguments fit within', () => {
    fc.assert(
      fc.property(positiveResources, positiveResources, (a, b) => {
        expect(fitsWithin(a, maxResources(a, b))).toBe(true);
      }),
    );
  });
});
