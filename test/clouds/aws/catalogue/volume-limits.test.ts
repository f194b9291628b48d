/** Volumes of pods that fit on a type whose node does not exist yet. */
import { catalogueFor } from '../../../../src/clouds/aws/catalogue/index.js';
import { DEFAULT_NODE_CLASS } from '../../../../src/clouds/aws/catalogue/default-node-class.js';
import { volumeLimitsOf } from '../../../../src/clouds/aws/catalogue/volume-limits.js';

const catalogue = catalogueFor('us-east-1', ['us-east-1a']);

function limitOf(name: string, volumes?: number): number | undefined {
  const types = catalogue.forNodeClass({ ...DEFAULT_NODE_CLASS, volumes });
  return types.find((type) => type.name === name)?.volumeLimits?.get('ebs.csi.aws.com');
}

describe('the limit of volumes of a type', () => {
  // EC2's limit less the root volume, and where interfaces share it less the second one.
  test.each([
    ['m4.large', 'Xen', 38],
    ['m5.large', 'Nitro before its seventh generation', 25],
    ['m5d.24xlarge', 'one with four local disks', 21],
    ['m7g.metal', 'bare metal that shares', 29],
    ['m7i.large', 'Nitro since its seventh generation', 31],
    ['m7i.48xlarge', 'a large one of it', 127],
    ['c8gn.metal-48xl', 'bare metal with a limit of its own', 38],
    ['g5.48xlarge', 'one with GPUs and local disks', 7],
    ['d3en.12xlarge', 'one with as many local disks as it can have', 1],
  ])('%s, %s', (name, _, limit) => {
    expect(limitOf(name)).toBe(limit);
  });

  test('is less by every volume that the node class launches with', () => {
    expect([1, 2, 4].map((volumes) => limitOf('m5.large', volumes))).toEqual([25, 24, 22]);
  });

  test('is one at least, as the CSI driver says', () => {
    expect(limitOf('d3en.12xlarge', 9)).toBe(1);
  });

  test('is not known where EC2’s limit is not', () => {
    expect(volumeLimitsOf({ attachments: undefined }, {})).toEqual({});
  });

  test('every embedded type has one', () => {
    expect(catalogue.instanceTypes.filter(({ volumeLimits }) => volumeLimits === undefined)).toEqual([]);
  });
});
