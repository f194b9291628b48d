/** Hashes of policy documents: those of FNV-1a, whatever the order of keys. */
import '../../../src/app/clouds.js';
import fc from 'fast-check';
import { policyHash } from '../../../src/apis/berth/policy-hash.js';

test('is 64-bit FNV-1a of the canonical text', () => {
  // FNV-1a of "{}": basis, then { and }, by hand with the published prime.
  const prime = 0x100000001b3n;
  const basis = 0xcbf29ce484222325n;
  const one = BigInt.asUintN(64, (basis ^ 0x7bn) * prime);
  const two = BigInt.asUintN(64, (one ^ 0x7dn) * prime);
  expect(policyHash({})).toBe(two.toString(16).padStart(16, '0'));
});

test('does not depend on the order of keys', () => {
  expect(policyHash({ a: 1, b: { c: 2, d: [1, 2] } })).toBe(policyHash({ b: { d: [1, 2], c: 2 }, a: 1 }));
});

test('tells documents apart that differ in a value or in the order of a list', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer(), { minLength: 2, maxLength: 5 }), (list) => {
      expect(policyHash({ list })).not.toBe(policyHash({ list: [...list].reverse() }));
    }),
  );
});
