import { FAMILIES } from '../../../src/clouds/aws/catalogue/embedded/instance-types.generated.js';
import { estimatedSpotRatio } from '../../../scripts/catalogue-facts/spot-ratio.js';

describe('estimatedSpotRatio', () => {
  test('lies between 0.3 and 0.6 for every family', () => {
    const ratios = FAMILIES.map(({ family, cpu }) => estimatedSpotRatio(family, cpu));
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(0.3);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(0.6);
  });

  test('tells families apart', () => {
    const ratios = FAMILIES.map(({ family, cpu }) => estimatedSpotRatio(family, cpu));
    expect(new Set(ratios).size).toBeGreaterThan(10);
  });

  test('is higher for a newer generation and for Intel', () => {
    expect(estimatedSpotRatio('c8i', 'intel')).toBeGreaterThan(estimatedSpotRatio('c6i', 'intel'));
    expect(estimatedSpotRatio('m7i', 'intel')).toBeGreaterThan(estimatedSpotRatio('m7a', 'amd'));
  });
});
