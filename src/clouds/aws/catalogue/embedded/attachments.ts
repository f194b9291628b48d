/**
 * How many EBS volumes EC2 attaches to instance types, where DescribeInstanceTypes has not said so yet. From "Amazon EBS
 * volume limits for Amazon EC2 instances" in the EC2 User Guide. What local disks and accelerators take is off already.
 */
import type { Attachments } from '../instance-facts.js';

/** vCPUs from which a limit holds, ascending, and the limit. */
type Ladder = readonly (readonly [vcpu: number, most: number])[];

interface Limits {
  readonly areShared: boolean;
  readonly virtual: Ladder;
  readonly metal: Ladder;
}

/** Of Nitro since its seventh generation. */
const DEDICATED: Ladder = [
  [1, 32],
  [64, 48],
  [96, 64],
  [128, 88],
  [192, 128],
];
/** Of bare metal that shares. */
const SHARED_METAL: Ladder = [[1, 31]];

const shared = (virtual: Ladder): Limits => ({ areShared: true, virtual, metal: SHARED_METAL });
const dedicated = (virtual: Ladder, metal: Ladder = virtual): Limits => ({
  areShared: false,
  virtual,
  metal,
});

const XEN = dedicated([[1, 39]]);
const OLD_NITRO = shared([[1, 27]]);
// prettier-ignore
const NITRO = dedicated(DEDICATED, [[1, 39], [128, 79]]);
/** Of the seventh generation in name alone. */
const GRAVITON3 = /^[a-z]+7g[dn]?$/;

/** Families whose limits are not those of their generation. */
// prettier-ignore
const OTHERS: readonly (readonly [families: string, limits: Limits])[] = [
  ['c5ad', shared([[1, 26], [16, 25]])],
  ['c5d c6id m6id m6idn r6id r6idn', shared([[1, 26], [48, 25], [96, 23]])],
  ['c6gd c7gd m6gd m7gd r6gd r7gd x2gd z1d', shared([[1, 26], [48, 25]])],
  ['m5ad m5d m5dn r5ad r5d r5dn', shared([[1, 26], [16, 25], [64, 23]])],
  ['x2idn x2iedn', shared([[1, 26], [96, 25]])],
  ['d3', shared([[1, 24], [8, 21], [16, 15], [32, 3]])],
  ['d3en', shared([[1, 25], [8, 23], [16, 19], [24, 15], [32, 11], [48, 3]])],
  ['i3en', shared([[1, 26], [8, 25], [12, 26], [24, 25], [48, 23], [96, 19]])],
  ['i4g im4gn', shared([[1, 26], [32, 25], [64, 23]])],
  ['i4i', shared([[1, 26], [32, 25], [48, 24], [64, 23], [96, 21], [128, 19]])],
  ['is4gen', shared([[1, 26], [16, 25], [32, 23]])],
  ['dl1', shared([[1, 28]])],
  ['g4ad', shared([[1, 25], [32, 24], [64, 21]])],
  ['g4dn', shared([[1, 25], [48, 22], [64, 25]])],
  ['g5', shared([[1, 25], [48, 22], [64, 25], [96, 22], [192, 9]])],
  ['g5g', shared([[1, 26], [64, 25]])],
  ['inf1', shared([[1, 26], [24, 23], [96, 11]])],
  ['inf2', shared([[1, 26], [96, 28]])],
  ['p3dn', shared([[1, 17]])],
  ['trn1 trn1n', shared([[1, 25], [128, 28]])],
  ['vt1', shared([[1, 25], [24, 23]])],
  ['c8a m8a r8a', dedicated(DEDICATED, [[1, 64], [192, 79]])],
  ['c8gb m8gb r8gb', dedicated(DEDICATED, [[1, 39], [192, 78]])],
  // DescribeInstanceTypes says 128 of c8gn.48xlarge, where the guide says 64.
  ['c8gn', dedicated([[1, 32], [64, 48], [96, 64], [192, 128]], [[1, 39]])],
  ['m8gn r8gn', dedicated([[1, 32], [64, 48], [96, 64]], [[1, 39]])],
  ['c8i m8i r8i x8i', dedicated(DEDICATED, [[1, 64], [384, 79]])],
  ['f2 g6 g6e g6f gr6 gr6f', dedicated(DEDICATED)],
  ['p4d p4de', dedicated([[1, 28]])],
  ['p5 p5en p6-b200 p6-b300', dedicated([[1, 32], [192, 64]])],
  ['u7i-6tb u7i-8tb u7i-12tb u7in-16tb u7in-24tb u7in-32tb', dedicated([[1, 128]])],
];
const BY_FAMILY = new Map(
  OTHERS.flatMap(([families, limits]) => families.split(' ').map((family) => [family, limits] as const)),
);

/** What EC2 attaches to the size of a family with so many vCPUs. */
export function attachmentsOf(
  family: string,
  isXen: boolean,
  size: { readonly name: string; readonly vcpu: number },
): Attachments {
  const { areShared, virtual, metal } = BY_FAMILY.get(family) ?? usualLimits(family, isXen);
  const ladder = size.name.startsWith('metal') ? metal : virtual;
  return { areShared, most: ladder.findLast(([from]) => from <= size.vcpu)?.[1] ?? 1 };
}

function usualLimits(family: string, isXen: boolean): Limits {
  if (isXen) return XEN;
  const generation = Number(/^[a-z]+(\d+)/.exec(family)?.[1] ?? 0);
  return generation < 7 || GRAVITON3.test(family) ? OLD_NITRO : NITRO;
}
