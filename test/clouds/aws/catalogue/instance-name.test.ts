import { parseInstanceName } from '../../../../src/clouds/aws/catalogue/instance-labels.js';

describe('parseInstanceName', () => {
  test.each([
    { name: 'm9gd.24xlarge', category: 'm', generation: 9, family: 'm9gd', size: '24xlarge' },
    { name: 'c7i-flex.large', category: 'c', generation: 7, family: 'c7i-flex', size: 'large' },
    { name: 'u-6tb1.112xlarge', category: 'u', generation: 1, family: 'u-6tb1', size: '112xlarge' },
    { name: 'u7i-12tb.224xlarge', category: 'u', generation: 7, family: 'u7i-12tb', size: '224xlarge' },
    { name: 'p6-b200.48xlarge', category: 'p', generation: 6, family: 'p6-b200', size: '48xlarge' },
    { name: 'im4gn.metal-16xl', category: 'im', generation: 4, family: 'im4gn', size: 'metal-16xl' },
  ])('reads $name', ({ name, ...parts }) => {
    expect(parseInstanceName(name)).toEqual(parts);
  });

  test.each(['', 'large', 'a.b.c', '.', 'fake-it'])('finds no generation in %p', (name) => {
    expect(parseInstanceName(name).generation).toBeUndefined();
  });
});
