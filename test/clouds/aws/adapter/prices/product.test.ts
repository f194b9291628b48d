import fc from 'fast-check';
import { readProduct } from '../../../../../src/clouds/aws/adapter/prices/read-prices.js';
import { product } from './price-list.js';

test("a product's price is what an hour costs in dollars", () => {
  expect(readProduct(product('m5.large', '0.1120000000'))).toEqual({
    instanceType: 'm5.large',
    price: 0.112,
  });
});

test('in China, where AWS quotes no dollars, it is in yuan', () => {
  expect(readProduct(product('m5.large', '1.0130000000').replace('USD', 'CNY'))).toEqual({
    instanceType: 'm5.large',
    price: 1.013,
  });
});

test.each([
  ['free', product('m5.large', '0.0000000000')],
  ['paid by the gigabyte', product('m5.large', '0.1', 'GB')],
  ['without a number for a price', product('m5.large', 'free')],
  ['of no type', JSON.stringify({ product: { attributes: {} } })],
  ['that is no JSON', '{'],
])('a product %s is left out', (_, text) => {
  expect(readProduct(text)).toBeUndefined();
});

test('any JSON at all is read without an error', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(() => readProduct(text)).not.toThrow();
    }),
  );
});
