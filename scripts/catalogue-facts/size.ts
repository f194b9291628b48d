/** Instance sizes: their order, the short form of lists of them, and their vCPUs. */

/** The sizes that `..` runs through. */
const COMMON_SIZES = [
  ...['nano', 'micro', 'small', 'medium', 'large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge'],
  ...['16xlarge', '24xlarge', '32xlarge', '48xlarge', '96xlarge'],
];

/** `medium..2xlarge,3xlarge,metal` → medium, large, xlarge, 2xlarge, 3xlarge, metal. */
export function expandSizes(list: string): readonly string[] {
  return list.split(',').flatMap((item) => {
    const [first = '', last] = item.split('..');
    if (last === undefined) return [first];
    return COMMON_SIZES.slice(position(first), position(last) + 1);
  });
}

function position(size: string): number {
  const index = COMMON_SIZES.indexOf(size);
  if (index < 0) throw new RangeError(`size ${size}: a list can only run through ${COMMON_SIZES.join(', ')}`);
  return index;
}

/** vCPUs that a size has in most families; `metal` alone is as large as the family's largest virtual size. */
export function usualVcpu(size: string, family: readonly string[]): number {
  if (size === 'metal')
    return Math.max(...family.filter((other) => other !== 'metal').map((other) => usualVcpu(other, [])));
  if (size === 'large') return 2;
  const multiple = /^(?:metal-)?(\d*)xl(?:arge)?$/.exec(size);
  return multiple ? 4 * Number(multiple[1] === '' ? 1 : multiple[1]) : 1;
}
