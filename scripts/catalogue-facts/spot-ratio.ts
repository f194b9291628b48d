/** The estimated spot price of a family as a share of its on-demand price. */
import { parseInstanceName } from '../../src/clouds/aws/catalogue/instance-labels.js';

/** Where a category starts. Spare capacity is rarest where single instances are dear. */
const BY_CATEGORY: Readonly<Record<string, number>> = {
  ...{ a: 0.38, c: 0.4, m: 0.39, r: 0.36, t: 0.33, x: 0.35, z: 0.42 },
  ...{ d: 0.36, h: 0.34, i: 0.35, im: 0.36, is: 0.36 },
  ...{ dl: 0.45, f: 0.4, g: 0.44, gr: 0.46, inf: 0.38, p: 0.5, trn: 0.48, vt: 0.36 },
};
const ANY_OTHER_CATEGORY = 0.45;
const LOWEST = 0.3;
const HIGHEST = 0.6;

/**
 * A fixed rule instead of a quotation, so that plans made offline favour no family by accident: newer generations are sought after,
 * AMD and Graviton less than Intel, each speciality (disks, network, block storage, high frequency) a little less again,
 * flex more. Between 0.3 and 0.6, in hundredths.
 */
export function estimatedSpotRatio(family: string, cpu: string): number {
  const { category = '', generation = 0 } = parseInstanceName(`${family}.large`);
  const start = BY_CATEGORY[category] ?? ANY_OTHER_CATEGORY;
  const specialities = /^[a-z]+\d+([a-z]*)/.exec(family)?.[1]?.replace(/[agi]/, '').length ?? 0;
  const ratio =
    start +
    0.015 * (generation - 6) -
    (cpu === 'intel' ? 0 : 0.02) -
    0.01 * specialities +
    (family.endsWith('-flex') ? 0.04 : 0);
  return Math.round(100 * Math.min(HIGHEST, Math.max(LOWEST, ratio))) / 100;
}
