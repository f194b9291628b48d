import {
  priceFactor,
  regionOfZones,
  REGIONS,
} from '../../../../../src/clouds/aws/catalogue/embedded/region.js';

describe('regionOfZones', () => {
  test.each([
    ['eu-west-3a', 'eu-west-3'],
    ['us-gov-west-1b', 'us-gov-west-1'],
    ['us-west-2-lax-1a', 'us-west-2'],
    ['us-east-1-wl1-bos-wlz-1', 'us-east-1'],
  ])('of %s is %s', (zone, region) => {
    expect(regionOfZones([zone])).toBe(region);
  });

  test('is that of all zones of one region, local ones included', () => {
    expect(regionOfZones(['us-west-2a', 'us-west-2-lax-1a', 'us-west-2b'])).toBe('us-west-2');
  });

  test.each([
    ['of several regions', ['us-east-1a', 'us-east-2a']],
    ['that are none', ['test-zone-1', 'zone', '']],
    ['of which there are none', []],
  ])('is unknown for zones %s', (_what, zones) => {
    expect(regionOfZones(zones)).toBeUndefined();
  });

  test('is not disturbed by a name that is no zone', () => {
    expect(regionOfZones(['eu-west-3c', 'somewhere'])).toBe('eu-west-3');
  });
});

describe('priceFactor', () => {
  test('is 1 in us-east-1 and about 1.17 in eu-west-3', () => {
    expect(priceFactor('us-east-1')).toBe(1);
    expect(priceFactor('eu-west-3')).toBeCloseTo(1.17, 2);
  });

  test('is at least 1 everywhere: no region is cheaper than us-east-1', () => {
    expect(REGIONS.filter((region) => priceFactor(region) < 1)).toEqual([]);
    expect(REGIONS.length).toBeGreaterThanOrEqual(25);
  });

  test('of an unknown region is refused, with those that are known', () => {
    expect(() => priceFactor('eu-west-9')).toThrow(
      /region "eu-west-9": not known; known are .*eu-west-3.*us-east-1/,
    );
  });
});
