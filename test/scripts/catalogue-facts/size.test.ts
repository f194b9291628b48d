import { expandSizes, usualVcpu } from '../../../scripts/catalogue-facts/size.js';

describe('expandSizes', () => {
  test('runs through the common sizes and keeps what is listed', () => {
    expect(expandSizes('medium..2xlarge,3xlarge,metal')).toEqual([
      'medium',
      'large',
      'xlarge',
      '2xlarge',
      '3xlarge',
      'metal',
    ]);
  });

  test('runs only through common sizes', () => {
    expect(() => expandSizes('large..3xlarge')).toThrow(
      /size 3xlarge: .* common|size 3xlarge: a list can only run through/,
    );
  });
});

describe('usualVcpu', () => {
  test.each([
    ['medium', 1],
    ['large', 2],
    ['xlarge', 4],
    ['24xlarge', 96],
    ['metal-48xl', 192],
  ])('of %s is %i', (size, vcpu) => {
    expect(usualVcpu(size, [])).toBe(vcpu);
  });

  test('of metal is that of the largest virtual size', () => {
    expect(usualVcpu('metal', ['large', '16xlarge', '4xlarge', 'metal'])).toBe(64);
  });
});
