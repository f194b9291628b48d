/** Spec wordings: equal for specs that say the same in the same order, and only for those. */
import fc from 'fast-check';
import { specKey, specWording } from '../../../src/planning/snapshot/spec-key.js';
import { podSpec } from '../../support/builders/pod.js';
import { arbitraryCluster } from '../laws/arbitrary-cluster.js';
import { DIFFERENT_SPECS } from './different-specs.js';

describe('specWording', () => {
  test('tells any two specs apart that ask something different', () => {
    const wordings = DIFFERENT_SPECS.map((overrides) => specWording(podSpec(overrides)));
    expect(new Set(wordings).size).toBe(DIFFERENT_SPECS.length);
  });

  test('is the same for another object with the same content', () => {
    for (const overrides of DIFFERENT_SPECS)
      expect(specWording(structuredClone(podSpec(overrides)))).toBe(specWording(podSpec(overrides)));
  });

  test('looks at the order in which labels are given', () => {
    const [one, other] = [
      { a: '1', b: '2' },
      { b: '2', a: '1' },
    ].map((labels) => podSpec({ labels }));
    expect(one && specWording(one)).not.toBe(other && specWording(other));
  });

  test('does not take a label for two', () => {
    const labels = [{ a: '1', b: '2' }, { a: '1 1 b 1 2' }, { 'a 1': '1 b', '2': '' }];
    expect(new Set(labels.map((each) => specWording(podSpec({ labels: each })))).size).toBe(3);
  });

  test('is never the same for specs with different keys', () => {
    fc.assert(
      fc.property(fc.array(arbitraryCluster(), { minLength: 1, maxLength: 4 }), (clusters) => {
        const specs = clusters.flatMap(({ pods }) => pods.map(({ spec }) => spec));
        const keys = new Map(specs.map((spec) => [specWording(spec), specKey(spec)]));
        for (const spec of specs) expect(keys.get(specWording(spec))).toBe(specKey(spec));
      }),
      { numRuns: 30, seed: 20_261_122 },
    );
  });
});
